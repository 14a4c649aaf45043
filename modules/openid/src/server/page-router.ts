import { reauthenticationPath } from '@keel/account/contracts'
import { Injectable, Logger } from '@keel/framework'
import type { Provider } from 'oidc-provider'
import { AccountPages } from './account-pages.js'
import type { AccountPage, PageRequest, SignedInRequest } from './pages/account-page.js'
import { Antiforgery } from './pages/antiforgery.js'
import { Branding } from './pages/branding.js'
import { BrowserSession } from './pages/browser-session.js'
import { wantsProof } from './pages/form-faults.js'
import { Notices } from './pages/notices.js'
import type { PageState } from './pages/pages.js'
import { PasskeyCeremonies } from './passkeys/passkey-ceremonies.js'
import type { Context } from './requests/context.js'
import {
  hasFewFields,
  readForm,
  readUpload,
  refusal,
  refuseNul,
  type UploadedForm,
} from './requests/forms.js'
import { redirect } from './requests/redirect.js'
import { withReturnUrl } from './requests/return-url.js'

type Next = () => Promise<unknown>

const yearSeconds = 365 * 24 * 3600

/**
 * Finds the page of a path, in any case and with or without a slash at the end, as ASP.NET does. Every form
 * passes here: one that was not shown in this browser reaches no page.
 */
@Injectable()
export class PageRouter {
  constructor(
    private readonly antiforgery: Antiforgery,
    private readonly branding: Branding,
    private readonly notices: Notices,
    private readonly logger: Logger,
    private readonly pages: AccountPages,
    private readonly session: BrowserSession,
    private readonly ceremonies: PasskeyCeremonies,
  ) {}

  /**
   * Answers the paths of the pages; everything else is passed on to oidc-provider. Paths that nothing answers
   * end on a page that says so.
   */
  handlerFor(provider: Provider): (ctx: Context, next: Next) => Promise<unknown> {
    return async (ctx, next) => {
      if (/^\/account\.[0-9a-f]+\.(css|js)$/.test(ctx.path)) return this.sendFile(ctx)
      try {
        refuseNul(ctx.url)
        if (!hasFewFields(ctx.querystring)) {
          // The page that says so leads to itself in other languages.
          ctx.url = ctx.path
          throw refusal(414, 'The address has too many parameters')
        }
        if (!(await this.answer(ctx, provider))) await next()
      } catch (error) {
        if (wantsProof(error)) return this.askForProof(ctx)
        const { status = 500, expose, message } = error as Error & { status?: number; expose?: boolean }
        if (expose && status < 500) this.refuse(ctx, status, message)
        else {
          this.logger.error({ err: error, path: ctx.path }, 'page failed')
          this.notices.showFailed(ctx)
        }
      }
      if (ctx.status === 404 && !ctx.body && ctx.accepts('json', 'html') === 'html')
        this.notices.showNotFound(ctx)
    }
  }

  private async answer(ctx: Context, provider: Provider): Promise<boolean> {
    const path = ctx.path.length > 1 ? ctx.path.replace(/\/$/, '') : ctx.path
    const found = this.pages.all
      .map((page) => ({ page, id: idBehind(page, path) }))
      .find(({ id }) => id !== undefined)
    if (!found) return false
    const { page, id } = found
    const request = { ctx, provider, id: id || undefined }
    if (!page.needsSignIn) return this.serve(page, request)
    // Before the form is read: a browser without its cookies could not prove that the form is its own.
    const account = await this.session.demand(request)
    if (!account) return true
    const state: PageState = ctx.state
    state.signedInAs = account.userName
    state.hasPasskeys = await this.ceremonies.areOn()
    this.antiforgery.bind(ctx, await this.session.nameOf(request))
    const signedIn: SignedInRequest = { ...request, account }
    return this.serve(page, signedIn)
  }

  /** Shows a page or takes its form. False for other methods. */
  private async serve<R extends PageRequest>(page: AccountPage<R>, request: R): Promise<boolean> {
    const { ctx } = request
    if (ctx.method === 'GET' || ctx.method === 'HEAD') await page.show(request)
    else if (ctx.method === 'POST' && page.answer) {
      const { fields, file, isTooLarge } = await this.formOf(ctx, page)
      if (!this.antiforgery.isValid(ctx, fields.get('token'))) {
        await page.show(request, { key: 'SignIn:PageTooOld' })
        ctx.status = 400
      } else if (isTooLarge) {
        await page.show(request, page.upload?.tooLarge, fields)
        ctx.status = 413
      } else await page.answer(request, fields, file)
    } else return false
    return true
  }

  /** Sends the user to the page that asks for a proof, which leads back to this page. */
  private askForProof(ctx: Context): void {
    redirect(ctx, withReturnUrl(reauthenticationPath, ctx.path))
  }

  private async formOf(ctx: Context, { upload }: AccountPage): Promise<UploadedForm> {
    if (upload && ctx.is('multipart/form-data')) return readUpload(ctx.req, upload)
    return { fields: await readForm(ctx.req), file: undefined, isTooLarge: false }
  }

  /** In the protocol's form for a program that asks for JSON, else as a page. */
  private refuse(ctx: Context, status: number, error_description: string): void {
    if (ctx.accepts('html', 'json') !== 'json') {
      this.notices.showUnreadable(ctx, status)
      return
    }
    ctx.status = status
    ctx.body = { error: 'invalid_request', error_description }
  }

  /** Sends the style sheet or the script. */
  private sendFile(ctx: Context): void {
    const { style, stylePath, script, scriptPath } = this.branding
    const isStyle = ctx.path.endsWith('.css')
    const isCurrent = ctx.path === (isStyle ? stylePath : scriptPath)
    ctx.type = isStyle ? 'css' : 'js'
    ctx.set('x-content-type-options', 'nosniff')
    // While copies of two versions run, a page of one may ask the other.
    ctx.set('cache-control', isCurrent ? `public, max-age=${yearSeconds}, immutable` : 'no-store')
    ctx.body = isStyle ? style : script
  }
}

/** The id behind the path of a page: empty without one; undefined when it is the path of another page. */
function idBehind({ path, takesId }: AccountPage, asked: string): string | undefined {
  const start = asked.slice(0, path.length).toLowerCase()
  if (start !== path.toLowerCase()) return undefined
  const rest = asked.slice(path.length)
  if (rest === '') return ''
  return takesId && /^\/[\w-]+$/.test(rest) ? rest.slice(1) : undefined
}
