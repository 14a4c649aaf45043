import {
  Configuration,
  Diagnosis,
  type Finding,
  fine,
  Injectable,
  problem,
  StartupError,
  warning,
} from '@keel/framework'
import { certificateEnds, readPem, signingKeysOf } from './certificate.js'
import { AuthServerSettings, issuerOf } from './settings.js'

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
      this.look('Issuer', () => fine('Issuer', issuerOf(this.configuration))),
      this.look('Signing key', () => this.signingKey()),
    ]
  }

  private signingKey(): Finding {
    const { signingCertificate, signingCertificatePassword } = this.configuration.read(AuthServerSettings)
    if (!signingCertificate)
      return this.configuration.isDevelopment
        ? fine('Signing key', 'kept in the database, as Development may')
        : problem('Signing key', 'there is none', 'Set AuthServer:SigningCertificate.')
    const pem = readPem(signingCertificate)
    signingKeysOf(pem, signingCertificatePassword)
    const ends = certificateEnds(pem)
    const days = Math.floor((ends.getTime() - Date.now()) / dayMs)
    const found = `ends on ${ends.toISOString().slice(0, 10)}`
    return days > soonDays
      ? fine('Signing key', found)
      : warning('Signing key', found, 'Add the next certificate behind it in AuthServer:SigningCertificate.')
  }

  private look(subject: string, examine: () => Finding): Finding {
    try {
      return examine()
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      return problem(
        subject,
        error.message,
        'Put AuthServer:Authority or AuthServer:SigningCertificate right.',
      )
    }
  }
}
