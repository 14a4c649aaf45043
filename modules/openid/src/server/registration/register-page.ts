import { AccountAppService, loginPagesApp } from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { AccountSettings, IdentityErrors, Passwords, SignInSettings } from '@keel/identity/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults, passwordFields, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { OwnFieldForm } from '../pages/own-field-form.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'
import { LoginPage } from '../sign-in/login-page.js'
import { SignInSteps } from '../sign-in/sign-in-steps.js'
import { TakenNames } from './taken-names.js'

const fields = {
  ...passwordFields,
  [IdentityErrors.DuplicateUserName]: 'userName',
  [IdentityErrors.InvalidUserName]: 'userName',
  [IdentityErrors.DuplicateEmail]: 'emailAddress',
}

/** Registers a new user, where the settings allow it. */
@Injectable()
export class RegisterPage implements AccountPage {
  readonly path = pagePaths.register

  constructor(
    private readonly accounts: AccountAppService,
    private readonly takenNames: TakenNames,
    private readonly passwords: Passwords,
    private readonly settings: Settings,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
    private readonly own: OwnFieldForm,
    private readonly steps: SignInSteps,
    private readonly login: LoginPage,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    if (!(await this.mayRegister())) return this.showDisabled(request)
    await this.showForm(request, new URLSearchParams(), this.faults.ofProblem(problem))
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const { ctx } = request
    if (!(await this.mayRegister())) return this.showDisabled(request)
    let userId = ''
    const refused =
      (await this.faultsIn(ctx, form)) ??
      (await this.faults.of(form, fields, async () => {
        userId = await this.register(form)
      }))
    if (refused?.retryAfterSeconds) ctx.set('retry-after', String(refused.retryAfterSeconds))
    if (refused) return this.showForm(request, form, refused)
    if (await this.settings.isOn(SignInSettings.RequireConfirmedEmail))
      return this.askToConfirm(ctx, form, userId)
    const visit = { request, returnUrl: returnUrlOf(ctx) }
    await this.login.conclude(visit, { userName: '', rememberMe: false }, await this.steps.takeNew(userId))
  }

  private async faultsIn(ctx: Context, form: URLSearchParams): Promise<RefusedForm | undefined> {
    const refused = this.faults.combine(
      form,
      this.faults.missing(form, 'userName', 'emailAddress'),
      this.faults.addressFault(form, 'emailAddress'),
      await this.faults.ofNewPassword(form),
      await this.faults.of(form, fields, async () => this.own.checkNew(form)),
    )
    const names = { userName: form.get('userName') ?? '', email: form.get('emailAddress') ?? '' }
    return this.takenNames.addTo(refused, ctx, { form, fields, names })
  }

  private async register(form: URLSearchParams): Promise<string> {
    const { id } = await this.accounts.register({
      userName: (form.get('userName') ?? '').trim(),
      emailAddress: (form.get('emailAddress') ?? '').trim(),
      password: form.get('newPassword') ?? '',
      appName: loginPagesApp,
      extraProperties: this.own.valuesIn(form),
    })
    return id
  }

  private async askToConfirm(ctx: Context, form: URLSearchParams, userId: string): Promise<void> {
    const returnUrl = returnUrlOf(ctx)
    await this.accounts.sendEmailConfirmationToken({ appName: loginPagesApp, userId, returnUrl })
    const texts = [{ key: 'Register:CheckMailHelp', data: { email: form.get('emailAddress') } }]
    const address = withReturnUrl(pagePaths.login, returnUrl)
    const actions = [{ label: 'SignIn:ToSignIn', address, isMinor: true }]
    this.notices.show(ctx, { title: 'Register:CheckMail', texts, actions })
  }

  private async showForm(
    { ctx }: PageRequest,
    form: URLSearchParams,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const data = {
      title: 'Register:Title',
      faults: faults ?? [],
      values: {
        userName: form.get('userName') ?? '',
        emailAddress: form.get('emailAddress') ?? '',
        ...this.own.textsOf(form),
      },
      ownFields: this.own.ofNew(),
      rules: await this.passwords.rules(),
      signInAddress: withReturnUrl(pagePaths.login, returnUrlOf(ctx)),
    }
    this.pages.show(ctx, 'register', data, status)
  }

  private showDisabled({ ctx }: PageRequest): void {
    const actions = [{ label: 'SignIn:ToSignIn', address: withReturnUrl(pagePaths.login, returnUrlOf(ctx)) }]
    this.notices.show(ctx, { title: 'Register:Title', texts: ['Register:Disabled'], actions }, 403)
  }

  private async mayRegister(): Promise<boolean> {
    const { EnableLocalLogin, IsSelfRegistrationEnabled } = AccountSettings
    return (await this.settings.isOn(EnableLocalLogin)) && this.settings.isOn(IsSelfRegistrationEnabled)
  }
}
