import { AccountAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { type TextReference, ValidationError } from '@keel/framework/contracts'
import { Passwords } from '@keel/identity/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'

/** Takes a new password from a user who followed the link of a mail. */
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
    const isGood = await isValidLink(() => this.accounts.verifyPasswordResetToken(linkIn(ctx)))
    if (!isGood) return this.showBadLink(ctx)
    await this.showForm(ctx, this.faults.ofProblem(problem))
  }

  async answer({ ctx }: PageRequest, form: URLSearchParams): Promise<void> {
    const isGood = await isValidLink(() => this.accounts.verifyPasswordResetToken(linkIn(ctx)))
    if (!isGood) return this.showBadLink(ctx)
    const password = form.get('newPassword') ?? ''
    const refused =
      (await this.faults.ofNewPassword(form)) ??
      (await this.faults.ofPassword(form, () => this.accounts.resetPassword({ ...linkIn(ctx), password })))
    if (refused) return this.showForm(ctx, refused)
    const address = returnUrlOf(ctx) ?? pagePaths.login
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
    const actions = [
      { label: 'Link:AskAgain', address: withReturnUrl(pagePaths.forgotPassword, returnUrlOf(ctx)) },
    ]
    this.notices.show(ctx, { title: 'Link:Bad', texts: ['Link:BadHelp'], actions }, 400)
  }
}

function linkIn(ctx: Context): { userId: string; resetToken: string } {
  return { userId: String(ctx.query.userId ?? ''), resetToken: String(ctx.query.resetToken ?? '') }
}

/** The answer of `check` about a link; false also for a link that was cut or changed. */
export async function isValidLink(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}
