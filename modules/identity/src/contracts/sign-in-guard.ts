/** An attempt to sign in with a password. */
export interface SignInAttempt {
  /** The text entered as user name. */
  readonly name: string
  /** Where it comes from; undefined when nobody knows. */
  readonly address: string | undefined
}

/**
 * Extension point: how often passwords may be tried, from one address and for one name, whether somebody has
 * that name or not. The account module provides it; without it only lock-outs stand in the way of guesses.
 */
export abstract class SignInGuard {
  /** Throws `TooManyRequestsError` when there were too many failures; called before anything is looked up. */
  abstract admit(attempt: SignInAttempt): Promise<void>
  /** Counts a failure. */
  abstract failed(attempt: SignInAttempt): Promise<void>
  /**
   * Counts a failure for a name that nobody has, as lock-outs count those of users. The answer is until when
   * the name is locked out, as that of a user would be, or undefined.
   */
  abstract failedForNobody(name: string): Promise<Date | undefined>
  /** Until when a name that nobody has is locked out; undefined when it is not. Counts nothing. */
  abstract lockOutOfNobody(name: string): Promise<Date | undefined>
  /** Resets the failures for names, e.g. user name and e-mail address; those of network addresses stay. */
  abstract forgive(names: readonly string[]): Promise<void>
}
