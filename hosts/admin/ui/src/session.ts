import { User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { RunTimeConfiguration } from './config.js'

/** The path where the auth server sends the browser back to. */
export const callbackPath = '/authentication/login-callback'
/** A token is renewed this long before its end, because clocks differ. */
const renewBeforeEndSeconds = 45
const scope = 'openid offline_access profile email roles Core'

/** The sign-in of this tab. Tokens are kept in the tab's session storage alone: they end with it. */
export class Session {
  private readonly manager: UserManager
  private user: User | null = null
  private renewing: Promise<string | undefined> | undefined
  private readonly listeners = new Set<() => void>()
  /** True once the session can not be renewed any more. What is on the page stays there. */
  hasEnded = false

  constructor(private readonly config: RunTimeConfiguration) {
    const store = new WebStorageStateStore({ store: sessionStorage })
    this.manager = new UserManager({
      authority: config.authority,
      client_id: config.clientId,
      redirect_uri: location.origin + callbackPath,
      post_logout_redirect_uri: `${location.origin}/`,
      scope,
      userStore: store,
      stateStore: store,
      automaticSilentRenew: false,
      monitorSession: false,
      revokeTokensOnSignout: true,
    })
  }

  /** True when this tab has tokens, which may have expired. */
  async isSignedIn(): Promise<boolean> {
    this.user = await this.manager.getUser()
    return this.user !== null
  }

  /** Leaves the page for the auth server, which sends the browser back to the present address. */
  async signIn(): Promise<void> {
    const { pathname, search, hash } = location
    const returnTo = pathname === callbackPath ? '/' : pathname + search + hash
    await this.manager.signinRedirect({ state: { returnTo } })
  }

  /** Takes what the auth server sent to the callback. @returns the path where the person was before */
  async finishSignIn(): Promise<string> {
    this.user = await this.manager.signinRedirectCallback()
    const { returnTo } = (this.user.state ?? {}) as { returnTo?: unknown }
    // A path of this page: `//host` would lead elsewhere.
    return typeof returnTo === 'string' && /^\/(?!\/|\\)/.test(returnTo) ? returnTo : '/'
  }

  /** Revokes the tokens and leaves the page for the auth server, which signs the browser out. */
  async signOut(): Promise<void> {
    await this.manager.signoutRedirect()
  }

  /**
   * Goes on as another user, or back to the own account, in this tab: the grant type `Impersonation` of the auth server. Throws its refusal.
   * @param userId the other user; without it the way back
   */
  async actAs(userId?: string): Promise<void> {
    const { authority, clientId } = this.config
    const form = {
      grant_type: 'Impersonation',
      client_id: clientId,
      scope,
      access_token: (await this.accessToken()) ?? '',
    }
    const answer = await fetch(`${authority}/connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, ...(userId && { UserId: userId }) }),
    })
    const tokens = (await answer.json()) as Record<string, string | number>
    if (!answer.ok) throw new Error(String(tokens['error_description'] ?? tokens['error']))
    const user = new User({
      access_token: String(tokens['access_token']),
      refresh_token: String(tokens['refresh_token']),
      token_type: 'Bearer',
      scope,
      expires_at: Math.floor(Date.now() / 1000) + Number(tokens['expires_in']),
      // The pages ask the API host who acts, not these claims.
      profile: {} as User['profile'],
    })
    await this.manager.storeUser(user)
    location.assign('/')
  }

  /** The access token of the moment, renewed when it is about to end; undefined when the session has ended. */
  async accessToken(): Promise<string | undefined> {
    const { user } = this
    if (this.hasEnded || !user) return undefined
    return (user.expires_in ?? 0) > renewBeforeEndSeconds ? user.access_token : await this.renew()
  }

  /** Renews the tokens; concurrent callers share one renewal. Undefined when the auth server refuses it. */
  renew(): Promise<string | undefined> {
    this.renewing ??= this.tryRenewing().finally(() => {
      this.renewing = undefined
    })
    return this.renewing
  }

  private async tryRenewing(): Promise<string | undefined> {
    try {
      this.user = await this.manager.signinSilent()
      return this.user?.access_token
    } catch (error) {
      // Without a connection the tokens may still be good: the call itself tells what is wrong.
      if (error instanceof TypeError) return this.user?.access_token
      this.end()
      return undefined
    }
  }

  /** Notes that the server does not know this session any more. */
  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    for (const listener of this.listeners) listener()
  }

  /** Calls the listener when the session has ended. @returns what takes it away again */
  readonly onEnd = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
