import { createHash, scryptSync } from 'node:crypto'
import { seal, unseal } from '@keel/framework/security'

/** A key made of a pass phrase, and the name that texts encrypted with it carry. */
export interface EncryptionKey {
  readonly id: string
  readonly bytes: Buffer
}

const marker = 'gcm1'

/** The key of a pass phrase: the same in every process. It takes some 50 ms to make, so that phrases are hard to guess. */
export function keyOf(passPhrase: string): EncryptionKey {
  const bytes = scryptSync(passPhrase, 'Keel.StringEncryption', 32)
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes }
}

/**
 * A text as `gcm1.<key>.<nonce, text and tag in base64url>`: AES-256-GCM with a nonce of its own. `place` says what it is the value of: put
 * anywhere else it can't be read.
 */
export function encrypt(text: string, key: EncryptionKey, place: string): string {
  return `${marker}.${key.id}.${seal(text, key.bytes, place).toString('base64url')}`
}

/** The text again; undefined when none of the keys made it, when it was changed, or when it is of another place. */
export function decrypt(
  encrypted: string,
  keys: readonly EncryptionKey[],
  place: string,
): string | undefined {
  const [begin, keyId, body = ''] = encrypted.split('.')
  const key = keys.find(({ id }) => id === keyId)
  if (begin !== marker || !key) return undefined
  return unseal(Buffer.from(body, 'base64url'), key.bytes, place)?.toString('utf8')
}
