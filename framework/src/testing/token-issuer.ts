import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { Clock } from '../modularity/clock.js'

interface SigningKey {
  readonly kid: string
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  readonly publicJwk: JWK
}

/** The claims of a token; the others have defaults. */
export interface TokenOptions {
  /** User id, or client id for a client's own token. */
  readonly subject: string
  readonly clientId?: string
  readonly sessionId?: string
  readonly audience?: string
  readonly issuer?: string
  /** Seconds from now. */
  readonly expiresIn?: number
}

/**
 * An OpenID Connect issuer for tests: discovery, keys and tokens are real, only nobody signs in. Its keys can be rotated, so that tests
 * see what a host does with a key it has not met.
 */
export class TokenIssuer {
  private keys: SigningKey[] = []

  private constructor(
    private readonly server: http.Server,
    readonly address: string,
    private readonly clock: Clock,
  ) {}

  static async start(clock = new Clock()): Promise<TokenIssuer> {
    let issuer: TokenIssuer | undefined
    const server = http.createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(issuer?.answer(request.url ?? '')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    issuer = new TokenIssuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock)
    await issuer.rotate()
    return issuer
  }

  /** Signs with a new key from now on; the old ones stay published. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const kid = randomUUID()
    this.keys = [
      { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } },
      ...this.keys,
    ]
  }

  /** An access token as the auth server would give it. */
  token({
    subject,
    clientId = 'Core_App',
    sessionId,
    audience = 'Core',
    issuer,
    expiresIn = 3600,
  }: TokenOptions): Promise<string> {
    const [{ kid, privateKey }] = this.keys as [SigningKey]
    return new SignJWT({
      client_id: clientId,
      scope: 'openid Core',
      ...(sessionId && { session_id: sessionId }),
    })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
      .setSubject(subject)
      .setIssuer(issuer ?? `${this.address}/`)
      .setAudience(audience)
      .setIssuedAt(this.clock.now)
      .setJti(randomUUID())
      .setExpirationTime(Math.floor(this.clock.nowMs / 1000) + expiresIn)
      .sign(privateKey)
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private answer(url: string): object {
    if (url.startsWith('/.well-known/openid-configuration'))
      return { issuer: `${this.address}/`, jwks_uri: `${this.address}/.well-known/jwks` }
    return { keys: this.keys.map(({ publicJwk }) => publicJwk) }
  }
}
