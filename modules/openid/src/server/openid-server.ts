import type { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import { Configuration, Injectable, Logger, strictTransport } from '@keel/framework'
import { App } from '@keel/framework/http'
import { SignIn } from '@keel/identity/contracts'
import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { fitsPattern, hasMark } from '../domain/redirect-pattern.js'
import { ClientSecrets } from './clients/client-secrets.js'
import { Clients } from './clients/clients.js'
import { Scopes } from './clients/scopes.js'
import { completeSignOut } from './clients/sign-out-hints.js'
import { clientAuthMethods, providerConfiguration } from './configuration.js'
import { ImpersonationGrant } from './grant-types/impersonation-grant.js'
import { LinkLoginGrant } from './grant-types/link-login-grant.js'
import { PasswordGrant } from './grant-types/password-grant.js'
import { Consents } from './grants/consents.js'
import { authTimeMember, Grants, impersonatorMember, rememberedMember } from './grants/grants.js'
import { KeyRing } from './keys/key-ring.js'
import { PageRouter } from './page-router.js'
import { adaptRequest, cameOverTls, pinToIssuer, refuseWithoutTls } from './request-adaptation.js'
import { ErrorLimit } from './requests/error-limit.js'
import { AuthServerSettings, issuerOf, maxSessionSeconds, requiresTls } from './requests/settings.js'
import { SecurityNotes } from './security-notes.js'
import { CookieLogin } from './sign-in/cookie-login.js'
import { DeviceCodeLimit } from './sign-in/device-code-limit.js'
import { DevicePages } from './sign-in/device-pages.js'
import { ProtocolPages } from './sign-in/protocol-pages.js'
import { Storage } from './storage/storage.js'
import { completeRefresh } from './tokens/token-answer.js'

/** The OpenID Connect provider: oidc-provider in OpenIddict's clothes. */
@Injectable()
export class OpenIdServer {
  constructor(
    private readonly configuration: Configuration,
    private readonly logger: Logger,
    private readonly keys: KeyRing,
    private readonly storage: Storage,
    private readonly clients: Clients,
    private readonly scopes: Scopes,
    private readonly grants: Grants,
    private readonly consents: Consents,
    private readonly signIn: SignIn,
    private readonly passwords: PasswordGrant,
    private readonly pageRouter: PageRouter,
    private readonly protocolPages: ProtocolPages,
    private readonly impersonation: ImpersonationGrant,
    private readonly linkLogin: LinkLoginGrant,
    private readonly notes: SecurityNotes,
    private readonly errorLimit: ErrorLimit,
    private readonly deviceCodeLimit: DeviceCodeLimit,
    private readonly cookieLogin: CookieLogin,
    private readonly devicePages: DevicePages,
  ) {}

  /** A handler for every path without another handler. It loads the keys: call it once, at the start. */
  async createHandler(): Promise<RequestListener> {
    const issuer = issuerOf(this.configuration)
    await this.keys.load()
    const { keys, storage, grants, consents, signIn, protocolPages: pages, devicePages } = this
    const { wildcardRedirects, allowPublicIntrospection } = this.configuration.read(AuthServerSettings)
    const maxSession = maxSessionSeconds(this.configuration)
    const parts = {
      issuer,
      wildcardRedirects,
      maxSessionSeconds: maxSession,
      keys,
      storage,
      grants,
      consents,
      signIn,
      pages,
      devicePages,
    }
    const provider = new Provider(issuer, providerConfiguration(parts))
    provider.proxy = true
    provider.maxIpsCount = 1
    this.passwords.addTo(provider)
    this.impersonation.addTo(provider)
    this.linkLogin.addTo(provider)
    keepGrantMembers(provider)
    this.noteUse(provider)
    this.notes.listenTo(provider)
    adaptClients(provider, wildcardRedirects)
    this.logErrors(provider)
    provider.use(this.cookieLogin.handlerFor(provider) as never)
    provider.use(this.pageRouter.handlerFor(provider) as never)
    provider.use(adaptRequest as never)
    provider.use(this.errorLimit.handle as never)
    provider.use(this.deviceCodeLimit.handle as never)
    provider.use(completeSignOut(provider, this.clients))
    if (!allowPublicIntrospection) provider.use(refusePublicIntrospection)
    provider.use(addIdentityToken)
    provider.use(this.tellScopes)
    provider.use(this.signOutNobody)
    const pin = pinToIssuer(issuer)
    const handle = provider.callback()
    const needsTls = requiresTls(this.configuration)
    const strict = strictTransport(issuer, this.configuration.read(App).hstsMaxAgeSeconds)
    return (request, response) => {
      if (strict) response.setHeader('strict-transport-security', strict)
      if (needsTls && !cameOverTls(request)) return refuseWithoutTls(response)
      pin(request)
      handle(request, response)
    }
  }

  /** Discovery tells the scopes that there are now; oidc-provider knows those of its configuration alone. */
  private readonly tellScopes = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next()
    if (ctx.oidc?.route !== 'discovery') return
    await this.scopes.refresh()
    Object.assign(ctx.body as object, { scopes_supported: [...this.scopes.names] })
  }

  /** Without a sign-in, oidc-provider answers a request to sign out with a form that a script sends. */
  private readonly signOutNobody = async (
    ctx: KoaContextWithOIDC,
    next: () => Promise<void>,
  ): Promise<void> => {
    await next()
    const isAsked = ctx.oidc?.route === 'end_session' && ctx.status === 200
    if (isAsked && !ctx.oidc.session?.accountId && ctx.oidc.session?.state)
      this.protocolPages.signOutNobody(ctx)
  }

  /** A refresh is a use of the session. It is not waited for. */
  private noteUse(provider: Provider): void {
    provider.on('grant.success', (ctx: KoaContextWithOIDC) => {
      const { RefreshToken: token } = ctx.oidc.entities
      if (!token?.grantId) return
      this.grants
        .touch(ctx, token.grantId)
        .catch((error) => this.logger.warn({ err: error }, 'the use of a session was not noted'))
    })
  }

  private logErrors(provider: Provider): void {
    const refused = [
      'authorization.error',
      'grant.error',
      'introspection.error',
      'revocation.error',
      'userinfo.error',
      'end_session.error',
      'device_authorization.error',
    ] as const
    for (const event of refused) {
      provider.on(
        event as 'grant.error',
        (ctx: KoaContextWithOIDC, { error, error_description: description, error_detail: detail }) => {
          this.logger.info(
            { event, error, description, detail, clientId: ctx.oidc.client?.clientId },
            'request refused',
          )
        },
      )
    }
    provider.on('server_error', (_ctx, error) => this.logger.error({ err: error }, 'auth server failed'))
    const koa: EventEmitter = provider
    koa.on('error', (error: unknown) => this.logger.error({ err: error }, 'auth server failed'))
  }
}

type Next = () => Promise<void>

/**
 * Refuses introspection to clients that do not authenticate, and does not offer it to them; oidc-provider has
 * one list of methods for all endpoints.
 */
async function refusePublicIntrospection(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next()
  const { route, client } = ctx.oidc ?? {}
  if (route === 'introspection' && client?.clientAuthMethod === 'none') {
    ctx.status = 401
    ctx.body = { error: 'invalid_client', error_description: 'client authentication is required' }
  }
  if (route !== 'discovery') return
  const told = ctx.body as { introspection_endpoint_auth_methods_supported?: string[] }
  told.introspection_endpoint_auth_methods_supported = clientAuthMethods.filter((method) => method !== 'none')
}

async function addIdentityToken(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next()
  await completeRefresh(ctx)
}

/** Adds our members to those of a grant that oidc-provider stores. No option does. */
function keepGrantMembers({ Grant }: Provider): void {
  const kept = [
    ...(Grant as unknown as { IN_PAYLOAD: string[] }).IN_PAYLOAD,
    impersonatorMember,
    rememberedMember,
    authTimeMember,
  ]
  Object.defineProperty(Grant, 'IN_PAYLOAD', { value: kept })
}

interface ClientSchema {
  scopes(): void
  invalidate(message: string, code?: string): void
}

interface RedirectChecks {
  redirectUriAllowed(this: { redirectUris: readonly string[] }, address: unknown): boolean
  postLogoutRedirectUriAllowed(this: { postLogoutRedirectUris: readonly string[] }, address: unknown): boolean
}

/** Allows a client's exact redirect addresses, and its patterns where those are switched on. */
function adaptRedirects({ Client }: Provider, withPatterns: boolean): void {
  const checks = Client.prototype as unknown as RedirectChecks
  const { redirectUriAllowed, postLogoutRedirectUriAllowed } = checks
  const fitsOne = (address: unknown, patterns: readonly string[]): boolean =>
    withPatterns && typeof address === 'string' && patterns.some((pattern) => fitsPattern(address, pattern))
  const isPattern = (address: unknown): boolean => typeof address === 'string' && hasMark(address)
  checks.redirectUriAllowed = function (address) {
    const isExact = !isPattern(address) && redirectUriAllowed.call(this, address)
    return isExact || fitsOne(address, this.redirectUris)
  }
  checks.postLogoutRedirectUriAllowed = function (address) {
    const isExact = !isPattern(address) && postLogoutRedirectUriAllowed.call(this, address)
    return isExact || fitsOne(address, this.postLogoutRedirectUris)
  }
}

/**
 * Secrets are hashed, implicit clients may be on localhost or without TLS, as with OpenIddict, and a client's
 * scopes were checked when its row was read. These three are not in oidc-provider's options.
 */
function adaptClients(provider: Provider, withPatterns: boolean): void {
  adaptRedirects(provider, withPatterns)
  const { Client } = provider
  const secrets = new ClientSecrets()
  Client.prototype.compareClientSecret = function (secret: string) {
    return secrets.isRight(secret, this.clientSecret ?? '')
  }
  const schema = (Client as unknown as { Schema: { prototype: ClientSchema } }).Schema.prototype
  const { invalidate } = schema
  schema.scopes = () => undefined
  schema.invalidate = function (message, code) {
    if (code !== 'implicit-force-https' && code !== 'implicit-forbid-localhost')
      invalidate.call(this, message, code)
  }
}
