import type { GrantProvider } from '@keel/framework/contracts'

export type { GrantProvider } from '@keel/framework/contracts'

/** What permission management can refuse. */
export const PermissionErrors = {
  /** Roles that are their own ancestor, or a grant to a role that no module declares. */
  InvalidHierarchy: 'App:RoleSeed:InvalidHierarchy',
  /** Nobody may change a grant of what they don't hold themselves, save administrators. */
  NotHeld: 'App:PermissionManagement:NotHeld',
  /** The permission can't be granted to holders of this kind. */
  ProviderNotAllowed: 'App:PermissionManagement:ProviderNotAllowed',
} as const

/** A user (`U`), role (`R`), client (`C`) or API key (`AK`) that permissions are granted to. */
export interface PermissionHolder {
  readonly providerName: GrantProvider
  /** User id, role name, client id or id of the key. */
  readonly providerKey: string
}

/**
 * Extension point, provided by permission management: for modules whose users, roles, clients or keys hold grants. Everything it does is
 * part of the unit of work at hand and of the history.
 */
export abstract class GrantBook {
  /** The permissions a holder was granted, without those that are prohibited to it. What it inherits is not among them. */
  abstract grantsOf(holder: PermissionHolder): Promise<string[]>
  /** Grants a holder what it is missing of these permissions. */
  abstract give(holder: PermissionHolder, permissions: readonly string[]): Promise<void>
  /** The holder is gone, and all that was granted or prohibited to it goes too. */
  abstract remove(holder: PermissionHolder): Promise<void>
  /** Moves all that was granted or prohibited to a holder to its new key. */
  abstract rename(holder: PermissionHolder, newKey: string): Promise<void>
}
