import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { StartupError } from '@keel/framework'
import type { JWK } from 'oidc-provider'

const setting = 'AuthServer:SigningCertificate'

/** The text of a PEM setting: the value itself when it is PEM (line ends may be written `\n`), else the file it names. */
export function readPem(value: string): string {
  if (value.includes('-----BEGIN')) return value.replaceAll('\\n', '\n')
  if (!existsSync(value)) {
    // What is long may be a key that was pasted wrongly: it must not end up in a log.
    const shown = value.length < 260 ? `: ${value}` : ''
    throw new StartupError(`${setting} is neither PEM nor the path of a file${shown}`)
  }
  return readFileSync(value, 'utf8')
}

/**
 * The signing keys of a PEM text with certificates and their private keys. The first key signs and must be valid now; the others are
 * only published, so that a certificate is replaced without anybody noticing: add the new one behind, swap, drop the old one.
 * Throws a {@link StartupError} that says what to change.
 */
export function signingKeysOf(pem: string, password?: string, now = new Date()): JWK[] {
  const certificates = blocksOf(pem, 'CERTIFICATE').map((block) => new X509Certificate(block))
  const keys = blocksOf(pem, '(?:RSA |EC |ENCRYPTED )?PRIVATE KEY').map((block) =>
    privateKeyOf(block, password),
  )
  if (keys.length === 0)
    throw new StartupError(`${setting} has no private key: append it to the certificate's PEM`)
  return keys.map((key, index) => {
    const certificate = certificates.find((candidate) => candidate.checkPrivateKey(key))
    if (!certificate)
      throw new StartupError(`${setting} has no certificate for its private key number ${index + 1}`)
    if (index === 0) checkValidity(certificate, now)
    return toJwk(key, certificate)
  })
}

/** When the first certificate of a PEM text ends. */
export function certificateEnds(pem: string): Date {
  return new Date(new X509Certificate(blocksOf(pem, 'CERTIFICATE')[0] ?? '').validTo)
}

function blocksOf(pem: string, label: string): string[] {
  return pem.match(new RegExp(`-----BEGIN ${label}-----[\\s\\S]+?-----END ${label}-----`, 'g')) ?? []
}

function privateKeyOf(block: string, password: string | undefined): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey({
      key: block,
      format: 'pem',
      ...(password !== undefined && { passphrase: password }),
    })
  } catch (cause) {
    throw new StartupError(`The private key of ${setting} can't be read. Is ${setting}Password right?`, {
      cause,
    })
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < 2048)
    throw new StartupError(`The private key of ${setting} must be RSA with at least 2048 bits`)
  return key
}

function checkValidity({ validFrom, validTo }: X509Certificate, now: Date): void {
  if (new Date(validTo) <= now) throw new StartupError(`${setting} ended on ${validTo}. Replace it.`)
  if (new Date(validFrom) > now) throw new StartupError(`${setting} is valid only from ${validFrom} on`)
}

/** With the key id .NET gives: the SHA-1 thumbprint. */
function toJwk(key: KeyObject, certificate: X509Certificate): JWK {
  const thumbprint = certificate.fingerprint.replaceAll(':', '')
  return {
    ...(key.export({ format: 'jwk' }) as JWK),
    alg: 'RS256',
    use: 'sig',
    kid: thumbprint,
    x5c: [certificate.raw.toString('base64')],
  }
}
