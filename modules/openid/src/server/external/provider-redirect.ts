import { reauthenticationPath } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { type NoticeAction, Notices } from '../pages/notices.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'
import { withReturnUrl } from '../requests/return-url.js'
import { ExternalClients } from './external-clients.js'
import { type ExternalErrand, ExternalExchange, type ExternalFault } from './external-exchange.js'

const faultPages: Readonly<Record<ExternalFault, readonly [name: string, status: number]>> = {
  cancelled: ['Cancelled', 400],
  invalid: ['Invalid', 400],
  refused: ['Refused', 502],
  unproven: ['Unproven', 400],
  unreachable: ['Unreachable', 503],
}

/** Sends people to external providers, and shows a page when a provider signs nobody in. */
@Injectable()
export class ProviderRedirect {
  constructor(
    private readonly clients: ExternalClients,
    private readonly exchange: ExternalExchange,
    private readonly notices: Notices,
  ) {}

  /** Sends the person to the provider of a name. */
  async sendTo(name: string, ctx: Context, errand: ExternalErrand): Promise<void> {
    const client = await this.clients.find(name)
    if (!client) return this.notices.showNotFound(ctx)
    const address = await this.exchange.start(ctx, client, errand)
    if (address) return redirect(ctx, address)
    this.showFault(ctx, { fault: 'unreachable', label: client.scheme.label, errand })
  }

  /** Shows why a provider signed nobody in, with a link to where the person came from. */
  showFault(
    ctx: Context,
    {
      fault,
      label: provider,
      errand,
    }: { readonly fault: ExternalFault; readonly label: string; readonly errand: ExternalErrand },
  ): void {
    const [name, status] = faultPages[fault]
    const text = { key: `External:${name}`, data: { provider } }
    const texts = fault === 'cancelled' ? [text] : [text, `External:${name}Help`]
    const notice = { title: `External:${name}Title`, texts, actions: [linkBack(errand)] }
    if (fault === 'cancelled') this.notices.show(ctx, notice, status)
    else this.notices.showFault(ctx, notice, status)
  }
}

function linkBack({ returnUrl, linkTo, confirm }: ExternalErrand): NoticeAction {
  if (linkTo) return { label: 'External:ToLogins', address: pagePaths.externalLogins }
  return confirm
    ? { label: 'Confirm:Title', address: withReturnUrl(reauthenticationPath, returnUrl) }
    : { label: 'SignIn:ToSignIn', address: withReturnUrl(pagePaths.login, returnUrl) }
}
