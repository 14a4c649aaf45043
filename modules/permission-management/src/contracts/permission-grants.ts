export type { GrantProvider } from '@keel/framework/contracts'

/** The error codes of permission management. */
export const PermissionErrors = {
  /** Roles that are their own ancestor, or a grant to a role that no module declares. */
  InvalidHierarchy: 'App:RoleSeed:InvalidHierarchy',
  /** Nobody may change a grant of what they don't hold themselves, save administrators. */
  NotHeld: 'App:PermissionManagement:NotHeld',
  /** The permission can't be granted to holders of this kind. */
  ProviderNotAllowed: 'App:PermissionManagement:ProviderNotAllowed',
  /** Nobody may change a grant on a thing that they don't hold on it themselves, save administrators. */
  NotHeldOnThing: 'App:PermissionManagement:NotHeldOnThing',
} as const
