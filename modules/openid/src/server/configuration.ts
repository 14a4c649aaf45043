import type { SignIn } from '@keel/identity/contracts'
import {
  type Client,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  type RefreshToken,
  type Session,
} from 'oidc-provider'
import type { TokenLifetimes } from '../contracts/index.js'
import { fitsPattern, hasMark } from '../domain/redirect-pattern.js'
import {
  consentMember,
  forcePkceMember,
  homeMember,
  logoMember,
  responseTypes,
} from './clients/client-metadata.js'
import { lifetimeOf, lifetimesMember } from './clients/lifetimes.js'
import {
  apiResource,
  apiScopesMember,
  areForApi,
  checkScopes,
  checkTarget,
  resourceServerFor,
  standardScopes,
} from './clients/scopes.js'
import type { Consents } from './grants/consents.js'
import { type Grants, impersonatorOf } from './grants/grants.js'
import type { KeyRing } from './keys/key-ring.js'
import { SigningKey } from './keys/signing-key.js'
import { protectedName } from './requests/cookie-names.js'
import { pagePaths } from './requests/page-paths.js'
import { provesPerson } from './requests/proof-time.js'
import { routes, sessionSeconds } from './requests/routes.js'
import type { DevicePages } from './sign-in/device-pages.js'
import type { ProtocolPages } from './sign-in/protocol-pages.js'
import type { Storage } from './storage/storage.js'
import { accessTokenClaims, accountOf } from './tokens/accounts.js'
import { claimsOfScopes } from './tokens/claims.js'

const days = 24 * 3600
/**
 * Seconds that things live: what a client was given, or OpenIddict's defaults, and for sessions no longer
 * than the limit after the sign-in.
 */
const lifetimesWithin = (maxSessionSeconds: number) => ({
  // A delegation that has ended gives no more tokens.
  AccessToken: (ctx: KoaContextWithOIDC, _token: unknown, client: Client) => {
    const until = impersonatorOf(ctx.oidc.entities.Grant)?.delegation?.until ?? Number.POSITIVE_INFINITY
    return Math.max(
      1,
      Math.min(lifetimeOf('accessTokenLifetime', client), Math.floor((until - Date.now()) / 1000)),
    )
  },
  ClientCredentials: secondsOf('accessTokenLifetime'),
  AuthorizationCode: secondsOf('authorizationCodeLifetime'),
  DeviceCode: secondsOf('deviceCodeLifetime'),
  IdToken: secondsOf('identityTokenLifetime'),
  RefreshToken: (_ctx: KoaContextWithOIDC, { authTime, iiat }: RefreshToken, client: Client) =>
    untilLimit(lifetimeOf('refreshTokenLifetime', client), authTime ?? iiat, maxSessionSeconds),
  Session: (_ctx: KoaContextWithOIDC, { loginTs }: Session) =>
    untilLimit(sessionSeconds, loginTs, maxSessionSeconds),
  Interaction: 3600,
  // oidc-provider never extends a grant and ends all refresh tokens with it: it must outlive them. The
  // clean-up deletes it when it is empty.
  Grant: 3650 * days,
})

/** So many seconds, or fewer that are left until the limit after a sign-in (seconds since 1970). */
function untilLimit(seconds: number, signedIn: number | undefined, maxSeconds: number): number {
  const now = Math.floor(Date.now() / 1000)
  return Math.max(1, Math.min(seconds, (signedIn ?? now) + maxSeconds - now))
}

function secondsOf(kind: keyof TokenLifetimes) {
  return (_ctx: KoaContextWithOIDC, _token: unknown, client: Client): number => lifetimeOf(kind, client)
}

/** The methods by which clients may authenticate. Public clients do not. */
export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const

/** The parts that the configuration is made of. */
export interface ConfigurationParts {
  readonly issuer: string
  /** True when patterns among redirect addresses count. */
  readonly wildcardRedirects: boolean
  /** Seconds that a session lasts at most from the sign-in on. */
  readonly maxSessionSeconds: number
  readonly keys: KeyRing
  readonly storage: Storage
  readonly signIn: SignIn
  readonly grants: Grants
  readonly consents: Consents
  readonly pages: ProtocolPages
  readonly devicePages: DevicePages
}

/** The configuration of oidc-provider that behaves like ABP's OpenIddict. */
export function providerConfiguration({
  issuer,
  wildcardRedirects,
  maxSessionSeconds,
  keys,
  storage,
  signIn,
  grants,
  consents,
  pages,
  devicePages,
}: ConfigurationParts): Configuration {
  const secure = issuer.startsWith('https:')
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const
  return {
    adapter: (model: string) => storage.adapterFor(model),
    jwks: { keys: keys.signing.map((key) => new SigningKey(key)) },
    cookies: {
      keys: [...keys.cookies],
      long: cookie,
      short: cookie,
      names: {
        session: protectedName('keel.session', { secure }),
        // These two are sent to the pages of one sign-in alone.
        interaction: protectedName('keel.interaction', { secure, path: pagePaths.login }),
        resume: protectedName('keel.resume', { secure, path: routes.authorization }),
      },
    },
    routes,
    ttl: lifetimesWithin(maxSessionSeconds) as Configuration['ttl'],
    scopes: [...standardScopes],
    extraClientMetadata: {
      properties: [apiScopesMember, forcePkceMember, consentMember, homeMember, logoMember, lifetimesMember],
      validator: () => undefined,
    },
    claims: claimsOfScopes as Configuration['claims'],
    // Clients may always ask for the claims of the scopes in the identity token: ABP's never call userinfo.
    conformIdTokenClaims: false,
    responseTypes: [...responseTypes],
    clientAuthMethods: [...clientAuthMethods],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: {
      required: (_ctx, client) => client.clientAuthMethod === 'none' || client[forcePkceMember] === true,
    },
    findAccount: async (_ctx, sub) => {
      const account = await signIn.find(sub)
      return account && accountOf(account)
    },
    extraTokenClaims: accessTokenClaims,
    loadExistingGrant: (ctx) => grants.load(ctx),
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    extraParams: { culture: null, 'ui-culture': restoreOfflineAccess },
    clientBasedCORS: (_ctx, origin, client) =>
      origin !== 'null' &&
      (client.redirectUris ?? []).some((uri) => isOriginOf(uri, origin, wildcardRedirects)),
    interactions: { policy: policy(consents), url: (_ctx, { uid }) => `${pagePaths.login}/${uid}` },
    renderError: (ctx, out) => pages.showError(ctx, out),
    features: {
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      introspection: {
        enabled: true,
        // OpenIddict's rule: the client that the token was issued to, or the audience.
        allowedPolicy: (_ctx, client, token) =>
          token.clientId === client.clientId ||
          (client.clientAuthMethod !== 'none' && 'aud' in token && token.aud === client.clientId),
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, _form, _out, fault) => devicePages.askCode(ctx, fault),
        userCodeConfirmSource: (ctx, _form, client, _device, userCode) =>
          devicePages.confirm(ctx, client, userCode),
        successSource: (ctx) => devicePages.showDone(ctx),
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => pages.signOut(ctx),
        postLogoutSuccessSource: (ctx) => pages.showEnd(ctx),
      },
      resourceIndicators: {
        enabled: true,
        // Called when a request names no resource, as those of ABP's clients: the place to check its scopes
        // too.
        defaultResource: (ctx, client, oneOf) => {
          if (oneOf) return [oneOf].flat()[0] as string
          checkScopes(client, ctx.oidc.requestParamScopes)
          return areForApi(client, ctx.oidc.requestParamScopes)
            ? apiResource
            : (undefined as unknown as string)
        },
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource, client) => {
          checkTarget(resource)
          if (ctx.oidc.params?.resource !== undefined) checkScopes(client, ctx.oidc.requestParamScopes)
          return resourceServerFor(client)
        },
      },
    },
  }
}

/**
 * Asks for a sign-in where a client wants none beyond an age and the browser's session came of a provider that told of no
 * new sign-in: nobody knows how old that is, and `auth_time` would say that it is from just now.
 */
const knownAge = new interactionPolicy.Check(
  'unknown_age',
  'it is not known when the user signed in',
  'login_required',
  ({ oidc: { params, session, result } }) =>
    params?.max_age !== undefined &&
    session?.accountId !== undefined &&
    !result?.login &&
    !provesPerson(session.amr),
)

/**
 * Adds the prompts of our server: the choice of an account for requests that ask for it, and consent for
 * clients whose users have to give it.
 */
function policy(consents: Consents): interactionPolicy.DefaultPolicy {
  const prompts = interactionPolicy.base()
  prompts.remove('consent')
  prompts.get('login')?.checks.add(knownAge)
  prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }))
  const mustAsk = new interactionPolicy.Check(
    'consent_missing',
    'the user has not allowed this',
    'consent_required',
    (ctx) => consents.isMissing(ctx),
  )
  prompts.add(new interactionPolicy.Prompt({ name: 'consent', requestable: true }, mustAsk))
  return prompts
}

/**
 * oidc-provider drops `offline_access` from requests without `prompt=consent`, which ABP's clients never
 * send. This runs after that and puts it back where the client may have it.
 */
function restoreOfflineAccess(ctx: KoaContextWithOIDC): void {
  const { client, params } = ctx.oidc
  const asked = String(ctx.query.scope ?? '').split(' ')
  if (
    !params ||
    !client ||
    !asked.includes('offline_access') ||
    ctx.oidc.requestParamScopes.has('offline_access')
  )
    return
  const mayHaveIt =
    client.grantTypeAllowed('refresh_token') && String(params.response_type).split(' ').includes('code')
  if (mayHaveIt) params.scope = [params.scope, 'offline_access'].filter(Boolean).join(' ')
}

function isOriginOf(uri: string, origin: string, withPatterns: boolean): boolean {
  if (hasMark(uri)) return withPatterns && fitsPattern(origin, uri.split('/', 3).join('/'))
  return URL.canParse(uri) && new URL(uri).origin === origin
}
