import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Hides content from everybody without the key: AES-256-GCM with a nonce of its own; nonce, content and tag.
 * @param key 32 bytes
 * @param place what the content belongs to: put anywhere else it can't be opened
 */
export function seal(content: string | Uint8Array, key: Buffer, place: string | Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(Buffer.from(content)), cipher.final(), cipher.getAuthTag()])
}

/**
 * Opens the result of {@link seal}. Undefined when another key sealed it, when it was changed, or when it
 * belongs to another place.
 */
export function unseal(sealed: Uint8Array, key: Buffer, place: string | Uint8Array): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}
