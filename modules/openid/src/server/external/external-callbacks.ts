import { reauthenticationPath } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { loginProviders } from '@keel/setting-management/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { Notices } from '../pages/notices.js'
import { SealedCookies } from '../pages/sealed-cookies.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'
import { withoutPrompt, withReturnUrl } from '../requests/return-url.js'
import { ExternalAccounts } from './external-accounts.js'
import { ExternalClients } from './external-clients.js'
import { type ExternalAnswer, ExternalExchange } from './external-exchange.js'
import { ProviderRedirect } from './provider-redirect.js'

/** The cookie with the identity from a provider, from its answer until the person is signed in. */
export const knownIdentity = {
  name: 'keel.external-identity',
  path: pagePaths.externalLogin,
  seconds: 600,
} as const

/** The pages that providers send people back to: a path for each, so that answers can't be mixed up. */
@Injectable()
export class ExternalCallbacks {
  readonly pages: readonly AccountPage[] = loginProviders.map(({ name, isFamily, callbackPath }) => ({
    path: callbackPath,
    takesId: isFamily,
    show: (request) => this.take(request, isFamily ? name + request.id : name),
  }))

  constructor(
    private readonly clients: ExternalClients,
    private readonly exchange: ExternalExchange,
    private readonly providers: ProviderRedirect,
    private readonly accounts: ExternalAccounts,
    private readonly session: BrowserSession,
    private readonly cookies: SealedCookies,
    private readonly notices: Notices,
  ) {}

  private async take(request: PageRequest, name: string): Promise<void> {
    const { ctx } = request
    const client = await this.clients.find(name)
    if (!client) return this.notices.showNotFound(ctx)
    const answer = await this.exchange.finish(ctx, client)
    if (!('identity' in answer))
      return answer.fault === 'unexpected'
        ? this.notices.showExpired(ctx)
        : this.providers.showFault(ctx, answer)
    if (answer.errand.linkTo) return this.link(request, answer)
    if (answer.errand.confirm) return this.confirm(request, answer)
    this.cookies.set(ctx, knownIdentity, answer.identity)
    redirect(ctx, withReturnUrl(pagePaths.externalLogin, withoutPrompt(answer.errand.returnUrl)))
  }

  /** Links the identity with the account that asked for it, if the browser is still signed in to it. */
  private async link(
    request: PageRequest,
    { identity, errand: { linkTo } }: Extract<ExternalAnswer, { identity: unknown }>,
  ): Promise<void> {
    const { ctx } = request
    const account = await this.session.accountOf(request)
    if (!account || account.id !== linkTo) return this.notices.showExpired(ctx)
    try {
      await this.accounts.link(account.id, identity)
    } catch (error) {
      if (!(error instanceof BusinessError)) throw error
      const actions = [{ label: 'External:ToLogins', address: pagePaths.externalLogins }]
      return this.notices.show(
        ctx,
        { title: 'External:LoginsTitle', texts: [error.code ?? ''], actions },
        400,
      )
    }
    redirect(ctx, pagePaths.externalLogins)
  }

  /** Takes a provider's identity as a new proof, if it is linked with the signed-in account. */
  private async confirm(
    request: PageRequest,
    { identity, errand: { confirm, returnUrl } }: Extract<ExternalAnswer, { identity: unknown }>,
  ): Promise<void> {
    const { ctx } = request
    const account = await this.session.accountOf(request)
    if (!account || account.id !== confirm) return this.notices.showExpired(ctx)
    if (!(await this.accounts.isOf(account.id, identity))) {
      const actions = [{ label: 'Confirm:Title', address: withReturnUrl(reauthenticationPath, returnUrl) }]
      return this.notices.show(ctx, { title: 'Confirm:Title', texts: ['Confirm:OtherAccount'], actions }, 400)
    }
    await this.session.renew(request, account)
    redirect(ctx, returnUrl ?? `${reauthenticationPath}?done=Confirmed`)
  }
}
