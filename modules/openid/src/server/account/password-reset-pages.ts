import { AccountAppService, AccountErrors, loginPagesApp } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { BusinessError, type TextReference, ValidationError } from '@keel/framework/contracts'
import { Passwords } from '@keel/identity/contracts'
import { Notices } from '../notices.js'
import { type Context, Pages } from '../pages.js'
import { returnUrlOf, withReturnUrl } from '../return-url.js'
import { loginPath } from '../routes.js'
import type { AccountPage, PageRequest } from './account-page.js'
import { FormFaults, type RefusedForm } from './form-faults.js'

const forgotPath = '/Account/ForgotPassword'

/** Where somebody who forgot their password asks for a mail. It answers alike whether there is such an account. */
@Injectable()
export class ForgotPasswordPage implements AccountPage {
  readonly path = forgotPath

  constructor(
    private readonly accounts: AccountAppService,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show({ ctx }: PageRequest, problem?: TextReference): Promise<void> {
    this.showForm(ctx, '', this.faults.because(problem))
  }

  async answer({ ctx }: PageRequest, form: URLSearchParams): Promise<void> {
    const email = (form.get('email') ?? '').trim()
    const refused =
      this.faults.missing(form, 'email') ??
      (await this.faults.of(form, {}, () => this.send(email, returnUrlOf(ctx))))
    if (refused) return this.showForm(ctx, email, refused)
    const texts = [{ key: 'ForgotPassword:SentHelp', data: { email } }, 'ForgotPassword:SentNothing']
    const actions = [{ label: 'SignIn:ToSignIn', address: withReturnUrl(loginPath, returnUrlOf(ctx)) }]
    this.notices.show(ctx, { title: 'ForgotPassword:Sent', texts, actions })
  }

  private async send(email: string, returnUrl: string | undefined): Promise<void> {
    try {
      await this.accounts.sendPasswordResetCode({ email, appName: loginPagesApp, returnUrl })
    } catch (error) {
      // Whatever the settings let the API tell, strangers learn nothing here.
      const isUnknown = error instanceof BusinessError && error.code === AccountErrors.InvalidEmailAddress
      if (!isUnknown) throw error
    }
  }

  private showForm(ctx: Context, email: string, { faults, status }: Partial<RefusedForm> = {}): void {
    const signInAddress = withReturnUrl(loginPath, returnUrlOf(ctx))
    const data = { title: 'ForgotPassword:Title', faults: faults ?? [], values: { email }, signInAddress }
    this.pages.show(ctx, 'forgot-password', data, status)
  }
}

/** Where the link of that mail leads: a new password is chosen here. */
@Injectable()
export class ResetPasswordPage implements AccountPage {
  readonly path = '/Account/ResetPassword'

  constructor(
    private readonly accounts: AccountAppService,
    private readonly passwords: Passwords,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show({ ctx }: PageRequest, problem?: TextReference): Promise<void> {
    const isGood = await isValid(() => this.accounts.verifyPasswordResetToken(linkIn(ctx)))
    if (!isGood) return this.showBadLink(ctx)
    await this.showForm(ctx, this.faults.because(problem))
  }

  async answer({ ctx }: PageRequest, form: URLSearchParams): Promise<void> {
    const isGood = await isValid(() => this.accounts.verifyPasswordResetToken(linkIn(ctx)))
    if (!isGood) return this.showBadLink(ctx)
    const password = form.get('newPassword') ?? ''
    const refused =
      this.faults.missing(form, 'newPassword', 'confirmation') ??
      this.faults.unequal(form) ??
      (await this.faults.ofPassword(form, () => this.accounts.resetPassword({ ...linkIn(ctx), password })))
    if (refused) return this.showForm(ctx, refused)
    const address = returnUrlOf(ctx) ?? loginPath
    const actions = [{ label: 'SignIn:ToSignIn', address }]
    this.notices.show(ctx, { title: 'ResetPassword:Done', texts: ['ResetPassword:DoneHelp'], actions })
  }

  private async showForm(ctx: Context, { faults, status }: Partial<RefusedForm> = {}): Promise<void> {
    const rules = await this.passwords.rules()
    this.pages.show(
      ctx,
      'reset-password',
      { title: 'ResetPassword:Title', faults: faults ?? [], rules },
      status,
    )
  }

  private showBadLink(ctx: Context): void {
    const actions = [{ label: 'Link:AskAgain', address: withReturnUrl(forgotPath, returnUrlOf(ctx)) }]
    this.notices.show(ctx, { title: 'Link:Bad', texts: ['Link:BadHelp'], actions }, 400)
  }
}

function linkIn(ctx: Context): { userId: string; resetToken: string } {
  return { userId: String(ctx.query.userId ?? ''), resetToken: String(ctx.query.resetToken ?? '') }
}

/** What `check` says of a link; one that was cut or changed is not valid either. */
export async function isValid(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}
