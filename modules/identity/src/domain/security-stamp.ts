import { randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * A new value of `SecurityStamp`, which changes with the credentials: 160 random bits as 32 base32 letters,
 * as ASP.NET Core Identity makes them.
 */
export function newSecurityStamp(): string {
  // One byte a letter: 256 is a multiple of 32, so every letter is equally likely.
  return Array.from(randomBytes(32), (byte) => alphabet[byte % 32]).join('')
}
