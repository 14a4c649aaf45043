import { createHash, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30
/** Clocks may run half a minute apart. */
const window = 1

/** A new key for an authenticator application: 160 random bits in base32, as in ASP.NET Core Identity. */
export function newAuthenticatorKey(): string {
  return new Secret({ size: 20 }).base32
}

/** The address in the QR code that authenticator applications read. */
export function authenticatorUri(key: string, issuer: string, account: string): string {
  return totp(key, issuer, account).toString()
}

/**
 * The time step (RFC 6238) that a six-digit code is of, if it is one of the key's codes now; undefined for
 * every other text. A step at or before `lastStep` counts no more: each code works once.
 */
export function stepOfCode(key: string, code: string, now: Date, lastStep = -1): number | undefined {
  const digits = code.replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = totp(key).validate({ token: digits, timestamp: now.getTime(), window })
  if (delta === null) return undefined
  const step = Math.floor(now.getTime() / 1000 / periodSeconds) + delta
  return step > lastStep ? step : undefined
}

function totp(key: string, issuer = '', label = 'account'): TOTP {
  return new TOTP({ secret: Secret.fromBase32(key), issuer, label, digits: 6, period: periodSeconds })
}

// Without letters that look like digits or like each other.
const recoveryAlphabet = '23456789BCDFGHJKMNPQRTVWXY'

/** Ten codes that each stand in for an authenticator once, such as `B7KQM-2XTWD`: 47 bits each. */
export function newRecoveryCodes(): string[] {
  const letters = (count: number) =>
    Array.from({ length: count }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join('')
  return Array.from({ length: 10 }, () => `${letters(5)}-${letters(5)}`)
}

/** A recovery code as it is hashed: what people add or leave out does not matter. */
export function plainRecoveryCode(code: string): string {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/** The form of recovery codes from before they were hashed like passwords. They still count. */
export function earlierRecoveryCodeHash(code: string): string {
  return createHash('sha256').update(plainRecoveryCode(code)).digest('base64url')
}

/** Six random digits for an e-mail or a text message. */
export function newSixDigitCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}
