import { Configuration } from '../modularity/configuration.js'
import { compareClocks, Diagnosis, type Finding, healthy, problem, warning } from '../modularity/diagnosis.js'
import { Injectable } from '../modularity/injectable.js'
import { AuthServer } from './token-verifier.js'

interface Discovery {
  readonly issuer?: string
  readonly jwks_uri?: string
}

/** Checks the auth server that a host takes tokens from: its address, issuer, keys and clock. */
@Injectable()
export class AuthServerDiagnosis extends Diagnosis {
  constructor(private readonly configuration: Configuration) {
    super()
  }

  async examine(): Promise<readonly Finding[]> {
    const { authority, requireHttpsMetadata } = this.configuration.read(AuthServer)
    return [this.transport(authority, requireHttpsMetadata), ...(await this.answers(authority))]
  }

  private transport(authority: string, requireHttpsMetadata: boolean): Finding {
    const subject = 'Auth server, transport'
    if (authority.startsWith('https:')) return healthy(subject, 'TLS')
    if (requireHttpsMetadata)
      return problem(
        subject,
        `${authority} has no TLS, but it is required`,
        'Set AuthServer:Authority to its https address, or AuthServer:RequireHttpsMetadata to false.',
      )
    return this.configuration.isDevelopment
      ? healthy(subject, 'without TLS, as Development may')
      : warning(subject, `${authority} has no TLS`, 'Set AuthServer:Authority to its https address.')
  }

  private async answers(authority: string): Promise<readonly Finding[]> {
    const address = `${authority.replace(/\/+$/, '')}/.well-known/openid-configuration`
    try {
      const before = Date.now()
      const response = await fetch(address, { signal: AbortSignal.timeout(5000), redirect: 'error' })
      const date = Date.parse(response.headers.get('date') ?? '')
      const discovery = (await response.json()) as Discovery
      return [
        issuer(authority, discovery),
        await keys(discovery),
        // The header counts whole seconds.
        ...(Number.isNaN(date)
          ? []
          : [compareClocks('Auth server, clock', date, before - 1000, Date.now() + 1000)]),
      ]
    } catch (error) {
      const { message, cause } = error as Error
      const reason = cause instanceof Error ? cause.message : message
      return [
        problem(
          'Auth server',
          `${address} can not be read: ${reason}`,
          'Start it, or set AuthServer:Authority.',
        ),
      ]
    }
  }
}

function issuer(authority: string, { issuer: said }: Discovery): Finding {
  const isSame = said?.replace(/\/+$/, '') === authority.replace(/\/+$/, '')
  return isSame
    ? healthy('Auth server, issuer', String(said))
    : problem(
        'Auth server, issuer',
        `calls itself ${said}, but tokens are expected from ${authority}`,
        'Set AuthServer:Authority of both hosts to the same address.',
      )
}

async function keys({ jwks_uri: address }: Discovery): Promise<Finding> {
  const subject = 'Auth server, keys'
  if (!address)
    return problem(subject, 'says nothing of its keys', 'Check that AuthServer:Authority is Keel.')
  const response = await fetch(address, { signal: AbortSignal.timeout(5000), redirect: 'error' })
  const { keys = [] } = (await response.json()) as { keys?: { kty?: string; use?: string }[] }
  const usable = keys.filter(({ kty, use }) => kty === 'RSA' && (use ?? 'sig') === 'sig')
  return usable.length
    ? healthy(subject, `${usable.length} for RS256`)
    : problem(
        subject,
        `${address} has none for RS256`,
        'Set AuthServer:SigningCertificate of the auth server.',
      )
}
