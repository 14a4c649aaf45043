import { atMost, Injectable } from '@keel/framework'
import { sequentialGuid } from '@keel/framework/data'
import { type NewSession, Reauthentication, Sessions } from '@keel/identity/contracts'
import { LRUCache } from 'lru-cache'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { apiResource, areForApi } from '../clients/scopes.js'
import { provenAtOf } from '../requests/proof-time.js'
import { originOf } from '../requests/request-origin.js'
import { Consents } from './consents.js'

/** The last use of a session is stored with this precision. */
const touchEveryMs = 60_000

/** The user who acts in the name of a grant's user, and the session that they do it from. */
export interface GrantImpersonator {
  readonly userId: string
  readonly userName: string
  readonly sessionId: string
  /** By which they act, when it is no administrator, and until when: milliseconds since 1970. */
  readonly delegation?: { readonly id: string; readonly until: number } | undefined
}

/** Our member of a grant for its impersonator. oidc-provider keeps it with the grant. */
export const impersonatorMember = 'impersonator'

/** The impersonator of a grant; undefined when its user acts. */
export function impersonatorOf(grant: Grant | undefined): GrantImpersonator | undefined {
  return (grant as { [impersonatorMember]?: GrantImpersonator } | undefined)?.[impersonatorMember]
}

/** Our member of a grant: true when the person wants to be remembered on the device. */
export const rememberedMember = 'remembered'

/** True when the person wants to be remembered. Clients drop other tokens when the browser is closed. */
export function isRemembered(grant: Grant): boolean {
  return (grant as { [rememberedMember]?: boolean })[rememberedMember] === true
}

/** Our member of a grant: when its person last proved who they are, in seconds since 1970. */
export const authTimeMember = 'authTime'

/**
 * When the person who uses a grant last proved who they are, in seconds since 1970: `auth_time` of OpenID Connect
 * Core 1.0, section 2. Grants from before it was kept tell when they began.
 */
export function authTimeOf(grant: Grant): number {
  return (grant as { [authTimeMember]?: number })[authTimeMember] ?? grant.iat ?? 0
}

/** The circumstances in which a grant begins. */
export interface GrantCircumstances {
  readonly impersonator?: GrantImpersonator | undefined
  readonly isRemembered?: boolean
  /** When the person proved who they are, in seconds since 1970; now, when not given. */
  readonly authTime?: number | undefined
}

/**
 * The rights of clients in the name of users. Each grant is a session that its user can see and end
 * (`AbpSessions`): tokens carry its id, and neither the API nor a refresh takes them once the session has
 * ended.
 */
@Injectable()
export class Grants {
  private readonly touched = new LRUCache<string, true>({ ...atMost(10_000), ttl: touchEveryMs })

  constructor(
    private readonly sessions: Sessions,
    private readonly consents: Consents,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * The grant of the session and the client of an authorization request, extended by what is asked for now;
   * none before the person has allowed it, where they have to. One grant for each session and client, so that
   * a stolen refresh token that is noticed takes all of the client's tokens with it.
   */
  async load(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
    const grant = await this.current(ctx)
    const { session } = ctx.oidc
    // The sign-in of the browser is one for the client's session too, as long as it counts.
    if (grant && session?.accountId)
      await this.reauthentication.note(session.accountId, [grant.jti], provenAtOf(session))
    return grant
  }

  private async current(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { client, session, account, requestParamScopes } = ctx.oidc
    if (!client || !session || !account || (await this.consents.isMissing(ctx))) return undefined
    const known = await ctx.oidc.provider.Grant.find(session.grantIdFor(client.clientId) ?? '')
    const wantsToBeRemembered = session.transient !== true
    const authTime = session.loginTs
    if (known?.accountId !== account.accountId) {
      const circumstances = { isRemembered: wantsToBeRemembered, authTime }
      return this.begin(ctx, 'Web', account.accountId, requestParamScopes, circumstances)
    }
    const isForApi = areForApi(client, requestParamScopes)
    const isSame =
      hasAll(known, requestParamScopes, isForApi) &&
      isRemembered(known) === wantsToBeRemembered &&
      authTimeOf(known) === authTime
    if (isSame) return known
    if (isRemembered(known) !== wantsToBeRemembered)
      await this.sessions.remember(known.jti, wantsToBeRemembered)
    Object.assign(known, { [rememberedMember]: wantsToBeRemembered, [authTimeMember]: authTime })
    return saved(known, requestParamScopes, isForApi)
  }

  /** A new grant of the client at hand, with the scopes it asks for. */
  async begin(
    ctx: KoaContextWithOIDC,
    device: NewSession['device'],
    accountId: string,
    scopes: ReadonlySet<string>,
    { impersonator, isRemembered = false, authTime = nowInSeconds() }: GrantCircumstances = {},
  ): Promise<Grant> {
    // Ids of grants are those of their rows. The types do not know that one may be given.
    const { client, provider } = ctx.oidc
    const properties = {
      jti: sequentialGuid(),
      accountId,
      clientId: client?.clientId,
      [authTimeMember]: authTime,
      ...(impersonator && { [impersonatorMember]: impersonator }),
      ...(isRemembered && { [rememberedMember]: true }),
    }
    const grant = await saved(new provider.Grant(properties), scopes, areForApi(client, scopes))
    await this.sessions.begin({
      sessionId: properties.jti,
      device,
      userId: accountId,
      origin: originOf(ctx),
      browser: device === 'Web' ? browserOf(ctx) : undefined,
      isInOthersHands: impersonator !== undefined,
      isRemembered,
      delegationId: impersonator?.delegation?.id,
    })
    return grant
  }

  /** Ends a grant and the session of it. */
  async end(ctx: KoaContextWithOIDC, grantId: string): Promise<void> {
    const grant = await ctx.oidc.provider.Grant.find(grantId)
    await grant?.destroy()
  }

  /** Notes that a grant was used again: at most once a minute from the same address. */
  async touch(ctx: KoaContextWithOIDC, grantId: string): Promise<void> {
    const origin = originOf(ctx)
    const use = `${grantId} ${origin.ipAddress}`
    if (this.touched.has(use)) return
    this.touched.set(use, true)
    await this.sessions.touch(grantId, origin)
  }
}

/** The browser at hand, with the sessions of the clients that it let in before: they are its grants. */
function browserOf({ oidc: { session } }: KoaContextWithOIDC): NewSession['browser'] {
  if (!session) return undefined
  const grants = Object.values(session.authorizations ?? {}).map(({ grantId }) => grantId)
  return { uid: session.uid, sessionIds: grants.filter((id) => id !== undefined) }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

async function saved(grant: Grant, scopes: ReadonlySet<string>, isForApi: boolean): Promise<Grant> {
  const text = [...scopes].join(' ')
  if (text) {
    grant.addOIDCScope(text)
    if (isForApi) grant.addResourceScope(apiResource, text)
  }
  await grant.save()
  return grant
}

function hasAll(grant: Grant, scopes: ReadonlySet<string>, isForApi: boolean): boolean {
  const granted = new Set(grant.getOIDCScope().split(' '))
  const forApi = new Set(grant.getResourceScope(apiResource).split(' '))
  return [...scopes].every((scope) => granted.has(scope) && (!isForApi || forApi.has(scope)))
}
