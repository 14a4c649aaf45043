/** A passkey of a user, as its owner sees it. */
export interface UserPasskey {
  /** Base64url. */
  readonly credentialId: string
  /** Null for one of an ABP database that was never named. */
  readonly name: string | null
  readonly createdAt: Date
  /** Null until it signs somebody in here. */
  readonly lastUsedAt: Date | null
  /** How a browser reaches it: `internal`, `usb`, `hybrid` … */
  readonly transports: readonly string[]
}

/** A passkey that was just made, and whose proof was checked. */
export interface NewUserPasskey {
  /** Base64url. */
  readonly credentialId: string
  readonly name: string
  /** COSE key. */
  readonly publicKey: Uint8Array
  readonly signCount: number
  readonly transports: readonly string[]
  /** True when it may be copied to other devices of its owner; `isBackedUp` says that it was. */
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly attestationObject: Uint8Array
  readonly clientDataJson: Uint8Array
}

/** The data that verifies a signature of a passkey. */
export interface PasskeyKey {
  readonly userId: string
  /** COSE key. */
  readonly publicKey: Uint8Array
  readonly isBackupEligible: boolean
}

/** The data of a passkey beside its verified signature. */
export interface PasskeyUse {
  readonly signCount: number
  readonly isBackedUp: boolean
}

/** Extension point: passkeys of users, in this process only. Provided by identity. Ids are base64url. */
export abstract class UserPasskeys {
  /** The oldest first. */
  abstract of(userId: string): Promise<UserPasskey[]>
  /** The key of a passkey; undefined when nobody has it or its user is deleted. */
  abstract find(credentialId: string): Promise<PasskeyKey | undefined>
  /** False when somebody has this passkey already. */
  abstract add(userId: string, passkey: NewUserPasskey): Promise<boolean>
  /** `EntityNotFoundError` for a passkey that the user does not have. */
  abstract rename(userId: string, credentialId: string, name: string): Promise<void>
  /**
   * `EntityNotFoundError` for a passkey that the user does not have; `IdentityErrors.LastLogin` for the last
   * way in of a user without password and without accounts elsewhere.
   */
  abstract remove(userId: string, credentialId: string): Promise<void>
  /**
   * Notes that a passkey signed. False, and nothing is noted, when its counter did not go up: somebody may
   * have a copy. Authenticators that do not count say 0 each time.
   */
  abstract used(credentialId: string, use: PasskeyUse): Promise<boolean>
}
