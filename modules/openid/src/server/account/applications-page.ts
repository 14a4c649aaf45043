import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { SecurityActions, SecurityEvents } from '@keel/identity/contracts'
import { Consents } from '../grants/consents.js'
import type { SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { FormFaults } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import { timeText } from '../pages/time-text.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'
import { originOf } from '../requests/request-origin.js'
import { ScopeTexts } from '../sign-in/scope-texts.js'

const applicationsPath = '/Account/Applications'

/** Lists the consents of the signed-in user, and takes them back. */
@Injectable()
export class ApplicationsPage implements SignedInPage {
  readonly path = applicationsPath
  readonly needsSignIn = true as const

  constructor(
    private readonly consents: Consents,
    private readonly scopes: ScopeTexts,
    private readonly events: SecurityEvents,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    const { ctx } = request
    const { account } = request
    const consents = await this.consents.list(account.id)
    const rows = await Promise.all(
      consents.map(async ({ clientId, clientName, scopes, since }) => ({
        clientId,
        clientName,
        allowed: await this.scopes.of(scopes),
        since: timeText(since),
      })),
    )
    const { faults = [], status } = this.faults.ofProblem(problem)
    const done = finishedActionIn(ctx, ['Withdrawn'])
    const data = { title: 'Manage:Applications', section: applicationsPath, faults, rows, done }
    this.pages.show(ctx, 'applications', data, status)
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const clientId = form.get('client') ?? ''
    const scopes = await this.consents.withdraw(account.id, clientId)
    // None when it was withdrawn in another tab meanwhile.
    if (scopes.length > 0)
      await this.events.write({
        action: SecurityActions.WithdrawConsent,
        identity: 'OpenIddict',
        userId: account.id,
        userName: account.userName,
        origin: { ...originOf(request.ctx), clientId },
        extraProperties: { Scopes: scopes.join(' ') },
      })
    redirect(request.ctx, applicationsPath, 'Withdrawn')
  }
}
