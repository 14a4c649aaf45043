import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { StartupError } from '@keel/framework'
import forge from 'node-forge'

/** A certificate and its private key. */
export interface KeyPair {
  readonly certificate: X509Certificate
  readonly key: KeyObject
}

/** The configuration that key pairs are read from. */
export interface KeyPairSource {
  /** The name of the setting, for messages. */
  readonly setting: string
  /** PEM, a PFX in base64, or the path of a file with one or the other. */
  readonly value: string
  readonly password?: string | undefined
}

/**
 * The certificates of a setting that have a private key beside them, in the order of the keys; the rest of a
 * chain is left out. Line ends of PEM may be written `\n`. Throws a {@link StartupError} that says what to
 * change.
 */
export function readKeyPairs(source: KeyPairSource): readonly KeyPair[] {
  const { keys, certificates } = read(source)
  if (keys.length === 0)
    throw new StartupError(`${source.setting} has no private key: append it to the certificate's PEM`)
  return keys.map((key, index) => {
    const certificate = certificates.find((candidate) => candidate.checkPrivateKey(key))
    if (certificate) return { certificate, key }
    throw new StartupError(`${source.setting} has no certificate for its private key number ${index + 1}`)
  })
}

interface Content {
  readonly keys: readonly KeyObject[]
  readonly certificates: readonly X509Certificate[]
}

function read(source: KeyPairSource): Content {
  const { value } = source
  if (value.includes('-----BEGIN')) return fromPem(value.replaceAll('\\n', '\n'), source)
  const bytes = value.length < 4096 && existsSync(value) ? readFileSync(value) : fromBase64(source)
  const isPem = bytes.includes('-----BEGIN')
  return isPem ? fromPem(bytes.toString('utf8'), source) : fromPfx(bytes, source)
}

/** A PFX is a DER sequence, whose base64 begins with `MI`: nothing else is taken for one. */
function fromBase64({ setting, value }: KeyPairSource): Buffer {
  if (/^MI[\w+/\s]{100,}={0,2}\s*$/.test(value)) return Buffer.from(value, 'base64')
  // A long text may be a key that was pasted wrongly: it must not end up in a log.
  const shown = value.length < 260 ? `: ${value}` : ''
  throw new StartupError(`${setting} is neither PEM, nor PFX in base64, nor the path of a file${shown}`)
}

function fromPem(pem: string, source: KeyPairSource): Content {
  const blocks = (label: string): string[] =>
    pem.match(new RegExp(`-----BEGIN ${label}-----[\\s\\S]+?-----END ${label}-----`, 'g')) ?? []
  const { password: passphrase } = source
  return {
    keys: blocks('(?:RSA |EC |ENCRYPTED )?PRIVATE KEY').map((key) =>
      orUnreadable(source, () =>
        createPrivateKey({ key, format: 'pem', ...(passphrase !== undefined && { passphrase }) }),
      ),
    ),
    certificates: blocks('CERTIFICATE').map((block) => new X509Certificate(block)),
  }
}

function fromPfx(bytes: Buffer, source: KeyPairSource): Content {
  return orUnreadable(source, () => {
    const der = forge.asn1.fromDer(forge.util.createBuffer(bytes.toString('latin1')))
    const { safeContents } = forge.pkcs12.pkcs12FromAsn1(der, source.password ?? '')
    const bags = safeContents.flatMap(({ safeBags }) => safeBags)
    const { certBag = '', keyBag = '', pkcs8ShroudedKeyBag = '' } = forge.pki.oids
    return {
      keys: bags.filter(({ type }) => type === keyBag || type === pkcs8ShroudedKeyBag).map(keyOf),
      certificates: bags.filter(({ type }) => type === certBag).map(certificateOf),
    }
  })
}

/** node-forge knows RSA; of other keys it hands out what it read. */
function keyOf({ key, asn1 }: forge.pkcs12.Bag): KeyObject {
  const content = key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key)) : asn1
  return createPrivateKey({ key: derOf(content), format: 'der', type: 'pkcs8' })
}

function certificateOf({ cert, asn1 }: forge.pkcs12.Bag): X509Certificate {
  return new X509Certificate(derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1))
}

function derOf(content: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(content).getBytes(), 'latin1')
}

function orUnreadable<T>({ setting }: KeyPairSource, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const text = `The private key of ${setting} can't be read. Is ${setting}Password right? That of a PFX must be ASCII.`
    throw new StartupError(text, { cause })
  }
}
