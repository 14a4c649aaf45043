import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The purpose of a token: it counts for no other. */
export type TokenPurpose =
  | 'PasswordReset'
  | 'EmailConfirmation'
  | 'TwoFactorSignIn'
  | 'ConfirmUser'
  | 'PasswordRenewal'
  | 'RememberedBrowser'
  | 'LinkUser'
  | 'LinkUserLogin'

/** The user that a token is for, and the state that must be the same when it comes back. */
export interface TokenSubject {
  readonly userId: string
  /** Changes with the credentials: every token made before is void then. */
  readonly securityStamp: string
  /** Further state that the token depends on: when it changes, the token is void. */
  readonly state?: string
}

const expiryBytes = 6
const nonceBytes = 10
const headBytes = expiryBytes + nonceBytes
const macBytes = 32

/**
 * A token that only the holder of the key can make, for one purpose and one user, until `expires` (whole
 * seconds). It says nothing but when it ends, and no two are alike: 48 bytes as URL-safe text.
 */
export function sealToken(key: Buffer, purpose: TokenPurpose, subject: TokenSubject, expires: Date): string {
  const head = Buffer.alloc(headBytes)
  head.writeUIntBE(Math.floor(expires.getTime() / 1000), 0, expiryBytes)
  randomBytes(nonceBytes).copy(head, expiryBytes)
  return Buffer.concat([head, macOf(key, purpose, subject, head)]).toString('base64url')
}

/** True for a token of this key, purpose and subject that has not ended. Compared in constant time. */
export function isTokenFor(
  token: string,
  key: Buffer,
  purpose: TokenPurpose,
  subject: TokenSubject,
  now: Date,
): boolean {
  const bytes = Buffer.from(token, 'base64url')
  // Node skips what is no base64: only the one way to write a token counts.
  if (bytes.length !== headBytes + macBytes || bytes.toString('base64url') !== token) return false
  const head = bytes.subarray(0, headBytes)
  const isGenuine = timingSafeEqual(bytes.subarray(headBytes), macOf(key, purpose, subject, head))
  return isGenuine && now.getTime() < head.readUIntBE(0, expiryBytes) * 1000
}

function macOf(
  key: Buffer,
  purpose: TokenPurpose,
  { userId, securityStamp, state = '' }: TokenSubject,
  head: Buffer,
): Buffer {
  // A list in JSON: no two different subjects give one text.
  const sealed = JSON.stringify([purpose, userId.toLowerCase(), securityStamp, state, head.toString('hex')])
  return createHmac('sha256', key).update(sealed).digest()
}
