import { AccountAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { BusinessError, type TextReference } from '@keel/framework/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'
import { isValidLink } from './reset-password-page.js'

/**
 * Confirms an e-mail address by the link of a mail. It asks for a click, because programs that look at mail
 * open links too.
 */
@Injectable()
export class EmailConfirmationPage implements AccountPage {
  readonly path = '/Account/EmailConfirmation'

  constructor(
    private readonly accounts: AccountAppService,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show({ ctx }: PageRequest, problem?: TextReference): Promise<void> {
    if (!(await isValidLink(() => this.accounts.verifyEmailConfirmationToken(linkIn(ctx)))))
      return this.showBadLink(ctx)
    const { faults = [], status } = this.faults.ofProblem(problem)
    this.pages.show(ctx, 'email-confirmation', { title: 'EmailConfirmation:Title', faults }, status)
  }

  async answer({ ctx }: PageRequest): Promise<void> {
    const isDone = await isValidLink(async () => {
      await this.accounts.confirmEmail(linkIn(ctx))
      return true
    }).catch((error: unknown) => {
      if (error instanceof BusinessError) return false
      throw error
    })
    if (!isDone) return this.showBadLink(ctx)
    const actions = [{ label: 'Device:Continue', address: returnUrlOf(ctx) ?? '/' }]
    this.notices.show(ctx, {
      title: 'EmailConfirmation:Done',
      texts: ['EmailConfirmation:DoneHelp'],
      actions,
    })
  }

  private showBadLink(ctx: Context): void {
    const actions = [
      { label: 'Link:AskAgain', address: withReturnUrl(pagePaths.resendConfirmation, returnUrlOf(ctx)) },
    ]
    this.notices.show(ctx, { title: 'Link:Bad', texts: ['Link:BadHelp'], actions }, 400)
  }
}

function linkIn(ctx: Context): { userId: string; token: string } {
  return { userId: String(ctx.query.userId ?? ''), token: String(ctx.query.confirmationToken ?? '') }
}
