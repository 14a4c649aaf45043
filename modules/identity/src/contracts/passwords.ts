import type { UserProfile } from './user-directory.js'

/** A rule of the settings `Abp.Identity.Password.*` that every new password keeps. */
export interface PasswordRule {
  /** Code of `IdentityErrors` that a password is refused with when it breaks the rule. */
  readonly code: string
  /** The requirement in a few words that fit into a list: "at least 6 characters". */
  readonly text: string
  /** The rule as a lookahead for the `pattern` of an input; undefined where no expression exists. */
  readonly pattern: string | undefined
}

/** The names of a user that a password of theirs may not be made of. */
export type PasswordOwner = Partial<Pick<UserProfile, 'userName' | 'email' | 'name' | 'surname'>>

/**
 * Extension point: passwords of users, for modules of this process, without permission. Provided by identity.
 */
export abstract class Passwords {
  /**
   * Refuses a password that breaks the policy of the settings `Abp.Identity.Password.*`: code of the first
   * fault, all of them in the message and, by code, in `data.faults`.
   * @param owner whose it is to be: a password made of their names is refused
   */
  abstract check(password: string, owner?: PasswordOwner): Promise<void>
  /** The requirements of a new password, in the language of the request. */
  abstract rules(): Promise<readonly PasswordRule[]>
  /** True when it is the user's password. Failures are not counted: `SignIn.check` does that. */
  abstract verify(userId: string, password: string): Promise<boolean>
  /** Sets a user's password after `check` and, by the settings, a comparison with previous ones. */
  abstract set(userId: string, password: string): Promise<void>
  /**
   * Replaces a password by who knows it; `IdentityErrors.PasswordMismatch` for another one, which counts as a
   * failed sign-in. Who has none yet gives null.
   */
  abstract change(userId: string, currentPassword: string | null, newPassword: string): Promise<void>
}
