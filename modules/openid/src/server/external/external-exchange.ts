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
import { z } from 'zod'
import type { Context } from '../requests/context.js'
import { type SealedCookie, SealedCookies } from '../requests/sealed-cookies.js'
import { issuerOf } from '../requests/settings.js'
import type { ExternalClient } from './external-clients.js'
import { type ExternalIdentity, type ExternalScheme, identityOf } from './external-scheme.js'

/** How long somebody may take at the provider. */
const correlationSeconds = 15 * 60

/** Why somebody asks a provider who they are. */
export interface ExternalErrand {
  /** Where they go on afterwards. */
  readonly returnUrl: string | undefined
  /** The user whose account is to be linked; undefined when somebody signs in. */
  readonly linkTo?: string | undefined
  /** The user who proves again who they are: somebody has to sign in at the provider anew. */
  readonly confirm?: string | undefined
  readonly rememberMe?: boolean
}

/** What an answer is checked against. It waits in the browser that asked, so that no answer counts in another one. */
interface Correlation extends ExternalErrand {
  readonly provider: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Why nothing came of a provider: `invalid` is an answer that the provider does not know, which the browser brought. */
export type ExternalFault = 'cancelled' | 'invalid' | 'refused' | 'unreachable'

/** How an answer was found. */
export type ExternalAnswer =
  | { readonly identity: ExternalIdentity; readonly errand: ExternalErrand }
  /** Nobody in this browser waits for it. */
  | { readonly fault: 'unexpected' }
  /** The provider, or the person there, said no. */
  | {
      readonly fault: ExternalFault
      readonly label: string
      readonly errand: ExternalErrand
    }

/** Sends people to external providers, and takes what these answer: OpenID Connect with PKCE, state and nonce, or OAuth 2 with PKCE and state. */
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

  /** The address at the provider that somebody is to be sent to; undefined when the provider can't be reached. */
  async start(ctx: Context, client: ExternalClient, errand: ExternalErrand): Promise<string | undefined> {
    const { scheme } = client
    const configuration = await client.configuration().catch((error: unknown) => {
      this.logger.warn({ err: error, provider: scheme.name }, 'an external provider does not answer')
      return undefined
    })
    if (!configuration) return undefined
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    const correlation: Correlation = { provider: scheme.name, state, nonce, verifier, ...errand }
    this.cookies.set(ctx, cookieOf(state, scheme), correlation)
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: this.addressOf(scheme),
      scope: scheme.scope,
      state,
      ...(scheme.authority && { nonce }),
      ...(errand.confirm !== undefined && scheme.authority && { prompt: promptOf(scheme) }),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return address.href
  }

  /** Who somebody is who comes back from a provider, by the address they came to. */
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
      const fault = faultOf(error)
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
      correlation: { state, nonce, verifier },
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
    if (!claims) return gitHubIdentity(configuration, scheme, tokens.access_token)
    const needsMore = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint
    const more = needsMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
    return identityOf(scheme, { ...more, ...claims })
  }

  private addressOf({ callbackPath }: ExternalScheme): string {
    return this.issuer.replace(/\/$/, '') + callbackPath
  }
}

/** Asks for a new sign-in. Google knows no such prompt, and lets people choose an account at most. */
function promptOf({ name }: ExternalScheme): string {
  return name === 'Google' ? 'select_account' : 'login'
}

/** One for each tab: each waits for an answer of its own. */
function cookieOf(state: string, { callbackPath }: ExternalScheme): SealedCookie {
  return {
    name: `keel.external.${state.slice(0, 8).replace(/[^\w-]/g, '')}`,
    path: callbackPath,
    seconds: correlationSeconds,
  }
}

/** What providers say of a code that is not theirs; GitHub has a word of its own, in an answer that seems to be one. */
const codeErrors: readonly unknown[] = ['invalid_grant', 'bad_verification_code']

function faultOf(error: unknown): ExternalFault {
  if (error instanceof AuthorizationResponseError)
    return error.error === 'access_denied' ? 'cancelled' : 'refused'
  if (error instanceof NoCodeError || codeErrors.includes(wordOf(error))) return 'invalid'
  const { name, code } = error as { name?: string; code?: string }
  const isUnreachable = name === 'TimeoutError' || error instanceof TypeError || code === 'OAUTH_TIMEOUT'
  return isUnreachable ? 'unreachable' : 'refused'
}

/** The protocol's word for an error, of the token endpoint's answer. */
function wordOf(error: unknown): unknown {
  const { error: word, cause } = error as { error?: unknown; cause?: { body?: { error?: unknown } } }
  return word ?? cause?.body?.error
}

/** An answer has to bring one code, or an error. */
class NoCodeError extends Error {
  override readonly name = 'NoCodeError'
}

const gitHubUser = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() })
const gitHubEmails = z.array(z.object({ email: z.string(), verified: z.boolean(), primary: z.boolean() }))

/** GitHub has no identity tokens: its API tells who the bearer of the access token is. */
async function gitHubIdentity(
  configuration: Configuration,
  scheme: ExternalScheme,
  accessToken: string,
): Promise<ExternalIdentity> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetchProtectedResource(
      configuration,
      accessToken,
      new URL(`${scheme.api}${path}`),
      'GET',
      null,
      new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Keel' }),
    )
    if (!response.ok) throw new Error(`GitHub answers ${path} with ${response.status}`)
    return response.json()
  }
  const user = gitHubUser.parse(await read('/user'))
  const emails = gitHubEmails.parse(await read('/user/emails'))
  const chosen =
    emails.find(({ primary, verified }) => primary && verified) ?? emails.find(({ primary }) => primary)
  const [given_name, ...family] = (user.name ?? '').split(' ')
  return identityOf(scheme, {
    sub: String(user.id),
    preferred_username: user.login,
    given_name,
    family_name: family.join(' '),
    email: chosen?.email,
    email_verified: chosen?.verified,
  })
}
