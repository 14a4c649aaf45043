import type { Class, Constructor } from './class.js'
import { contractOf, providedBy, replacedBy } from './injectable.js'
import type { LoadedModule } from './loaded-module.js'
import { atPlaceOf } from './source-place.js'
import { StartupError } from './startup-error.js'

/** A class that a module lists in `services`. */
export interface ListedService {
  readonly service: Constructor
  readonly module: LoadedModule
}

/** The services of all modules, and those among them whose place another one takes. */
export interface ListedServices {
  /** Without those that are replaced. */
  readonly active: readonly ListedService[]
  readonly replacements: ReadonlyMap<Constructor, Constructor>
}

/**
 * The services of modules, with `@Replaces` done. Throws where two classes replace the same one, or one
 * replaces what no module lists.
 */
export function listServices(modules: readonly LoadedModule[]): ListedServices {
  const listed = modules.flatMap((module) =>
    (module.options.services ?? []).map((service): ListedService => ({ service, module })),
  )
  const replacing = new Map<Constructor, ListedService>()
  for (const each of listed) {
    const original = replacedBy(each.service)
    if (!original) continue
    const found = listed.filter(({ service }) => service !== each.service && standsFor(service, original))
    if (found.length === 0)
      throw new StartupError(
        `${each.service.name} (${each.module.name}) replaces ${original.name}, which no module of this host lists: add its module to dependsOn, or leave ${each.service.name} out.${atPlaceOf(each.service)}`,
      )
    for (const { service } of found) {
      const other = replacing.get(service)
      if (other)
        throw new StartupError(
          `${service.name} is replaced twice: by ${other.service.name} (${other.module.name}) and ${each.service.name} (${each.module.name}). Keep one, or let one replace the other.${atPlaceOf(other.service)}${atPlaceOf(each.service)}`,
        )
      replacing.set(service, each)
    }
  }
  return {
    active: listed.filter(({ service }) => !replacing.has(service)),
    replacements: new Map([...replacing].map(([original, { service }]) => [original, service])),
  }
}

/**
 * True when a class is another one, or is declared to provide or implement it. False for classes that replace
 * it.
 */
function standsFor(service: Constructor, original: Class): boolean {
  if (service === original) return true
  return (
    replacedBy(service) !== original && (providedBy(service) === original || contractOf(service) === original)
  )
}
