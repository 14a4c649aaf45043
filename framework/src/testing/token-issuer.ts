import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { Clock } from '../modularity/clock.js'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyPair['privateKey']
  readonly publicJwk: JWK
}

/**
 * The first key pair of every issuer of this process, under another id at each: a new pair takes a tenth of a second of the
 * processor.
 */
let firstPair: Promise<KeyPair> | undefined

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
    firstPair ??= generateKeyPair('RS256')
    await issuer.signWith(await firstPair)
    return issuer
  }

  /** Signs with a new key from now on; the old ones stay published. */
  async rotate(): Promise<void> {
    await this.signWith(await generateKeyPair('RS256'))
  }

  private async signWith({ privateKey, publicKey }: KeyPair): Promise<void> {
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
