/**
 * Attempts of strangers that are limited: to register, or any form that tells which names are taken, the user
 * code that a device shows (RFC 8628, section 5.1), the code of a second factor, and to sign in with a passkey.
 */
export type LimitedAttempt = 'registration' | 'device-code' | 'second-factor' | 'passkey'

/**
 * Extension point: how often strangers may try something from one address, or one network of IPv6 (/64), over
 * all processes. The account module provides it. Without an address nothing is counted.
 */
export abstract class AddressLimits {
  /**
   * Counts an attempt before it is made, so that attempts sent at once all count. Throws
   * `TooManyRequestsError` for one too many.
   */
  abstract spend(attempt: LimitedAttempt, address: string | undefined): Promise<void>
  /** Takes an attempt back that told nothing to a stranger. */
  abstract giveBack(attempt: LimitedAttempt, address: string | undefined): Promise<void>
}
