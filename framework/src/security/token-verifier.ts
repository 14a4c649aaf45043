import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { UnavailableError } from '../contracts/index.js'
import { atMost } from '../modularity/at-most.js'
import { Clock } from '../modularity/clock.js'
import { Configuration, configurationSection } from '../modularity/configuration.js'
import { Injectable } from '../modularity/injectable.js'
import { Logger } from '../modularity/logging.js'
import { StartupError } from '../modularity/startup-error.js'
import type { TokenClaims } from './principals.js'

/** Where bearer tokens come from (interface document, "Bearer tokens from the authentication server"). */
export const AuthServer = configurationSection('AuthServer', {
  /** The address of the auth server that issues the tokens. */
  authority: z.url().default('http://localhost:4001'),
  /** The audience that tokens must have. */
  audience: z.string().min(1).default('Core'),
  /** `false` accepts an authority without TLS outside of this machine. */
  requireHttpsMetadata: z.boolean().default(true),
})

/** Codes of jose's errors when the keys could not be loaded: the token may be valid. */
const faultsOfKeySet = new Set<string>([
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  errors.JOSEError.code,
])

const latestTokens = 256

interface Verified {
  readonly token: string
  readonly claims: TokenClaims
}

type KeySet = ReturnType<typeof createRemoteJWKSet>

/**
 * Verifies access tokens against the keys of the auth server: RS256 alone, issuer, audience, expiry, and that
 * they are access tokens. A token that was verified is known until it expires; a key that is new to us is
 * fetched when the first token signed with it comes.
 */
@Injectable()
export class TokenVerifier {
  private readonly settings: { authority: string; audience: string; requireHttpsMetadata: boolean }
  private readonly verified: LRUCache<string, Verified>
  /** The last token of each kind of ending: comparing two texts is cheaper than hashing one. */
  private readonly latest: (Verified | undefined)[] = new Array(latestTokens).fill(undefined)
  private metadata: Promise<{ issuer: string; keys: KeySet }> | undefined

  constructor(
    configuration: Configuration,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.verified = new LRUCache({ ...atMost(20_000), perf: { now: () => clock.elapsedMs } })
    this.settings = configuration.read(AuthServer)
    const { authority, requireHttpsMetadata } = this.settings
    if (requireHttpsMetadata && !authority.startsWith('https:')) {
      throw new StartupError(
        `AuthServer:Authority is ${authority}, but AuthServer:RequireHttpsMetadata is true. Use https, or set it to false behind a proxy that ends TLS.`,
      )
    }
  }

  /** The claims of a token that was verified before and is still valid; undefined for others. */
  known(token: string): TokenClaims | undefined {
    const { length } = token
    const slot = (token.charCodeAt(length - 2) * 31 + token.charCodeAt(length - 3)) % latestTokens
    const latest = this.latest[slot]
    if (latest?.token === token && latest.claims.exp * 1000 > this.clock.nowMs) return latest.claims
    const verified = this.verified.get(token)
    if (verified) this.latest[slot] = verified
    return verified?.claims
  }

  /** The claims of a token, or undefined if invalid. {@link UnavailableError} without an auth server. */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const { issuer, keys } = await this.discover()
    let payload: JWTPayload
    try {
      payload = (
        await jwtVerify(token, keys, {
          issuer,
          audience: this.settings.audience,
          // Identity tokens are signed with the same keys, and a client could have the name of the audience.
          typ: 'at+jwt',
          algorithms: ['RS256'],
          clockTolerance: 5,
          currentDate: this.clock.now,
          requiredClaims: ['sub', 'exp'],
        })
      ).payload
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || faultsOfKeySet.has(error.code))
        throw this.unavailable(error)
      this.logger.debug({ reason: error.message }, 'bearer token refused')
      return undefined
    }
    const claims = payload as unknown as TokenClaims
    const ttl = claims.exp * 1000 - this.clock.nowMs
    if (ttl > 0) this.verified.set(token, { token, claims: usedClaims(claims) }, { ttl })
    return claims
  }

  private discover(): Promise<{ issuer: string; keys: KeySet }> {
    this.metadata ??= this.fetchMetadata().catch((error) => {
      this.metadata = undefined
      throw this.unavailable(error)
    })
    return this.metadata
  }

  private async fetchMetadata(): Promise<{ issuer: string; keys: KeySet }> {
    const authority = this.settings.authority.replace(/\/+$/, '')
    const response = await fetch(`${authority}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(5000),
      // A redirect could choose the keys that we trust.
      redirect: 'error',
    })
    const { issuer, jwks_uri: keysUrl } = (await response.json()) as { issuer?: string; jwks_uri?: string }
    if (issuer?.replace(/\/+$/, '') !== authority || !keysUrl) {
      throw new Error(
        `${authority} says its issuer is ${issuer}: set AuthServer:Authority here and the issuer there to the same address`,
      )
    }
    return {
      issuer,
      keys: createRemoteJWKSet(new URL(keysUrl), { cooldownDuration: 1000, timeoutDuration: 5000 }),
    }
  }

  private unavailable(cause: unknown): UnavailableError {
    this.logger.warn(
      { err: cause, authority: this.settings.authority },
      'the auth server can not be asked for its keys',
    )
    return new UnavailableError(
      'The authentication server does not answer, so that tokens can not be checked.',
      5,
      { cause, text: { key: 'AuthServerUnavailable' } },
    )
  }
}

/** The claims that are asked for later. */
function usedClaims(claims: TokenClaims): TokenClaims {
  return {
    sub: claims.sub,
    exp: claims.exp,
    ...(claims.client_id && { client_id: claims.client_id }),
    ...(claims.session_id && { session_id: claims.session_id }),
    ...(claims.impersonator_userid && {
      impersonator_userid: claims.impersonator_userid,
      impersonator_session_id: claims.impersonator_session_id ?? '',
    }),
    ...(claims.jti && { jti: claims.jti }),
  }
}
