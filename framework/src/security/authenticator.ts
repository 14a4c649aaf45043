import type { IncomingMessage, ServerResponse } from 'node:http'
import { Passport } from 'passport'
import { Strategy } from 'passport-http-bearer'
import { Caches } from '../caching/caches.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { anonymous, type Principal } from '../modularity/principal.js'
import { ApiKeyAuthenticator } from './api-key-authenticator.js'
import { ApiKeySource } from './api-keys.js'
import { Principals, type TokenClaims } from './principals.js'
import { RateLimits } from './rate-limits.js'
import { GrantSource, RevokedTokens, SessionSource } from './stored-user.js'
import { TokenVerifier } from './token-verifier.js'

/** The principal of a request, and the reason why a credential was refused. */
export interface Authentication {
  readonly principal: Principal
  /** For `WWW-Authenticate`; undefined when nothing was refused. */
  readonly challenge?: string
  /** The API key that came with it, right or wrong. */
  readonly apiKey?: string
}

const nobody: Authentication = { principal: anonymous }
const refused: Authentication = { principal: anonymous, challenge: 'Bearer error="invalid_token"' }

/**
 * Finds out who sends a request: an API key, where a module knows some, else the bearer of a token. A token
 * is verified through passport the first time it is seen; after that this costs two look-ups. A credential
 * that is refused leaves the request anonymous: operations that allow that still answer. Who sends a key is
 * its owner or nobody: a token beside it is not looked at, whether the key is right or wrong.
 */
@Injectable()
export class Authenticator {
  private readonly apiKeys: ApiKeyAuthenticator | undefined
  private readonly revoked: RevokedTokens | undefined
  private readonly sessions: SessionSource | undefined
  private readonly passport = new Passport() as unknown as import('passport').PassportStatic

  constructor(
    private readonly tokens: TokenVerifier,
    private readonly principals: Principals,
    application: Application,
  ) {
    this.apiKeys = apiKeysOf(application, principals)
    this.revoked = application.find(RevokedTokens)
    this.sessions = application.find(SessionSource)
    this.passport.use(
      new Strategy(
        (token, done) => void tokens.verify(token).then((claims) => done(null, claims ?? false), done),
      ),
    )
  }

  authenticate(request: IncomingMessage, response: ServerResponse): Authentication | Promise<Authentication> {
    const apiKey = this.apiKeys?.presentedBy(request)
    if (this.apiKeys && apiKey !== undefined)
      return asKeyAuthentication(this.apiKeys.authenticate(apiKey, addressOf(request)), apiKey)
    const header = request.headers.authorization
    if (header === undefined) return nobody
    const known = header.startsWith('Bearer ') ? this.tokens.known(header.slice(7)) : undefined
    return known ? this.ofClaims(known) : this.verify(request, response)
  }

  /**
   * The principal of a token that was verified before, with the rights of now: anonymous when the token was revoked or its session has ended. It is no
   * use of the session. Says nothing of the end of the token itself.
   */
  principalNow(claims: TokenClaims): Principal | Promise<Principal> {
    const isRevoked = claims.jti === undefined ? false : (this.revoked?.isRevoked(claims.jti) ?? false)
    if (isRevoked instanceof Promise)
      return isRevoked.then((late) => (late ? anonymous : this.principals.of(claims)))
    return isRevoked ? anonymous : this.principals.of(claims)
  }

  private verify(request: IncomingMessage, response: ServerResponse): Promise<Authentication> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, claims: TokenClaims | false | null | undefined): void => {
        if (error) reject(error)
        else if (claims) Promise.resolve(this.ofClaims(claims)).then(resolve, reject)
        else resolve(refused)
      }
      this.passport.authenticate('bearer', { session: false }, done)(request, response, reject)
    })
  }

  private ofClaims(claims: TokenClaims): Authentication | Promise<Authentication> {
    const isRevoked = claims.jti === undefined ? false : this.revoked?.isRevoked(claims.jti)
    if (!isRevoked) return this.bearing(claims)
    return isRevoked === true ? refused : isRevoked.then((late) => (late ? refused : this.bearing(claims)))
  }

  private bearing(claims: TokenClaims): Authentication | Promise<Authentication> {
    const principal = this.principals.of(claims)
    return principal instanceof Promise
      ? principal.then((late) => this.using(late, claims))
      : this.using(principal, claims)
  }

  /** The request is a use of the session, and of the one that an impersonator acts from. */
  private using(
    principal: Principal,
    { session_id: id, impersonator_session_id: origin }: TokenClaims,
  ): Authentication | Promise<Authentication> {
    if (principal.kind !== 'user' || id === undefined || !this.sessions) return asAuthentication(principal)
    const goesOn = this.sessions.use(id)
    const originGoesOn = origin ? this.sessions.use(origin) : true
    if (goesOn === true && originGoesOn === true) return { principal }
    return Promise.all([goesOn, originGoesOn]).then((all) => (all.every(Boolean) ? { principal } : refused))
  }
}

function apiKeysOf(application: Application, principals: Principals): ApiKeyAuthenticator | undefined {
  const { configuration, logger } = application
  const source = application.find(ApiKeySource)
  if (!source) return undefined
  return new ApiKeyAuthenticator({
    source,
    principals,
    grants: application.get(GrantSource),
    caches: application.get(Caches),
    logger,
    clock: application.clock,
    isDevelopment: configuration.isDevelopment,
    mostRefusedPerMinute: configuration.read(RateLimits).anonymousPermitsPerMinute,
  })
}

/** Where a request comes from, as far as the proxies that are trusted tell. */
function addressOf(request: IncomingMessage): string {
  // The request is that of Express, which knows how many proxies to believe.
  return (request as IncomingMessage & { ip?: string }).ip ?? request.socket.remoteAddress ?? ''
}

function asKeyAuthentication(
  found: Principal | Promise<Principal>,
  apiKey: string,
): Authentication | Promise<Authentication> {
  if (found instanceof Promise) return found.then((principal) => asKeyAuthentication(principal, apiKey))
  return found.kind === 'anonymous'
    ? { principal: found, challenge: 'ApiKey error="invalid_key"', apiKey }
    : { principal: found, apiKey }
}

function asAuthentication(principal: Principal): Authentication {
  return principal.kind === 'anonymous' ? refused : { principal }
}
