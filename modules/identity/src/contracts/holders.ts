/** A holder of permissions and other values, by ABP's provider name: role (`R`) by name, user (`U`) by id. */
export interface Holder {
  readonly providerName: 'R' | 'U'
  readonly providerKey: string
}

/**
 * Stores data of users or roles that must follow them. Called in their transaction: a failure rolls it back.
 */
export interface HolderObserver {
  /** A role has another name. */
  holderRenamed(holder: Holder, newKey: string): Promise<void>
  /** A user or role is gone. */
  holderRemoved(holder: Holder): Promise<void>
}

/**
 * Extension point: tells of users and roles that are renamed or removed. The identity module provides it; who
 * keeps grants or the like asks for it when its module is initialized.
 * @example application.get(HolderChanges).observe(application.get(PermissionGrants))
 */
export abstract class HolderChanges {
  abstract observe(observer: HolderObserver): void
}
