import type { Application } from '../modularity/application.js'
import { columns } from './columns.js'

/** The modules of a host in the order they start, each with those it depends on itself. */
export function moduleGraph({ modules }: Application): string {
  const nameOf = new Map<unknown, string>(modules.map(({ type, name }) => [type, name]))
  return columns(
    modules.map(({ name, options }, index) => {
      const dependencies = (options.dependsOn ?? []).map((type) => nameOf.get(type)).join(', ')
      return [String(index + 1), name, dependencies && `← ${dependencies}`]
    }),
  )
}
