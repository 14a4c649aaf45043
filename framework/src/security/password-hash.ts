import { randomBytes, timingSafeEqual } from 'node:crypto'
import { derive } from './hashing-threads.js'

const digests = ['sha1', 'sha256', 'sha512'] as const
/** The parameters of OWASP's password storage cheat sheet for PBKDF2 with HMAC-SHA512. */
const current = { prf: 2, iterations: 210_000, saltBytes: 16, keyBytes: 32 } as const

/** The outcome of comparing a password with a stored hash. */
export type PasswordVerdict = 'wrong' | 'right' | 'right-but-rehash'

/**
 * Hashes a password in ASP.NET Core Identity's version 3 format (abp-http-contract section 11.8):
 * HMAC-SHA512, 210,000 iterations, 16 bytes of salt. About 90 ms of CPU on a thread that stands back for
 * others.
 * @param iterations fewer only for what nobody could guess anyway, a secret made at random
 */
export async function hashPassword(
  password: string,
  iterations: number = current.iterations,
): Promise<string> {
  const salt = randomBytes(current.saltBytes)
  const { keyBytes, prf } = current
  const key = await derive({ password, salt, iterations, keyBytes, digest: digests[prf] })
  return hashOf(salt, key, iterations)
}

/**
 * A hash that is of no password, because its key was drawn instead of derived: to compare with it takes as long as with the hash of somebody, and always
 * ends with `wrong`. Made in no time.
 */
export function hashOfNobody(): string {
  return hashOf(randomBytes(current.saltBytes), randomBytes(current.keyBytes), current.iterations)
}

function hashOf(salt: Buffer, key: Buffer, iterations: number): string {
  const header = Buffer.alloc(13)
  header.writeUInt8(1, 0)
  header.writeUInt32BE(current.prf, 1)
  header.writeUInt32BE(iterations, 5)
  header.writeUInt32BE(salt.length, 9)
  return Buffer.concat([header, salt, key]).toString('base64')
}

/**
 * Compares a password with a hash of ASP.NET Core Identity, version 3 or 2, in constant time.
 * `right-but-rehash` when the hash is of an older kind or weaker than today's. A text that is no such hash is
 * `wrong`.
 */
export async function verifyPassword(password: string, hash: string): Promise<PasswordVerdict> {
  const stored = parseHash(Buffer.from(hash, 'base64'))
  if (!stored) return 'wrong'
  const { salt, iterations, digest } = stored
  const key = await derive({ password, salt, iterations, keyBytes: stored.key.length, digest })
  if (!timingSafeEqual(key, stored.key)) return 'wrong'
  return stored.digest === digests[current.prf] && stored.iterations >= current.iterations
    ? 'right'
    : 'right-but-rehash'
}

/**
 * {@link verifyPassword} for hashes of people, in the time that a new hash takes: a hash of before, which has
 * fewer iterations, would tell by the delay of the answer that there is such a user.
 */
export async function verifyPasswordAtFullCost(password: string, hash: string): Promise<PasswordVerdict> {
  const verdict = await verifyPassword(password, hash)
  const missing = current.iterations - (parseHash(Buffer.from(hash, 'base64'))?.iterations ?? 0)
  const { keyBytes, prf, saltBytes } = current
  if (missing > 0)
    await derive({
      password,
      salt: Buffer.alloc(saltBytes),
      iterations: missing,
      keyBytes,
      digest: digests[prf],
    })
  return verdict
}

interface StoredHash {
  readonly digest: (typeof digests)[number]
  readonly iterations: number
  readonly salt: Buffer
  readonly key: Buffer
}

function parseHash(bytes: Buffer): StoredHash | undefined {
  if (bytes[0] === 0 && bytes.length === 49)
    return { digest: 'sha1', iterations: 1000, salt: bytes.subarray(1, 17), key: bytes.subarray(17) }
  if (bytes[0] !== 1 || bytes.length < 13) return undefined
  const digest = digests[bytes.readUInt32BE(1)]
  const iterations = bytes.readUInt32BE(5)
  const saltBytes = bytes.readUInt32BE(9)
  const key = bytes.subarray(13 + saltBytes)
  if (!digest || iterations < 1 || iterations > 10_000_000 || saltBytes < 16 || key.length < 16)
    return undefined
  return { digest, iterations, salt: bytes.subarray(13, 13 + saltBytes), key }
}
