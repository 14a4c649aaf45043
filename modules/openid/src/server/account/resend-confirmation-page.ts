import { AccountAppService, loginPagesApp } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { type TextReference, TooManyRequestsError } from '@keel/framework/contracts'
import { UserDirectory } from '@keel/identity/contracts'
import { Notices } from '../notices.js'
import { type Context, Pages } from '../pages.js'
import { returnUrlOf, withReturnUrl } from '../return-url.js'
import { loginPath } from '../routes.js'
import type { AccountPage, PageRequest } from './account-page.js'
import { FormFaults, type RefusedForm } from './form-faults.js'

/** Where somebody asks for the mail again with which they confirm their address. */
export const resendConfirmationPath = '/Account/ResendConfirmation'

/** The page of {@link resendConfirmationPath}. It answers alike whether there is such an account. */
@Injectable()
export class ResendConfirmationPage implements AccountPage {
  readonly path = resendConfirmationPath

  constructor(
    private readonly accounts: AccountAppService,
    private readonly users: UserDirectory,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show({ ctx }: PageRequest, problem?: TextReference): Promise<void> {
    this.showForm(ctx, '', this.faults.because(problem))
  }

  async answer({ ctx }: PageRequest, form: URLSearchParams): Promise<void> {
    const email = (form.get('email') ?? '').trim().slice(0, 256)
    const refused =
      this.faults.missing(form, 'email') ??
      (await this.faults.of(form, {}, () => this.send(email, returnUrlOf(ctx))))
    if (refused) return this.showForm(ctx, email, refused)
    const texts = [{ key: 'ResendConfirmation:SentHelp', data: { email } }, 'ForgotPassword:SentNothing']
    const actions = [{ label: 'SignIn:ToSignIn', address: withReturnUrl(loginPath, returnUrlOf(ctx)) }]
    this.notices.show(ctx, { title: 'ForgotPassword:Sent', texts, actions })
  }

  private async send(email: string, returnUrl: string | undefined): Promise<void> {
    const user = await this.users.findByEmail(email)
    if (!user) return
    try {
      await this.accounts.sendEmailConfirmationToken({ appName: loginPagesApp, userId: user.id, returnUrl })
    } catch (error) {
      // That an account had enough of these mails would tell strangers that there is one.
      if (!(error instanceof TooManyRequestsError)) throw error
    }
  }

  private showForm(ctx: Context, email: string, { faults, status }: Partial<RefusedForm> = {}): void {
    const signInAddress = withReturnUrl(loginPath, returnUrlOf(ctx))
    const data = { title: 'ResendConfirmation:Title', faults: faults ?? [], values: { email }, signInAddress }
    this.pages.show(ctx, 'resend-confirmation', data, status)
  }
}
