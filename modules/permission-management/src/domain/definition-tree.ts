import type { PermissionDefinition } from '@keel/framework/contracts'

/** A group of permissions, parents directly before their children. */
export interface DefinitionGroup {
  readonly name: string
  readonly permissions: readonly PermissionDefinition[]
}

/** The groups of permissions in the order they were defined, each walked from its roots down. */
export function definitionTree(definitions: Iterable<PermissionDefinition>): DefinitionGroup[] {
  const groups = new Map<string, PermissionDefinition[]>()
  for (const definition of definitions)
    groups.set(definition.group, [...(groups.get(definition.group) ?? []), definition])
  return [...groups].map(([name, permissions]) => ({ name, permissions: parentsFirst(permissions) }))
}

function parentsFirst(permissions: readonly PermissionDefinition[]): PermissionDefinition[] {
  const names = new Set(permissions.map(({ name }) => name))
  const below = new Map<string | undefined, PermissionDefinition[]>()
  for (const permission of permissions) {
    const parent =
      permission.parent !== undefined && names.has(permission.parent) ? permission.parent : undefined
    below.set(parent, [...(below.get(parent) ?? []), permission])
  }
  const walk = (parent: string | undefined): PermissionDefinition[] =>
    (below.get(parent) ?? []).flatMap((permission) => [permission, ...walk(permission.name)])
  return walk(undefined)
}
