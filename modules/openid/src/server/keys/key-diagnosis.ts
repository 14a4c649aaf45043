import {
  Configuration,
  Diagnosis,
  type Finding,
  healthy,
  Injectable,
  problem,
  StartupError,
  warning,
} from '@keel/framework'
import { issuerOf } from '../requests/settings.js'
import { type CertificateUse, certificateFor, settingOf, signingKeysOf } from './certificate.js'

const dayMs = 86_400_000
/** A certificate is replaced in good time: every API host has to fetch the next key before it signs. */
const soonDays = 30

/** Looks at the issuer and at the certificate that tokens are signed with. */
@Injectable()
export class KeyDiagnosis extends Diagnosis {
  constructor(private readonly configuration: Configuration) {
    super()
  }

  async examine(): Promise<readonly Finding[]> {
    return [
      this.look('Issuer', () => healthy('Issuer', issuerOf(this.configuration))),
      this.look('Signing key', () => this.signingKey()),
      this.look('Encryption key', () => this.encryptionKey()),
    ]
  }

  private signingKey(): Finding {
    const found = this.certificate('Signing key', 'signing')
    if (found) {
      signingKeysOf(this.configuration)
      return found
    }
    return this.configuration.isDevelopment
      ? healthy('Signing key', 'kept in the database, as Development may')
      : problem('Signing key', 'there is none', 'Set AuthServer:SigningCertificate.')
  }

  private encryptionKey(): Finding {
    const found = this.certificate('Encryption key', 'encryption')
    return found ?? healthy('Encryption key', 'that of the signing certificate')
  }

  private certificate(subject: string, use: CertificateUse): Finding | undefined {
    const pair = certificateFor(use, this.configuration)
    if (!pair) return undefined
    const ends = new Date(pair.certificate.validTo)
    const days = Math.floor((ends.getTime() - Date.now()) / dayMs)
    const found = `ends on ${ends.toISOString().slice(0, 10)}`
    if (days > soonDays) return healthy(subject, found)
    const cure =
      use === 'signing'
        ? 'Add the next certificate to AuthServer:PublishedCertificates.'
        : `Replace ${settingOf(use)}.`
    return warning(subject, found, cure)
  }

  private look(subject: string, examine: () => Finding): Finding {
    try {
      return examine()
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      return problem(
        subject,
        error.message,
        'Put AuthServer:Authority or the certificates of AuthServer right.',
      )
    }
  }
}
