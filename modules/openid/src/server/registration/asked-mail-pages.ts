import { type AskedMail, AskedMails, loginPagesApp } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'

/** The prefix of the keys of each page's texts. */
const prefixes: Readonly<Record<AskedMail, string>> = {
  PasswordReset: 'ForgotPassword',
  EmailConfirmation: 'ResendConfirmation',
}

/**
 * A page that sends a mail to the address that is entered. The answer, and the time that it takes, are the
 * same whether a user has the address or not.
 */
@Injectable()
class AskedMailPage implements AccountPage {
  declare readonly path: string
  declare protected readonly mail: AskedMail

  constructor(
    private readonly mails: AskedMails,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show({ ctx }: PageRequest, problem?: TextReference): Promise<void> {
    this.showForm(ctx, '', this.faults.ofProblem(problem))
  }

  async answer({ ctx }: PageRequest, form: URLSearchParams): Promise<void> {
    const { mail } = this
    const email = (form.get('email') ?? '').trim()
    const returnUrl = returnUrlOf(ctx)
    const refused =
      this.faults.missing(form, 'email') ??
      (await this.faults.of(form, {}, () =>
        this.mails.send(mail, email, { appName: loginPagesApp, returnUrl }),
      ))
    if (refused) return this.showForm(ctx, email, refused)
    const texts = [{ key: `${prefixes[mail]}:SentHelp`, data: { email } }, 'ForgotPassword:SentNothing']
    const address = withReturnUrl(pagePaths.login, returnUrl)
    const actions = [{ label: 'SignIn:ToSignIn', address, isMinor: true }]
    this.notices.show(ctx, { title: 'ForgotPassword:Sent', texts, actions })
  }

  private showForm(ctx: Context, email: string, { faults, status }: Partial<RefusedForm> = {}): void {
    const prefix = prefixes[this.mail]
    const signInAddress = withReturnUrl(pagePaths.login, returnUrlOf(ctx))
    const data = {
      title: `${prefix}:Title`,
      prefix,
      faults: faults ?? [],
      values: { email },
      signInAddress,
    }
    this.pages.show(ctx, 'asked-mail', data, status)
  }
}

/** Asks for the address of a user who forgot their password. */
@Injectable()
export class ForgotPasswordPage extends AskedMailPage {
  override readonly path = pagePaths.forgotPassword
  protected override readonly mail = 'PasswordReset'
}

/** Asks for the address that a mail to confirm it is sent to again. */
@Injectable()
export class ResendConfirmationPage extends AskedMailPage {
  override readonly path = pagePaths.resendConfirmation
  protected override readonly mail = 'EmailConfirmation'
}
