import { ambient, Configuration, Injectable, withAmbient } from '@keel/framework'
import { type Account, type BegunBrowser, Reauthentication, SignIn } from '@keel/identity/contracts'
import type { Interaction, Session } from 'oidc-provider'
import { pagePaths } from '../requests/page-paths.js'
import { methodsAfterProof, provenAtOf } from '../requests/proof-time.js'
import { redirect } from '../requests/redirect.js'
import { withReturnUrl } from '../requests/return-url.js'
import { sessionSeconds } from '../requests/routes.js'
import { maxSessionSeconds } from '../requests/settings.js'
import type { BrowserAccount, PageRequest } from './account-page.js'

/** The sign-in of a browser at the auth server itself, for the server's own pages. */
@Injectable()
export class BrowserSession {
  private readonly seconds: number

  constructor(
    private readonly signIn: SignIn,
    private readonly reauthentication: Reauthentication,
    configuration: Configuration,
  ) {
    this.seconds = Math.min(sessionSeconds, maxSessionSeconds(configuration))
  }

  /** The account that the browser is signed in to; undefined without one that may sign in. */
  async accountOf({ ctx, provider }: PageRequest): Promise<BrowserAccount | undefined> {
    const session = await provider.Session.get(ctx as never)
    const account = session.accountId ? await this.signIn.find(session.accountId) : undefined
    return account && { ...account, provenAt: provenAtOf(session) }
  }

  /**
   * The account that the browser is signed in to. Without one, sends the person to sign in and back, and
   * answers undefined.
   */
  async demand(request: PageRequest): Promise<BrowserAccount | undefined> {
    const account = await this.accountOf(request)
    const { path, search } = request.ctx
    if (!account) redirect(request.ctx, withReturnUrl(pagePaths.login, path + search))
    return account
  }

  /** A name for the session of a browser and its account, for forms that count in no other session. */
  async nameOf({ ctx, provider }: PageRequest): Promise<string> {
    const { uid, accountId } = await provider.Session.get(ctx as never)
    return `${uid} ${accountId}`
  }

  /** The browser, with the sessions of the clients that it let in: they are its grants. */
  async browserOf({ ctx, provider }: PageRequest): Promise<BegunBrowser> {
    const { uid, authorizations = {} } = await provider.Session.get(ctx as never)
    const grants = Object.values(authorizations).map(({ grantId }) => grantId)
    return { uid, sessionIds: grants.filter((id) => id !== undefined) }
  }

  /** Signs the browser in without any client: the next client that asks finds it signed in. */
  async start(
    { ctx, provider }: PageRequest,
    { account, amr, rememberMe }: { account: Account; amr: readonly string[]; rememberMe: boolean },
  ): Promise<void> {
    const session = await provider.Session.get(ctx as never)
    // A new name for the session: one that an attacker planted in the browser becomes worthless.
    session.resetIdentifier()
    if (session.accountId !== account.id) delete session.authorizations
    delete session.transient
    session.loginAccount({ accountId: account.id, amr: [...amr], transient: !rememberMe })
    await session.save(this.seconds)
    sendCookie({ ctx, provider }, session)
  }

  /**
   * Notes a new proof of the signed-in user: in this browser, and in the sessions of the clients that it let
   * in. Clients that ask for its time (`auth_time`) are told of this one too.
   */
  async renew({ ctx, provider }: PageRequest, { id }: Account): Promise<void> {
    const session = await provider.Session.get(ctx as never)
    if (session.accountId !== id) return
    session.loginTs = Math.floor(Date.now() / 1000)
    session.amr = methodsAfterProof(session.amr)
    // A copy of the cookie that was taken before the proof must not count as proven.
    session.resetIdentifier()
    await session.persist()
    sendCookie({ ctx, provider }, session)
    const grants = Object.values(session.authorizations ?? {}).map(({ grantId }) => grantId)
    await this.reauthentication.note(
      id,
      grants.filter((grantId) => grantId !== undefined),
    )
  }

  /** Signs the browser out; the clients that it let in stay as they are. */
  async end({ ctx, provider }: PageRequest): Promise<void> {
    const session = await provider.Session.get(ctx as never)
    if (session.accountId) await session.destroy()
    ctx.cookies.set(provider.cookieName('session'), null, {
      httpOnly: true,
      sameSite: 'lax',
      secure: ctx.secure,
    })
  }

  /**
   * Leaves another account that the browser is signed in to, in the middle of a sign-in: oidc-provider would
   * have a script sign out of it.
   */
  async leaveOther(
    request: PageRequest,
    signedIn: Parameters<BrowserSession['start']>[1],
    interaction: Interaction,
  ): Promise<void> {
    const { accountId } = await request.provider.Session.get(request.ctx as never)
    if (accountId === undefined || accountId === signedIn.account.id) return
    await this.start(request, signedIn)
    // The sign-in began in the session that has just ended.
    const origin: { uid?: string } | undefined = interaction.session
    if (origin) delete origin.uid
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1000))
  }

  /**
   * Runs a use case in the name of the signed-in user. It may do what every user may do with their own
   * account, and nothing else.
   */
  as<T>({ id: userId, userName, provenAt }: BrowserAccount, work: () => Promise<T>): Promise<T> {
    const nothing = { roles: [], permissions: new Set<string>() }
    const principal = { kind: 'user', userId, userName, provenAt, ...nothing } as const
    return withAmbient({ ...ambient(), principal }, work)
  }
}

/** Gives the browser the name of its session, for as long as the session lasts when its user is to be remembered. */
function sendCookie({ ctx, provider }: PageRequest, { jti, exp, transient }: Session): void {
  ctx.cookies.set(provider.cookieName('session'), jti, {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    ...(!transient && { expires: new Date(exp * 1000) }),
  })
}
