/** The kind of a change to a holder's permission. */
export enum GrantChangeKind {
  Granted = 0,
  Revoked = 1,
  Prohibited = 2,
  /** No longer prohibited. */
  Allowed = 3,
}

/** Why a grant changed. */
export enum GrantChangeCause {
  /** Somebody changed it. */
  Update = 0,
  /** A release granted it. */
  Seed = 1,
  /** Another module did, e.g. with a new API key. */
  Module = 2,
  HolderRemoved = 3,
  HolderRenamed = 4,
  /** The thing that it was granted on is gone. */
  ResourceRemoved = 5,
}
