import { type AskedMail, AskedMails, loginPagesApp } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { PageRequest } from '../pages/account-page.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'

/** Where the texts of each form stand. */
const prefixes: Readonly<Record<AskedMail, string>> = {
  PasswordReset: 'ForgotPassword',
  EmailConfirmation: 'ResendConfirmation',
}

/** The form in which somebody asks for a mail by their address. It answers alike, and as fast, whether anybody has the address. */
@Injectable()
export class AskedMailForm {
  constructor(
    private readonly mails: AskedMails,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  show({ ctx }: PageRequest, mail: AskedMail, problem: TextReference | undefined): void {
    this.render(ctx, mail, '', this.faults.because(problem))
  }

  async answer({ ctx }: PageRequest, mail: AskedMail, form: URLSearchParams): Promise<void> {
    const email = (form.get('email') ?? '').trim()
    const returnUrl = returnUrlOf(ctx)
    const refused =
      this.faults.missing(form, 'email') ??
      (await this.faults.of(form, {}, () =>
        this.mails.send(mail, email, { appName: loginPagesApp, returnUrl }),
      ))
    if (refused) return this.render(ctx, mail, email, refused)
    const texts = [{ key: `${prefixes[mail]}:SentHelp`, data: { email } }, 'ForgotPassword:SentNothing']
    const address = withReturnUrl(pagePaths.login, returnUrl)
    const actions = [{ label: 'SignIn:ToSignIn', address, isMinor: true }]
    this.notices.show(ctx, { title: 'ForgotPassword:Sent', texts, actions })
  }

  private render(
    ctx: Context,
    mail: AskedMail,
    email: string,
    { faults, status }: Partial<RefusedForm> = {},
  ): void {
    const prefix = prefixes[mail]
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
