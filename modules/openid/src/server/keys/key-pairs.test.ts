import { generateKeyPairSync } from 'node:crypto'
import { Configuration } from '@keel/framework'
import forge from 'node-forge'
import { expect, test } from 'vitest'
import { certificateFor, signingKeysOf } from './certificate.js'

const password = 'pass phrase'

interface Made {
  readonly certificate: forge.pki.Certificate
  readonly key: forge.pki.rsa.PrivateKey
  readonly pem: string
}

/** A certificate that signs itself, valid for so many days from today on. */
function make(name: string, days = 365, bits = 2048): Made {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const key = forge.pki.privateKeyFromPem(privateKey) as forge.pki.rsa.PrivateKey
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = '01'
  const day = 86_400_000
  certificate.validity.notBefore = new Date(Date.now() - 400 * day)
  certificate.validity.notAfter = new Date(Date.now() + days * day)
  certificate.setSubject([{ name: 'commonName', value: name }])
  certificate.setIssuer([{ name: 'commonName', value: name }])
  certificate.sign(key, forge.md.sha256.create())
  return { certificate, key, pem: forge.pki.certificateToPem(certificate) + privateKey }
}

const current = make('current')
const next = make('next')
const ended = make('ended', -1)

/** A PFX in base64. */
function pfx(
  { key, certificate }: Made,
  algorithm: '3des' | 'aes256' = 'aes256',
  others: Made[] = [],
): string {
  const chain = [certificate, ...others.map((other) => other.certificate)]
  const asn1 = forge.pkcs12.toPkcs12Asn1(key, chain, password, { algorithm })
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1').toString('base64')
}

const configured = (settings: Record<string, unknown>, environment = 'Production') =>
  new Configuration(environment).add({ AuthServer: settings }, 'test')
const kidsOf = (settings: Record<string, unknown>) =>
  signingKeysOf(configured(settings))?.map(({ kid }) => kid)
const kidOf = ({ certificate }: Made): string =>
  forge.md.sha1
    .create()
    .update(forge.asn1.toDer(forge.pki.certificateToAsn1(certificate)).getBytes())
    .digest()
    .toHex()
    .toUpperCase()

const encryptedPem =
  forge.pki.certificateToPem(current.certificate) +
  forge.pki.encryptRsaPrivateKey(current.key, password, { algorithm: 'aes256' })

test.each([
  ['PEM', { SigningCertificate: current.pem }],
  ['PEM on one line', { SigningCertificate: current.pem.replaceAll('\n', '\\n') }],
  ['PEM with a password', { SigningCertificate: encryptedPem, SigningCertificatePassword: password }],
  ['PFX', { SigningCertificate: pfx(current), SigningCertificatePassword: password }],
  ['PFX of the old kind', { SigningCertificate: pfx(current, '3des'), SigningCertificatePassword: password }],
  [
    'PFX with a chain',
    { SigningCertificate: pfx(current, 'aes256', [next]), SigningCertificatePassword: password },
  ],
])('%s gives the key, named as .NET names it, with its certificate', (_what, settings) => {
  const keys = signingKeysOf(configured(settings)) ?? []
  expect(keys.map(({ kid, kty, alg, use }) => ({ kid, kty, alg, use }))).toEqual([
    { kid: kidOf(current), kty: 'RSA', alg: 'RS256', use: 'sig' },
  ])
  expect(keys[0]?.x5c).toHaveLength(1)
  expect(keys[0]).toHaveProperty('d')
})

test('other certificates are published behind the one that signs, each once, also when they have ended', () => {
  const PublishedCertificates = [next, ended, current].map(({ pem }) => ({ Certificate: pem }))
  expect(kidsOf({ SigningCertificate: current.pem, PublishedCertificates })).toEqual(
    [current, next, ended].map(kidOf),
  )
  expect(kidsOf({ SigningCertificate: current.pem + next.pem })).toEqual([current, next].map(kidOf))
})

test('an encryption certificate of its own is read too', () => {
  const settings = { EncryptionCertificate: pfx(next), EncryptionCertificatePassword: password }
  expect(certificateFor('encryption', configured(settings))?.certificate.subject).toBe('CN=next')
})

test.each<[string, Record<string, unknown>, RegExp]>([
  ['has ended', { SigningCertificate: ended.pem }, /AuthServer:SigningCertificate ended on/],
  [
    'has the wrong password',
    { SigningCertificate: pfx(current), SigningCertificatePassword: 'wrong' },
    /SigningCertificatePassword right\?/,
  ],
  ['has no password', { SigningCertificate: pfx(current) }, /SigningCertificatePassword right\?/],
  ['is no certificate', { SigningCertificate: 'secret'.repeat(100) }, /neither PEM, nor PFX in base64, nor/],
  [
    'is a file that is not there',
    { SigningCertificate: '/nowhere/a.pfx' },
    /path of a file: \/nowhere\/a.pfx/,
  ],
  ['is too weak', { SigningCertificate: make('weak', 365, 1024).pem }, /RSA with at least 2048 bits/],
  [
    'has no key',
    { SigningCertificate: forge.pki.certificateToPem(current.certificate) },
    /has no private key/,
  ],
  [
    'has another’s key',
    {
      SigningCertificate:
        forge.pki.certificateToPem(current.certificate) + forge.pki.privateKeyToPem(next.key),
    },
    /no certificate for its private key number 1/,
  ],
  [
    'is published without a key',
    {
      SigningCertificate: current.pem,
      PublishedCertificates: [{ Certificate: forge.pki.certificateToPem(next.certificate) }],
    },
    /AuthServer:PublishedCertificates:0:Certificate has no private key/,
  ],
])(
  'a signing certificate that %s stops the start, and what was pasted is not told',
  (_what, settings, text) => {
    expect(() => signingKeysOf(configured(settings))).toThrow(text)
    expect(() => signingKeysOf(configured(settings))).not.toThrow(/secretsecret/)
  },
)

test('an encryption certificate that has ended stops the start', () => {
  const settings = configured({ EncryptionCertificate: ended.pem })
  expect(() => certificateFor('encryption', settings)).toThrow('AuthServer:EncryptionCertificate ended on')
})
