import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { Reauthentication, UserLogins } from '@keel/identity/contracts'
import type { SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults } from '../pages/form-faults.js'
import { type FormFault, Pages } from '../pages/pages.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'
import { ExternalAccounts } from './external-accounts.js'
import { ExternalClients } from './external-clients.js'
import { ProviderRedirect } from './provider-redirect.js'

/** Shows, adds and removes the accounts elsewhere that the user signs in with. */
@Injectable()
export class ExternalLoginsPage implements SignedInPage {
  readonly path = pagePaths.externalLogins
  readonly needsSignIn = true as const

  constructor(
    private readonly clients: ExternalClients,
    private readonly providers: ProviderRedirect,
    private readonly accounts: ExternalAccounts,
    private readonly logins: UserLogins,
    private readonly session: BrowserSession,
    private readonly reauthentication: Reauthentication,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showList(request, problem && [{ text: this.pages.text(problem.key) }])
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    await this.session.as(account, () => this.reauthentication.demand())
    const [provider, key] = [form.get('provider') ?? '', form.get('key')]
    if (key === null)
      return this.providers.sendTo(provider, request.ctx, { returnUrl: undefined, linkTo: account.id })
    const refused = await this.faults.of(form, {}, () => this.accounts.unlink(account.id, provider, key))
    if (refused) return this.showList(request, refused.faults, refused.status)
    redirect(request.ctx, pagePaths.externalLogins)
  }

  private async showList(
    request: SignedInRequest,
    faults: readonly FormFault[] = [],
    status?: number,
  ): Promise<void> {
    const logins = await this.logins.of(request.account.id)
    const offered = (await this.clients.all())
      .map(({ scheme: { name, label } }) => ({ name, label }))
      .filter(({ name }) => !logins.some(({ loginProvider }) => loginProvider === name))
    const data = {
      title: 'External:LoginsTitle',
      section: pagePaths.externalLogins,
      faults,
      logins,
      offered,
    }
    this.pages.show(request.ctx, 'external-logins', data, status)
  }
}
