import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyMark, apiKeyPrefixLength } from '../modularity/api-key-mark.js'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 bits. */
const secretLength = 32
/** Enough for 32 bits. */
const checksumLength = 6
const letters = `[0-9A-Za-z]`
const wellFormed = new RegExp(
  `^${apiKeyMark}${letters}{${apiKeyPrefixLength - apiKeyMark.length + secretLength + checksumLength}}$`,
)

/** A key in its two parts. */
export interface ApiKeyParts {
  /** The part that the key is found by; no secret. */
  readonly prefix: string
  /** The secret part: what a full key has behind its prefix. */
  readonly rawKey: string
}

/**
 * A new key: prefix and raw key, made at random, e.g. `keel_3fK9aQ2LmXz` and 38 characters more. The last six
 * are a checksum.
 * @param prefix of a key that gets a new secret; a new one when not given
 */
export function newApiKey(prefix = newPrefix()): ApiKeyParts {
  const secret = randomText(secretLength)
  return { prefix, rawKey: secret + checksumOf(prefix + secret) }
}

/** The parts of a key; undefined for mistyped, cut or invented texts. Costs about a microsecond. */
export function splitApiKey(fullKey: string): ApiKeyParts | undefined {
  if (!wellFormed.test(fullKey)) return undefined
  const checked = fullKey.length - checksumLength
  if (checksumOf(fullKey.slice(0, checked)) !== fullKey.slice(checked)) return undefined
  return { prefix: fullKey.slice(0, apiKeyPrefixLength), rawKey: fullKey.slice(apiKeyPrefixLength) }
}

function newPrefix(): string {
  return apiKeyMark + randomText(apiKeyPrefixLength - apiKeyMark.length)
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** CRC-32 in base 62: it finds every typo, and lets one made-up text in four thousand million pass. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < checksumLength; index++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
