import { Injectable } from '@keel/framework'
import { type Database, Databases, entityMeta, sql } from '@keel/framework/data'
import { RevokedTokens } from '@keel/framework/security'
import { createLocalJWKSet, decodeJwt, errors, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { apiScope, tokenLifetimeBounds } from '../../contracts/index.js'
import { AuthRevokedToken } from '../../domain/auth-key.js'
import { KeyRing } from '../keys/key-ring.js'

/** Seconds that an access token is good for at most: what its client was given. */
const longestSeconds = tokenLifetimeBounds.accessTokenLifetime[1]

/** The claims of our access tokens. */
export interface AccessTokenClaims extends JWTPayload {
  readonly jti: string
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly client_id: string
  readonly scope?: string
  /** The id of the grant it was made from; absent for a client's own token. */
  readonly oi_au_id?: string
}

/**
 * Access tokens are JWTs without a row: here they are verified, and the few that are taken back early are
 * remembered until they end.
 */
@Injectable()
export class AccessTokens {
  private readonly database: Database
  private keySet: ReturnType<typeof createLocalJWKSet> | undefined

  constructor(
    databases: Databases,
    private readonly revoked: RevokedTokens,
    private readonly keys: KeyRing,
  ) {
    this.database = databases.of(AuthRevokedToken)
  }

  /** The claims of a valid token of ours that was not taken back; undefined for everything else. */
  async find(token: string, issuer: string): Promise<AccessTokenClaims | undefined> {
    const claims = await this.verify(token, issuer)
    return claims && !(await this.revoked.isRevoked(claims.jti)) ? claims : undefined
  }

  /**
   * Takes a token back before its end: API hosts refuse it from their next request on. Rows end in the order
   * they are written in.
   */
  async revoke(jti: string): Promise<void> {
    await this.database.execute(sql`
      insert into "AuthRevokedTokens" ("Jti", "ExpirationTime") values (${jti}, now() + make_interval(secs => ${longestSeconds}::int))
      on conflict do nothing`)
    this.database.feed.changed(entityMeta(AuthRevokedToken).table)
  }

  private async verify(token: string, issuer: string): Promise<AccessTokenClaims | undefined> {
    try {
      this.keySet ??= createLocalJWKSet({
        keys: this.keys.signing.map(({ kty, kid, alg, use, n, e }) => ({
          kty,
          kid,
          alg,
          use,
          n,
          e,
        })) as JWK[],
      })
      const options = {
        issuer,
        audience: apiScope,
        typ: 'at+jwt',
        algorithms: ['RS256'],
        requiredClaims: ['jti', 'sub', 'client_id'],
      }
      return (await jwtVerify(token, this.keySet, options)).payload as AccessTokenClaims
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

/** True for a text in the form of a JWT. */
export function looksLikeJwt(text: string): boolean {
  try {
    return text.startsWith('ey') && decodeJwt(text) !== undefined
  } catch {
    return false
  }
}

const wrapping = 'jwt~'

/** A JWT as an opaque token: oidc-provider refuses to introspect or revoke JWTs. */
export function wrapJwt(token: string): string {
  return wrapping + token.replaceAll('.', '~')
}

/** The JWT in what may be a wrapped or a bare one. */
export function unwrapJwt(value: string): string | undefined {
  if (value.startsWith(wrapping)) return value.slice(wrapping.length).replaceAll('~', '.')
  return looksLikeJwt(value) ? value : undefined
}
