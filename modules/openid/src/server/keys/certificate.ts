import type { X509Certificate } from 'node:crypto'
import { type Configuration, StartupError } from '@keel/framework'
import type { JWK } from 'oidc-provider'
import { AuthServerSettings } from '../requests/settings.js'
import { type KeyPair, type KeyPairSource, readKeyPairs } from './key-pairs.js'

/** The use of a certificate of the settings; the setting's name begins with it. */
export type CertificateUse = 'signing' | 'encryption'

/**
 * The certificate and key that a use is served with. Undefined when the setting is empty. Throws a {@link
 * StartupError} unless it is valid now.
 */
export function certificateFor(
  use: CertificateUse,
  configuration: Configuration,
  now = new Date(),
): KeyPair | undefined {
  const [first] = pairsFor(use, configuration)
  if (first) checkValidity(first.certificate, settingOf(use), now)
  return first
}

/**
 * The signing keys of the settings, the one that signs first; undefined when there is none. The first key
 * must be valid now. The others of the certificate's file, and those of `AuthServer:PublishedCertificates`,
 * are only published, so that a certificate is replaced without anybody noticing: add the new one behind,
 * swap, drop the old one. Throws a {@link StartupError} that says what to change.
 */
export function signingKeysOf(configuration: Configuration, now = new Date()): JWK[] | undefined {
  if (!certificateFor('signing', configuration, now)) return undefined
  const { publishedCertificates } = configuration.read(AuthServerSettings)
  const published = publishedCertificates.flatMap(({ certificate: value, password }, index) =>
    keyPairs({ setting: `AuthServer:PublishedCertificates:${index}:Certificate`, value, password }),
  )
  const keys = new Map<string, JWK>()
  for (const pair of [...pairsFor('signing', configuration), ...published]) {
    const jwk = toJwk(pair)
    // The same one may stand in both places while it is moved.
    if (!keys.has(jwk.kid as string)) keys.set(jwk.kid as string, jwk)
  }
  return [...keys.values()]
}

/** The name of a use's setting. */
export function settingOf(use: CertificateUse): string {
  return use === 'signing' ? 'AuthServer:SigningCertificate' : 'AuthServer:EncryptionCertificate'
}

function pairsFor(use: CertificateUse, configuration: Configuration): readonly KeyPair[] {
  const settings = configuration.read(AuthServerSettings)
  const value = settings[`${use}Certificate`]
  const source = { setting: settingOf(use), value, password: settings[`${use}CertificatePassword`] }
  if (value === undefined) return []
  return keyPairs(source as KeyPairSource)
}

function keyPairs(source: KeyPairSource): readonly KeyPair[] {
  return readKeyPairs(source).map((pair) => checkedKey(pair, source.setting))
}

function checkedKey(pair: KeyPair, setting: string): KeyPair {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = pair.key
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) return pair
  throw new StartupError(`The private key of ${setting} must be RSA with at least 2048 bits`)
}

function checkValidity({ validFrom, validTo }: X509Certificate, setting: string, now: Date): void {
  if (new Date(validTo) <= now) throw new StartupError(`${setting} ended on ${validTo}. Replace it.`)
  if (new Date(validFrom) > now) throw new StartupError(`${setting} is valid only from ${validFrom} on`)
}

/** With the key id .NET gives: the SHA-1 thumbprint. */
function toJwk({ key, certificate }: KeyPair): JWK {
  const thumbprint = certificate.fingerprint.replaceAll(':', '')
  return {
    ...(key.export({ format: 'jwk' }) as JWK),
    alg: 'RS256',
    use: 'sig',
    kid: thumbprint,
    x5c: [certificate.raw.toString('base64')],
  }
}
