import type { NewUserPasskey, UserPasskey } from '@keel/identity/contracts'

/** Longest name of a passkey. */
export const passkeyNameLength = 64

/**
 * Extension point: the passkeys of the caller, and whether passkeys count at all. The auth server, which
 * checks what browsers sign, asks it. The account module provides it, in this process only.
 */
export abstract class Passkeys {
  /**
   * True when passkeys are offered and sign people in: `Abp.Account.Passkey.Enabled`, and not without
   * `Abp.Account.EnableLocalLogin`.
   */
  abstract areOn(): Promise<boolean>
  /**
   * True for callers who may have passkeys. External users may not: only the server that keeps their password
   * signs them in.
   */
  abstract areForCaller(): Promise<boolean>
  /** Those of the caller, the oldest first. */
  abstract list(): Promise<UserPasskey[]>
  /**
   * Throws unless the caller may add a passkey now: `AccountErrors.ReauthenticationRequired` without a proof
   * of the last minutes, `.TooManyPasskeys`, `ForbiddenError` where passkeys are off, and for external users.
   */
  abstract demandRoom(): Promise<void>
  /**
   * Adds a passkey whose proof was checked, under the rules of {@link demandRoom};
   * `AccountErrors.PasskeyExists`. The user is told by mail.
   */
  abstract add(passkey: NewUserPasskey): Promise<void>
  /** `EntityNotFoundError` for a passkey that the caller does not have. */
  abstract rename(credentialId: string, name: string): Promise<void>
  /**
   * Removes a passkey, also where passkeys are off. `AccountErrors.ReauthenticationRequired` without a proof
   * of the last minutes, else refused as by `UserPasskeys.remove`. The user is told by mail.
   */
  abstract remove(credentialId: string): Promise<void>
  /**
   * Uses a challenge up: true the first time that it is asked about, over all processes. It is remembered for
   * the given seconds.
   */
  abstract takeChallenge(challenge: string, seconds: number): Promise<boolean>
}
