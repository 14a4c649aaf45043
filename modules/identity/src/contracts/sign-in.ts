import type { RequestOrigin } from './security-events.js'
import type { UserRecord } from './user-directory.js'

/** Somebody who may sign in, as tokens and pages describe them. */
export interface Account {
  /** Lower-case GUID. */
  readonly id: string
  readonly userName: string
  readonly name: string | null
  readonly surname: string | null
  readonly email: string
  readonly isEmailConfirmed: boolean
  readonly phoneNumber: string | null
  readonly isPhoneNumberConfirmed: boolean
  /** Names of the roles assigned to the user, without the inherited ones. */
  readonly roles: readonly string[]
  /** The stored claims of the user and of their roles. */
  readonly claims: readonly AccountClaim[]
}

/** A claim of a user or of one of their roles. */
export interface AccountClaim {
  /** A name such as `department`, or the URI of one. */
  readonly type: string
  readonly value: string
}

/**
 * How an attempt to sign in ended. `wrong-credentials` never says which of the two was wrong; `inactive` and
 * `unconfirmed` (an e-mail address or telephone number has to be confirmed first) are only told to somebody
 * who knew the password. Who answers strangers without a page shows one text for the others.
 */
export type SignInResult =
  | { readonly outcome: 'signed-in'; readonly account: Account }
  | { readonly outcome: 'wrong-credentials' }
  | { readonly outcome: 'locked-out'; readonly until: Date }
  | { readonly outcome: 'inactive' }
  | { readonly outcome: 'unconfirmed'; readonly account: Account }

/** A contact that must be confirmed before a user may sign in. */
export type Unconfirmed = 'email' | 'phoneNumber'

/** Extension point: knows who may sign in. The identity module provides it, in this process only. */
export abstract class SignIn {
  /**
   * Tries a password for a user name or an e-mail address, which share one count of failures: the fifth locks
   * the user out for 15 minutes, unless the settings say otherwise. The security log tells of every attempt.
   * Throws `UnavailableError` when too many attempts wait already. While a `PasswordAuthority` is switched
   * on, it is asked for names that no account has and for external users, who are made and brought up to date
   * by its answers; `UnavailableError` also stands for an authority that does not answer.
   */
  abstract check(userNameOrEmail: string, password: string, origin?: RequestOrigin): Promise<SignInResult>
  /**
   * Signs somebody in whom an account elsewhere stands for, unless they are locked out or inactive. The
   * security log tells of it as `IdentityExternal`.
   */
  abstract checkExternal(userId: string, origin?: RequestOrigin): Promise<SignInResult>
  /** Signs a user in who has confirmed what {@link unconfirmed} named since. Writes to the security log. */
  abstract checkConfirmed(userId: string, origin?: RequestOrigin): Promise<SignInResult>
  /** The contacts of a user that the settings require to be confirmed for signing in, and that are not. */
  abstract unconfirmed(
    user: Pick<Account, 'isEmailConfirmed' | 'isPhoneNumberConfirmed'>,
  ): Promise<readonly Unconfirmed[]>
  /**
   * Signs somebody in whose passkey signed, unless they are locked out or inactive. The security log tells of
   * it as `IdentityPasskey`. An external user gets `wrong-credentials`: the server that keeps the password
   * must be able to end every sign-in of the user.
   */
  abstract checkPasskey(userId: string, origin?: RequestOrigin): Promise<SignInResult>
  /**
   * Counts a failure that is no wrong password, such as a wrong code, with those that are; it stays counted
   * when the use case at hand fails. The answer is until when the user is locked out, or undefined.
   */
  abstract countFailure(userId: string): Promise<Date | undefined>
  /** True when a user can prove their identity with a password, local or external. */
  abstract takesPasswordOf(user: Pick<UserRecord, 'hasPassword' | 'isExternal'>): Promise<boolean>
  /**
   * The account; undefined if unknown, deleted or inactive. A lockout does not matter: it stops guesses only.
   */
  abstract find(userId: string): Promise<Account | undefined>
}
