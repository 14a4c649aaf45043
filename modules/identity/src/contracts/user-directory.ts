/** A user as other modules of this process know it: everything but the password. */
export interface UserRecord {
  /** Lower-case GUID. */
  readonly id: string
  readonly userName: string
  readonly name: string | null
  readonly surname: string | null
  readonly email: string
  readonly isEmailConfirmed: boolean
  readonly phoneNumber: string | null
  readonly isPhoneNumberConfirmed: boolean
  readonly isActive: boolean
  /** The password is kept elsewhere. */
  readonly isExternal: boolean
  readonly hasPassword: boolean
  readonly isTwoFactorEnabled: boolean
  readonly shouldChangePasswordOnNextLogin: boolean
  /** Set when it should for the age of the password alone. */
  readonly isPasswordTooOld?: boolean
  readonly lastPasswordChangeTime: Date | null
  /** Until when the user is locked out; null when they are not. */
  readonly lockedOutUntil: Date | null
  /** Changes with everything the user proves to be themselves with: what was made of it before is void. */
  readonly securityStamp: string
  readonly concurrencyStamp: string
  readonly extraProperties: Readonly<Record<string, unknown>>
}

/** The profile of a user. */
export interface UserProfile {
  readonly userName: string
  readonly email: string
  readonly name?: string | null | undefined
  readonly surname?: string | null | undefined
  readonly phoneNumber?: string | null | undefined
  /** Added to those the user has. */
  readonly extraProperties?: Readonly<Record<string, unknown>> | null | undefined
}

/** A user to be. */
export interface NewUser extends UserProfile {
  /** Checked against the password policy; without one nobody can sign in with a password until one is set. */
  readonly password?: string | undefined
  readonly isEmailConfirmed?: boolean
  readonly isPhoneNumberConfirmed?: boolean
  readonly isActive?: boolean
  readonly isExternal?: boolean
  /** True when wrong passwords lock the user out; what the settings say when not given. */
  readonly isLockoutEnabled?: boolean
  readonly shouldChangePasswordOnNextLogin?: boolean
  /** Role names; every default role when not given. */
  readonly roleNames?: readonly string[]
  /** The user registers: they get the default roles that `AccountSettings.RegistrationRoles` names. */
  readonly isRegistering?: boolean
}

/** A change of a profile: what is not given stays, null clears. */
export interface ProfileChange extends Partial<UserProfile> {
  /** The stamp that the caller saw; another one is refused with `ConcurrencyError`. */
  readonly concurrencyStamp?: string | null | undefined
}

/**
 * Extension point: the users, for modules of this process that register them or let them change themselves.
 * It asks for no permission: who calls it decides who may. The identity module provides it.
 */
export abstract class UserDirectory {
  /** Users that are deleted are not found. */
  abstract find(id: string): Promise<UserRecord | undefined>
  abstract findByUserName(userName: string): Promise<UserRecord | undefined>
  abstract findByEmail(email: string): Promise<UserRecord | undefined>
  /**
   * Adds a user. Refuses with `IdentityErrors.DuplicateUserName` or `.DuplicateEmail` what is taken in any
   * case, also by a request at the same time, with `.InvalidUserName` what is no name, and a weak password.
   * All faults come in one error: a line of the message and a code in `data.faults` for each.
   */
  abstract create(user: NewUser): Promise<UserRecord>
  /**
   * Refuses what `create` would refuse, and does nothing else, for forms with other faults. A given password
   * is checked, a given id is that of a user who may keep the names.
   */
  abstract check(user: Pick<NewUser, 'userName' | 'email' | 'password'>, id?: string): Promise<void>
  /** Changes a user's profile, by the rules of `create`. A new e-mail address or number is not confirmed. */
  abstract updateProfile(id: string, change: ProfileChange): Promise<UserRecord>
  /** Confirms an e-mail address. Answers false, and changes nothing, when the user has another one by now. */
  abstract confirmEmail(id: string, email: string): Promise<boolean>
  /** Makes a phone number the user's own, confirmed. */
  abstract setConfirmedPhoneNumber(id: string, phoneNumber: string): Promise<void>
  abstract setTwoFactorEnabled(id: string, isEnabled: boolean): Promise<void>
  /** Voids what was made of the user's security stamp, such as tokens to reset the password. */
  abstract changeSecurityStamp(id: string): Promise<void>
}
