/** The second factor that a user has to prove after the right password. */
export interface SecondFactorDemand {
  /** Ways to prove it: `Email`, `Phone`, `Authenticator`. A recovery code stands in for each. */
  readonly providers: readonly string[]
  /** Shows for ten minutes that the password was right. */
  readonly token: string
}

/** A code, by the provider it is of. */
export type SecondFactorProof =
  | { readonly provider: string; readonly code: string }
  | { readonly recoveryCode: string }

/**
 * Extension point: the second factor of signing in, for who asks for the first. The account module provides
 * it, in this process only.
 */
export abstract class SecondFactor {
  /**
   * The second factor that a user with the right password has to prove; undefined when the password is
   * enough, or when {@link rememberBrowser} made the token for them. The security log tells of a demand.
   */
  abstract demandOf(userId: string, browserToken?: string): Promise<SecondFactorDemand | undefined>
  /**
   * A token for a browser that somebody who gave a code calls their own, for fourteen days; undefined where
   * the settings don't allow it.
   */
  abstract rememberBrowser(userId: string): Promise<string | undefined>
  /** True when people may let their browser be remembered. */
  abstract mayRememberBrowser(): Promise<boolean>
  /** The demand that a token was made with; undefined when it is not genuine or has ended. */
  abstract demandBehind(userId: string, token: string): Promise<SecondFactorDemand | undefined>
  /**
   * Sends a code by mail (`Email`) or text message (`Phone`), where that is one of the user's ways. Throws
   * `TooManyRequestsError` for one too many.
   */
  abstract sendCode(userId: string, provider: string): Promise<void>
  /**
   * True for a right code; each counts once. A wrong one counts as a failed sign-in. Throws
   * `TooManyRequestsError` for one too many, right or wrong.
   */
  abstract isProven(userId: string, proof: SecondFactorProof): Promise<boolean>
}
