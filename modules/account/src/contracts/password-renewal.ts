/**
 * Extension point: passwords that have to be changed before somebody is signed in, for who asks for the
 * password. In this process only.
 */
export abstract class PasswordRenewal {
  /**
   * A token for somebody who has proven to be themselves but must choose a new password, because somebody
   * else chose theirs or it is too old; undefined when it will do. It counts for ten minutes.
   * @param methods how they proved themselves, e.g. `pwd otp`: the token vouches for it
   */
  abstract demandOf(userId: string, methods: string): Promise<PasswordDemand | undefined>
  /** True for a token that {@link demandOf} made for this user and these methods, and that still counts. */
  abstract isGenuine(userId: string, methods: string, token: string): Promise<boolean>
  /**
   * Gives the new password, once for each token. `AccountErrors.InvalidToken` for another token,
   * `.PasswordNotChanged` for the password they have; what the policy refuses is refused as by
   * `Passwords.set`.
   */
  abstract renew(renewal: PasswordRenewalInput): Promise<void>
}

/** That a new password is due. */
export interface PasswordDemand {
  readonly token: string
  /** Somebody else chose the password, or it is too old. */
  readonly reason: 'given' | 'expired'
}

/** A new password, by somebody who had to choose one. */
export interface PasswordRenewalInput {
  readonly userId: string
  readonly methods: string
  readonly token: string
  readonly newPassword: string
}
