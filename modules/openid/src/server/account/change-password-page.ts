import { ProfileAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { Passwords } from '@keel/identity/contracts'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'

const changePasswordPath = '/Account/ChangePassword'

/** Changes the password of the signed-in user. */
@Injectable()
export class ChangePasswordPage implements SignedInPage {
  readonly path = changePasswordPath
  readonly needsSignIn = true as const

  constructor(
    private readonly profiles: ProfileAppService,
    private readonly passwords: Passwords,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showForm(request.ctx, request.account, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const given = (name: string): string => form.get(name) ?? ''
    // Users of a directory elsewhere have no password yet.
    const currentPassword = form.has('currentPassword') ? given('currentPassword') : null
    const refused =
      this.faults.combine(
        form,
        currentPassword === null ? undefined : this.faults.missing(form, 'currentPassword'),
        await this.faults.ofNewPassword(form),
      ) ??
      (await this.faults.ofPassword(form, () =>
        this.session.as(account, () =>
          this.profiles.changePassword({ currentPassword, newPassword: given('newPassword') }),
        ),
      ))
    if (refused) return this.showForm(request.ctx, account, refused)
    // The new password has signed out every browser. The user has just proven in this one who they are.
    await this.session.start(request, { account, amr: ['pwd'], rememberMe: false })
    redirect(request.ctx, changePasswordPath, 'PasswordChanged')
  }

  private async showForm(
    ctx: Context,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const { hasPassword, isExternal } = await this.session.as(account, () => this.profiles.get())
    const data = {
      title: 'Manage:Password',
      section: changePasswordPath,
      faults: faults ?? [],
      done: finishedActionIn(ctx, ['PasswordChanged']),
      userName: account.userName,
      rules: await this.passwords.rules(),
      hasPassword,
      isExternal,
    }
    this.pages.show(ctx, 'change-password', data, status)
  }
}
