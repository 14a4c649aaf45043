import { Configuration as HostConfiguration, Injectable, Logger } from '@keel/framework'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchProtectedResource,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { type SealedCookie, SealedCookies } from '../pages/sealed-cookies.js'
import type { Context } from '../requests/context.js'
import { issuerOf } from '../requests/settings.js'
import type { ExternalClient } from './external-clients.js'
import { type ExternalIdentity, type ExternalScheme, identityOf } from './external-scheme.js'

/** Seconds by which the clock of a provider may be behind. */
const clockLeewaySeconds = 60
/** The time limit for the person at the provider. */
const correlationSeconds = 15 * 60

/** The reason why a person is sent to a provider. */
export interface ExternalErrand {
  /** The address to continue at. */
  readonly returnUrl: string | undefined
  /** The user whose account is to be linked; undefined for a sign-in. */
  readonly linkTo?: string | undefined
  /** The user who proves again who they are, by a new sign-in at the provider. */
  readonly confirm?: string | undefined
  /** True when the client that waits takes a new sign-in at the provider alone. */
  readonly mustBeNew?: boolean
  readonly rememberMe?: boolean
}

/**
 * The values that an answer is checked against. They wait in the browser that asked, so that no answer counts
 * in another one.
 */
interface Correlation extends ExternalErrand {
  readonly provider: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Seconds since 1970. */
  readonly startedAt: number
}

/**
 * The kind of a failed answer. `invalid`: the provider does not know the answer that the browser brought. `unproven`: it
 * did not tell of a new sign-in, which the errand takes.
 */
export type ExternalFault = 'cancelled' | 'invalid' | 'refused' | 'unproven' | 'unreachable'

/** The outcome of an answer. */
export type ExternalAnswer =
  | { readonly identity: ExternalIdentity; readonly errand: ExternalErrand }
  /** No request of this browser waits for the answer. */
  | { readonly fault: 'unexpected' }
  /** The provider, or the person there, said no. */
  | {
      readonly fault: ExternalFault
      readonly label: string
      readonly errand: ExternalErrand
    }

/**
 * Sends people to external providers, and takes what these answer: OpenID Connect with PKCE, state and nonce,
 * or OAuth 2 with PKCE and state.
 */
@Injectable()
export class ExternalExchange {
  private readonly issuer: string

  constructor(
    private readonly cookies: SealedCookies,
    private readonly logger: Logger,
    configuration: HostConfiguration,
  ) {
    this.issuer = issuerOf(configuration)
  }

  /** The address at the provider to send the person to; undefined when the provider can't be reached. */
  async start(ctx: Context, client: ExternalClient, errand: ExternalErrand): Promise<string | undefined> {
    const { scheme } = client
    const configuration = await client.configuration().catch((error: unknown) => {
      this.logger.warn({ err: error, provider: scheme.name }, 'an external provider does not answer')
      return undefined
    })
    if (!configuration) return undefined
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    const startedAt = Math.floor(Date.now() / 1000)
    const correlation: Correlation = { provider: scheme.name, state, nonce, verifier, startedAt, ...errand }
    this.cookies.set(ctx, cookieOf(state, scheme), correlation)
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: this.addressOf(scheme),
      scope: scheme.scope,
      state,
      ...(scheme.authority && { nonce }),
      ...(scheme.provesNewSignIns && demandOf(errand)),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return address.href
  }

  /** The identity of a person who comes back from a provider, by the address of the request. */
  async finish(ctx: Context, client: ExternalClient): Promise<ExternalAnswer> {
    const { scheme } = client
    const { state } = ctx.query
    if (typeof state !== 'string') return { fault: 'unexpected' }
    const cookie = cookieOf(state, scheme)
    const correlation = this.cookies.read<Correlation>(ctx, cookie)
    // An answer counts once.
    this.cookies.clear(ctx, cookie)
    if (correlation?.state !== state || correlation.provider !== scheme.name) return { fault: 'unexpected' }
    const { returnUrl, linkTo, confirm, rememberMe = false } = correlation
    const errand = { returnUrl, linkTo, confirm, rememberMe }
    try {
      const configuration = await client.configuration()
      return { identity: await this.redeem(ctx, { client, configuration, correlation }), errand }
    } catch (error) {
      const fault = faultOf(error, scheme)
      this.logger.warn(
        { err: error, provider: scheme.name, fault },
        'no sign-in came of an external provider',
      )
      return { fault, label: scheme.label, errand }
    }
  }

  private async redeem(
    ctx: Context,
    {
      client: { scheme },
      configuration,
      correlation: { state, nonce, verifier, startedAt, ...errand },
    }: { client: ExternalClient; configuration: Configuration; correlation: Correlation },
  ): Promise<ExternalIdentity> {
    const { code, error } = ctx.query
    if (error === undefined && (typeof code !== 'string' || !code))
      throw new NoCodeError('The answer of the provider has no code, or several.')
    const address = new URL(this.addressOf(scheme))
    address.search = ctx.search
    const checks = {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(scheme.authority && { expectedNonce: nonce, idTokenExpected: true }),
    }
    const tokens = await authorizationCodeGrant(configuration, address, checks)
    const claims = tokens.claims()
    // The demand for a new sign-in proves nothing by itself: anybody at the browser can take it out of the address.
    const { auth_time: authTime } = claims ?? {}
    const isNewSignIn = authTime !== undefined && authTime >= startedAt - clockLeewaySeconds
    if (takesNewSignIn(errand) && !isNewSignIn)
      throw new NoNewSignInError('The provider did not tell that the person signed in there anew.')
    if (!claims) return identityByApi(configuration, scheme, tokens.access_token)
    const needsMore = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint
    const more = needsMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
    return { ...identityOf(scheme, { ...more, ...claims }), isNewSignIn }
  }

  private addressOf({ callbackPath }: ExternalScheme): string {
    return this.issuer.replace(/\/$/, '') + callbackPath
  }
}

/** True for an errand that a session of before at the provider does not do. */
function takesNewSignIn({ confirm, mustBeNew = false }: ExternalErrand): boolean {
  return confirm !== undefined || mustBeNew
}

/**
 * The parameters that demand a new sign-in at a provider. A provider has to tell its time where `max_age` is asked for
 * (OpenID Connect Core 1.0, sections 2 and 3.1.2.1).
 */
function demandOf(errand: ExternalErrand): Record<string, string> {
  return takesNewSignIn(errand) ? { max_age: '0', prompt: 'login' } : {}
}

/** One for each tab: each waits for an answer of its own. */
function cookieOf(state: string, { callbackPath }: ExternalScheme): SealedCookie {
  return {
    name: `keel.external.${state.slice(0, 8).replace(/[^\w-]/g, '')}`,
    path: callbackPath,
    seconds: correlationSeconds,
  }
}

function faultOf(error: unknown, { oauth }: ExternalScheme): ExternalFault {
  if (error instanceof AuthorizationResponseError)
    return error.error === 'access_denied' ? 'cancelled' : 'refused'
  const code = protocolErrorOf(error)
  const isUnknownCode = code === 'invalid_grant' || (oauth !== undefined && code === oauth.unknownCodeError)
  if (error instanceof NoNewSignInError) return 'unproven'
  if (error instanceof NoCodeError || isUnknownCode) return 'invalid'
  const { name, code: reason } = error as { name?: string; code?: string }
  const isUnreachable = name === 'TimeoutError' || error instanceof TypeError || reason === 'OAUTH_TIMEOUT'
  return isUnreachable ? 'unreachable' : 'refused'
}

/** The member `error` of the token endpoint's answer. */
function protocolErrorOf(error: unknown): unknown {
  const { error: word, cause } = error as { error?: unknown; cause?: { body?: { error?: unknown } } }
  return word ?? cause?.body?.error
}

/** An answer has to bring one code, or an error. */
class NoCodeError extends Error {
  override readonly name = 'NoCodeError'
}

/** The provider told of an earlier sign-in, or of no time, which proves nothing now. */
class NoNewSignInError extends Error {
  override readonly name = 'NoNewSignInError'
}

/** The identity of the bearer of an access token, by the API of a provider that has no identity tokens. */
async function identityByApi(
  configuration: Configuration,
  scheme: ExternalScheme,
  accessToken: string,
): Promise<ExternalIdentity> {
  const { name, oauth } = scheme
  if (!oauth) throw new Error(`${name} answered without an identity token`)
  const headers = new Headers({ accept: oauth.mediaType, 'user-agent': 'Keel' })
  const claims = await oauth.readClaims(async (path) => {
    const address = new URL(oauth.api + path)
    const response = await fetchProtectedResource(configuration, accessToken, address, 'GET', null, headers)
    if (!response.ok) throw new Error(`${name} answers ${path} with ${response.status}`)
    return response.json()
  })
  return identityOf(scheme, claims)
}
