import type { LoadedModule } from './loaded-module.js'
import { StartupError } from './startup-error.js'

/** Something that a module defines under a name which is unique in a host. */
export interface NamedThing<T> {
  readonly name: string
  readonly thing: T
  readonly module: string
}

/**
 * What modules define, by name. Modules may list a thing that another lists too; two things of one name stop the start, and both modules are named.
 * @param what they are, for the message: `permission`
 * @param remedy what the developer of a module can do about it, as a sentence
 */
export function uniqueByName<T>(
  what: string,
  things: Iterable<NamedThing<T>>,
  remedy: string,
): ReadonlyMap<string, T> {
  const known = new Map<string, NamedThing<T>>()
  for (const each of things) {
    const other = known.get(each.name)
    if (!other) known.set(each.name, each)
    else if (other.thing !== each.thing)
      throw new StartupError(
        `The ${what} ${each.name} is defined twice: by ${ownersOf(other.module, each.module)}. ${remedy}`,
      )
  }
  return new Map([...known].map(([name, { thing }]) => [name, thing]))
}

function ownersOf(one: string, other: string): string {
  return one === other ? `the module ${one}` : `the modules ${one} and ${other}`
}

/** What modules list under an option, with the module. */
export function listedBy<M extends Pick<LoadedModule, 'name' | 'options'>, T>(
  modules: readonly M[],
  pick: (options: M['options']) => readonly T[] | undefined,
): readonly { readonly thing: T; readonly module: string }[] {
  return modules.flatMap(({ name: module, options }) =>
    (pick(options) ?? []).map((thing) => ({ thing, module })),
  )
}
