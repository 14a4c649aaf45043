import type { GrantProvider } from '@keel/framework/contracts'

/** A user (`U`), role (`R`), client (`C`) or API key (`AK`) that permissions are granted to. */
export interface PermissionHolder {
  readonly providerName: GrantProvider
  /** User id, role name, client id or id of the key. */
  readonly providerKey: string
}

/** One thing that permissions are granted on: its kind, as `@ResourcePermissionGroup` names it, and its key. */
export interface GrantedThing {
  readonly resourceName: string
  readonly resourceKey: string
}

/**
 * Extension point, provided by permission management: for modules whose users, roles, clients or keys hold grants. Everything it does is
 * part of the unit of work at hand and of the history.
 */
export abstract class GrantBook {
  /** The permissions a holder was granted, without those that are prohibited to it. What it inherits is not among them. */
  abstract grantsOf(holder: PermissionHolder): Promise<string[]>
  /** Adds the grants that are missing. */
  abstract grant(holder: PermissionHolder, permissions: readonly string[]): Promise<void>
  /** Takes grants away; those that there are not are fine. */
  abstract revoke(holder: PermissionHolder, permissions: readonly string[]): Promise<void>
  /** Takes away everything that was granted or prohibited: the holder is gone. */
  abstract remove(holder: PermissionHolder): Promise<void>
  /** Grants permissions on one thing, e.g. to the user who made it. */
  abstract grantOn(
    thing: GrantedThing,
    holder: PermissionHolder,
    permissions: readonly string[],
  ): Promise<void>
  /** Takes away everything that was granted on a thing: it is gone. */
  abstract removeThing(thing: GrantedThing): Promise<void>
  /** Moves everything that was granted or prohibited to a holder to its new key. */
  abstract rename(holder: PermissionHolder, newKey: string): Promise<void>
}
