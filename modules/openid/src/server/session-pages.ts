import { Injectable } from '@keel/framework'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { Pages } from './pages.js'

/** The pages that oidc-provider asks for: signing out, and errors that can't be told to a client. */
@Injectable()
export class SessionPages {
  constructor(private readonly pages: Pages) {}

  /**
   * Signs out. A client that shows an identity token of the very user who is signed in is believed, as ABP believes every request;
   * in any other case the person is asked, so that no foreign page can sign them out.
   */
  async signOut(ctx: KoaContextWithOIDC, form: string): Promise<void> {
    const { session, entities, provider } = ctx.oidc
    if (session && entities.IdTokenHint && entities.IdTokenHint.payload.sub === session.accountId) {
      const { postLogoutRedirectUri, state } = session.state as {
        postLogoutRedirectUri?: string
        state?: string
      }
      await session.destroy()
      ctx.cookies.set(provider.cookieName('session'), null)
      provider.emit('end_session.success', ctx)
      ctx.status = 303
      ctx.redirect(
        postLogoutRedirectUri
          ? withState(postLogoutRedirectUri, state)
          : ctx.oidc.urlFor('end_session_success'),
      )
      return
    }
    this.pages.show(ctx, 'sign-out', { form })
  }

  /** Where signing out ends without a client to return to, also for somebody who changed their mind. */
  async showEnd(ctx: KoaContextWithOIDC): Promise<void> {
    const { accountId } = await ctx.oidc.provider.Session.get(ctx as never)
    const title = accountId ? 'SignOut:Stayed' : 'SignOut:Done'
    this.pages.show(ctx, 'message', { title, text: 'SignOut:ClosePage' })
  }

  showError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
    const expired = description?.includes('session') || description?.includes('expired')
    const text = expired ? 'SignIn:Expired' : 'SignIn:BadRequest'
    this.pages.show(
      ctx,
      'message',
      { title: 'SignIn:Failed', text, detail: [error, description].filter(Boolean).join(': ') },
      ctx.status,
    )
  }
}

function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri
  const url = new URL(uri)
  url.searchParams.set('state', state)
  return url.href
}
