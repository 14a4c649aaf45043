import type { IncomingMessage, ServerResponse } from 'node:http'
import { Passport } from 'passport'
import { Strategy } from 'passport-http-bearer'
import { Injectable } from '../modularity/module.js'
import { anonymous, type Principal } from '../modularity/principal.js'
import { Principals, type TokenClaims } from './principals.js'
import { TokenVerifier } from './token-verifier.js'

/** Who sends a request, and why a credential that came with it was refused. */
export interface Authentication {
  readonly principal: Principal
  /** For `WWW-Authenticate`; undefined when nothing was refused. */
  readonly challenge?: string
}

const nobody: Authentication = { principal: anonymous }
const refused: Authentication = { principal: anonymous, challenge: 'Bearer error="invalid_token"' }

/**
 * Finds out who sends a request. A bearer token is verified through passport the first time it is seen; after that this costs two look-ups.
 * A credential that is refused leaves the request anonymous: operations that allow that still answer.
 */
@Injectable()
export class Authenticator {
  private readonly passport = new Passport() as unknown as import('passport').PassportStatic

  constructor(
    private readonly tokens: TokenVerifier,
    private readonly principals: Principals,
  ) {
    this.passport.use(
      new Strategy(
        (token, done) => void tokens.verify(token).then((claims) => done(null, claims ?? false), done),
      ),
    )
  }

  authenticate(request: IncomingMessage, response: ServerResponse): Authentication | Promise<Authentication> {
    const header = request.headers.authorization
    if (header === undefined) return nobody
    const known = header.startsWith('Bearer ') ? this.tokens.known(header.slice(7)) : undefined
    return known ? this.ofClaims(known) : this.verify(request, response)
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
    const principal = this.principals.of(claims)
    return principal instanceof Promise ? principal.then(asAuthentication) : asAuthentication(principal)
  }
}

function asAuthentication(principal: Principal): Authentication {
  return principal.kind === 'anonymous' ? refused : { principal }
}
