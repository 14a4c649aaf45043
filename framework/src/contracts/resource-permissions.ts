import { type PermissionClass } from './permissions.js'

/** A permission on single things of one kind, such as reading one document: ABP's resource permission. */
export interface ResourcePermissionDefinition {
  readonly name: string
  /** The kind of thing. */
  readonly resourceName: string
  /** The permission that it takes to see and change who holds this one, on whatever thing of the kind. */
  readonly managementPermission: string
}

const kinds = new WeakMap<object, Omit<ResourcePermissionDefinition, 'name'>>()

/**
 * Marks a class whose static strings are permissions on single things of a kind. Users, roles, clients and API keys hold them for one
 * thing at a time, by its key; a permission on all things of the kind is an ordinary one.
 * @example
 * @ResourcePermissionGroup('Docs.Document', DocumentPermissions.ManageAccess)
 * export class DocumentAccess {
 *   static readonly Read = 'Docs.Document.Read'
 * }
 */
export function ResourcePermissionGroup(resourceName: string, managementPermission: string) {
  return (target: PermissionClass): void => {
    kinds.set(target, { resourceName, managementPermission })
  }
}

/** A class's resource permissions, in order. Throws when the class lacks {@link ResourcePermissionGroup}. */
export function resourcePermissionsOf(target: PermissionClass): ResourcePermissionDefinition[] {
  const kind = kinds.get(target)
  if (!kind)
    throw new Error(
      `${target.name} is listed as resourcePermissions but has no @ResourcePermissionGroup('…', …)`,
    )
  return Object.values(target)
    .filter((value) => typeof value === 'string')
    .map((name) => ({ name, ...kind }))
}
