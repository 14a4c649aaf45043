import { ProfileAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import { PhoneForm } from '../registration/phone-form.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'

/** Confirms the telephone number of a user who is signed in: asks for the number first, then for the code. */
@Injectable()
export class PhonePage implements SignedInPage {
  readonly path = pagePaths.confirmPhone
  readonly needsSignIn = true as const

  constructor(
    private readonly profiles: ProfileAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
    private readonly form: PhoneForm,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    const { account } = request
    if (!(await this.form.isOffered())) return this.notices.showNotFound(request.ctx)
    await this.showForm(request, account, undefined, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    if (!(await this.form.isOffered())) return this.notices.showNotFound(request.ctx)
    const { refused, sentTo, isConfirmed } = await this.session.as(account, () =>
      this.form.answer(form, { userId: account.id }),
    )
    if (refused?.retryAfterSeconds) request.ctx.set('retry-after', String(refused.retryAfterSeconds))
    if (isConfirmed) return redirect(request.ctx, pagePaths.manage, 'PhoneConfirmed')
    await this.showForm(request, account, sentTo, refused, form.get('phoneNumber') ?? undefined)
  }

  /** @param sentTo where a code is on its way to: the form for the code */
  private async showForm(
    { ctx }: SignedInRequest,
    account: BrowserAccount,
    sentTo?: string,
    { faults, status }: Partial<RefusedForm> = {},
    typed?: string,
  ): Promise<void> {
    const { phoneNumber } = await this.session.as(account, () => this.profiles.get())
    const data = {
      title: 'Phone:Title',
      section: pagePaths.manage,
      faults: faults ?? [],
      values: { phoneNumber: typed ?? phoneNumber ?? '' },
      sentTo,
    }
    this.pages.show(ctx, 'confirm-phone', data, status)
  }
}
