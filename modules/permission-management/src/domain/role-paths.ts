import type { Role } from '@keel/framework/contracts'

/** From each role that counts for somebody to the roles that lead to it: the assigned one first, itself last. */
export function rolePaths(
  assigned: readonly string[],
  hierarchy: ReadonlyMap<string, Role>,
): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>()
  const add = (name: string, before: readonly string[]): void => {
    if (paths.has(name)) return
    const path = [...before, name]
    paths.set(name, path)
    for (const parent of hierarchy.get(name)?.parents ?? []) add(parent.name, path)
  }
  for (const name of assigned) add(name, [])
  return paths
}

/** A role and all that inherit from it. */
export function rolesBelow(name: string, hierarchy: ReadonlyMap<string, Role>): string[] {
  const below = [...hierarchy.keys()].filter((role) => rolePaths([role], hierarchy).has(name))
  return [...new Set([name, ...below])]
}
