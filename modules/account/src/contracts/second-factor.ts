/** The second factor that a user has to prove after the first one: the right password, or a sign-in at an external provider. */
export interface SecondFactorDemand {
  /** Ways to prove it: `Email`, `Phone`, `Authenticator`. A recovery code stands in for each. */
  readonly providers: readonly string[]
  /** Shows for ten minutes that the first factor was right, and which one it was. */
  readonly token: string
}

/** The methods (`amr`) of a password as the first factor. */
export const passwordMethods = 'pwd'

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
   * The second factor that a user has to prove besides the first one; undefined when that is enough, or when
   * {@link rememberBrowser} made the token for them. The security log tells of a demand.
   * @param methods of the first factor, with blanks between (`amr`); the token vouches for them
   */
  abstract demandOf(
    userId: string,
    methods: string,
    browserToken?: string,
  ): Promise<SecondFactorDemand | undefined>
  /**
   * A token for a browser that somebody who gave a code calls their own, for fourteen days; undefined where
   * the settings don't allow it.
   */
  abstract rememberBrowser(userId: string): Promise<string | undefined>
  /** True when people may let their browser be remembered. */
  abstract mayRememberBrowser(): Promise<boolean>
  /** The demand that a token was made with; undefined when it is not genuine, is of other methods, or has ended. */
  abstract demandBehind(
    userId: string,
    methods: string,
    token: string,
  ): Promise<SecondFactorDemand | undefined>
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
