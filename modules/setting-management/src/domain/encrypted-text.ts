import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'

/** A key made of a pass phrase, and the name that texts encrypted with it carry. */
export interface EncryptionKey {
  readonly id: string
  readonly bytes: Buffer
}

const algorithm = 'aes-256-gcm'
const marker = 'gcm1'
const nonceBytes = 12
const tagBytes = 16

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
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key.bytes, nonce).setAAD(Buffer.from(place))
  const hidden = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${marker}.${key.id}.${hidden.toString('base64url')}`
}

/** The text again; undefined when none of the keys made it, when it was changed, or when it is of another place. */
export function decrypt(
  encrypted: string,
  keys: readonly EncryptionKey[],
  place: string,
): string | undefined {
  const [begin, keyId, body = ''] = encrypted.split('.')
  const key = keys.find(({ id }) => id === keyId)
  const hidden = Buffer.from(body, 'base64url')
  if (begin !== marker || !key || hidden.length < nonceBytes + tagBytes) return undefined
  const nonce = hidden.subarray(0, nonceBytes)
  const tag = hidden.subarray(-tagBytes)
  const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(tag)
  try {
    const text = decipher.update(hidden.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
