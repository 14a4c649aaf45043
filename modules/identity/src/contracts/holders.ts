/** What permissions and other things are kept for, by ABP's provider names: a role (`R`) by its name, a user (`U`) by its id. */
export interface Holder {
  readonly providerName: 'R' | 'U'
  readonly providerKey: string
}

/** Keeps things of users or roles and has to follow them. Called in the transaction of the change: a failure undoes it. */
export interface HolderObserver {
  /** A role has another name. */
  holderRenamed(holder: Holder, newKey: string): Promise<void>
  /** A user or role is gone. */
  holderRemoved(holder: Holder): Promise<void>
}

/**
 * Extension point: tells of users and roles that are renamed or removed. The identity module provides it; who keeps grants or the like
 * asks for it when its module is initialized.
 * @example application.get(HolderChanges).observe(application.get(PermissionGrants))
 */
export abstract class HolderChanges {
  abstract observe(observer: HolderObserver): void
}
