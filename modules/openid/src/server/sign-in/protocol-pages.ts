import { Injectable } from '@keel/framework'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { type Notice, Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'

/** The pages that oidc-provider asks for: signing out, and errors that can't be told to a client. */
@Injectable()
export class ProtocolPages {
  constructor(
    private readonly pages: Pages,
    private readonly notices: Notices,
  ) {}

  /**
   * Signs out. A client that shows an identity token of the very user who is signed in is believed, as ABP
   * believes every request; in any other case the person is asked, so that no foreign page can sign them out.
   */
  async signOut(ctx: KoaContextWithOIDC): Promise<void> {
    const { session, entities, provider } = ctx.oidc
    if (session && entities.IdTokenHint && entities.IdTokenHint.payload.sub === session.accountId) {
      const to = afterSignOut(ctx)
      await session.destroy()
      ctx.cookies.set(provider.cookieName('session'), null)
      provider.emit('end_session.success', ctx)
      return redirect(ctx, to)
    }
    const data = {
      title: 'SignOut:Question',
      action: ctx.oidc.urlFor('end_session_confirm'),
      secret: stateOf(ctx).secret,
    }
    this.pages.show(ctx, 'sign-out', data)
  }

  /** Continues without a sign-in: there is nothing to ask. oidc-provider would have a script do it. */
  signOutNobody(ctx: KoaContextWithOIDC): void {
    redirect(ctx, afterSignOut(ctx))
  }

  /** The end of a sign-out without a client to return to, also for a person who changed their mind. */
  async showEnd(ctx: KoaContextWithOIDC): Promise<void> {
    const { accountId } = await ctx.oidc.provider.Session.get(ctx as never)
    const notice: Notice = accountId
      ? { title: 'SignOut:Stayed', texts: ['SignOut:StayedHelp'] }
      : {
          title: 'SignOut:Done',
          texts: ['SignOut:ClosePage'],
          actions: [{ label: 'SignOut:SignInAgain', address: pagePaths.login, isMinor: true }],
        }
    this.notices.show(ctx, notice)
  }

  /**
   * Shows an error that can't be told to the client: what happened, what to do, and what the client's
   * operator has to mend.
   */
  showError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
    const { client_id, redirect_uri, post_logout_redirect_uri } = ctx.oidc.params ?? {}
    const facts: [string, unknown][] = [
      ['SignIn:Detail', [error, description].filter(Boolean).join(': ')],
      ['SignIn:Client', client_id],
      ['SignIn:Address', redirect_uri ?? post_logout_redirect_uri],
    ]
    const details = facts.filter((fact): fact is [string, string] => typeof fact[1] === 'string')
    this.notices.showFault(ctx, { ...explanationOf(error, description ?? ''), details }, ctx.status)
  }
}

function explanationOf(error: string, description: string): Notice {
  if (error === 'invalid_client')
    return { title: 'SignIn:UnknownClient', texts: ['SignIn:UnknownClientHelp', 'SignIn:TellOperator'] }
  if (error === 'invalid_redirect_uri' || description.includes('redirect_uri'))
    return { title: 'SignIn:WrongRedirect', texts: ['SignIn:WrongRedirectHelp', 'SignIn:TellOperator'] }
  if (description.includes('session') || description.includes('expired'))
    return { title: 'SignIn:StartAgain', texts: ['SignIn:Expired', 'SignIn:ExpiredHelp'] }
  if (error === 'server_error')
    return { title: 'SignIn:Failed', texts: ['SignIn:OurFault', 'SignIn:OurFaultHelp'] }
  return { title: 'SignIn:Failed', texts: ['SignIn:BadRequest', 'SignIn:TellOperator'] }
}

interface SignOutState {
  readonly secret?: string
  readonly postLogoutRedirectUri?: string
  readonly state?: string
}

/** The members of the request to sign out that oidc-provider has checked. */
function stateOf(ctx: KoaContextWithOIDC): SignOutState {
  return (ctx.oidc.session?.state ?? {}) as SignOutState
}

function afterSignOut(ctx: KoaContextWithOIDC): string {
  const { postLogoutRedirectUri, state } = stateOf(ctx)
  return postLogoutRedirectUri
    ? withState(postLogoutRedirectUri, state)
    : ctx.oidc.urlFor('end_session_success')
}

function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri
  const url = new URL(uri)
  url.searchParams.set('state', state)
  return url.href
}
