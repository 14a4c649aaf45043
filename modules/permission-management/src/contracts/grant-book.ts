import type { GrantProvider } from './permission-grants.js'

/** Who permissions are given to. */
export interface GrantReceiver {
  readonly providerName: GrantProvider
  /** User id, role name, client id or the id of an API key. */
  readonly providerKey: string
}

/** Extension point: gives permissions to holders and takes them, in the unit of work at hand. The permission-management module provides it. */
export abstract class GrantBook {
  /** Adds the grants that are missing. */
  abstract grant(holder: GrantReceiver, permissions: readonly string[]): Promise<void>
  /** Takes grants away; those that there are not are fine. */
  abstract revoke(holder: GrantReceiver, permissions: readonly string[]): Promise<void>
  /** Takes away everything: the holder is gone. */
  abstract remove(holder: GrantReceiver): Promise<void>
}
