import { AccountAppService, loginPagesApp, UserConfirmations } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { UserDirectory } from '@keel/identity/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import { SealedCookies } from '../pages/sealed-cookies.js'
import { pagePaths } from '../requests/page-paths.js'
import { returnUrlOf, withReturnUrl } from '../requests/return-url.js'
import { type ConfirmingUser, confirmingUser } from '../sign-in/confirming-user.js'
import { LoginPage } from '../sign-in/login-page.js'
import { SignInSteps } from '../sign-in/sign-in-steps.js'
import { PhoneForm } from './phone-form.js'

/**
 * Confirms the e-mail address or telephone number that the settings demand, after the right password; then
 * the sign-in continues. A sealed cookie of the sign-in holds the user: nobody else reaches the page.
 */
@Injectable()
export class ConfirmUserPage implements AccountPage {
  readonly path = pagePaths.confirmUser

  constructor(
    private readonly accounts: AccountAppService,
    private readonly confirmations: UserConfirmations,
    private readonly users: UserDirectory,
    private readonly steps: SignInSteps,
    private readonly login: LoginPage,
    private readonly cookies: SealedCookies,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
    private readonly phone: PhoneForm,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const state = await this.stateOf(request)
    if (!state) return this.showExpired(request)
    await this.showForm(request, state, { refused: this.faults.ofProblem(problem) })
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    // The steps of the sign-in that follow have their forms on this page too.
    if (form.has('renewalToken') || form.has('password')) return this.login.answer(request, form)
    const state = await this.stateOf(request)
    if (!state) return this.showExpired(request)
    const action = form.get('action')
    if (action === 'continue') return this.finishConfirming(request, state)
    if (action === 'mail') return this.sendMail(request, state, form)
    const { userId, token: confirmUserToken } = state
    const { refused, sentTo, isConfirmed } = await this.phone.answer(form, { userId, confirmUserToken })
    if (isConfirmed) return this.finishConfirming(request, state)
    await this.showForm(request, state, { refused, sentTo, typed: form.get('phoneNumber') ?? undefined })
  }

  private async sendMail(request: PageRequest, state: ConfirmingUser, form: URLSearchParams): Promise<void> {
    const { userId } = state
    const returnUrl = withReturnUrl(pagePaths.confirmUser, returnUrlOf(request.ctx))
    const refused = await this.faults.of(form, {}, () =>
      this.accounts.sendEmailConfirmationToken({ appName: loginPagesApp, userId, returnUrl }),
    )
    await this.showForm(request, state, { refused, wasMailed: !refused })
  }

  /** Goes on with the sign-in, or with what is still to be confirmed. */
  private async finishConfirming(request: PageRequest, state: ConfirmingUser): Promise<void> {
    const { userId, methods, rememberMe } = state
    const left = await this.confirmations.demandOf(userId)
    if (left) {
      // Another number has made the token of before worthless.
      const next = { ...state, token: left.token }
      this.cookies.set(request.ctx, confirmingUser, next)
      return this.showForm(request, next, { isEarly: true })
    }
    this.cookies.clear(request.ctx, confirmingUser)
    const visit = { request, returnUrl: returnUrlOf(request.ctx) }
    await this.login.conclude(
      visit,
      { userName: '', rememberMe },
      await this.steps.takeConfirmed({ userId, methods }),
    )
  }

  /** The user who was sent here; undefined when nobody was, or too long ago. */
  private async stateOf({ ctx }: PageRequest): Promise<ConfirmingUser | undefined> {
    const state = this.cookies.read<ConfirmingUser>(ctx, confirmingUser)
    return state && (await this.confirmations.isGenuine(state.userId, state.token)) ? state : undefined
  }

  private async showForm(
    { ctx }: PageRequest,
    { userId }: ConfirmingUser,
    { refused, sentTo, typed, wasMailed = false, isEarly = false }: Shown,
  ): Promise<void> {
    const [user, left] = await Promise.all([this.users.find(userId), this.confirmations.demandOf(userId)])
    if (refused?.retryAfterSeconds) ctx.set('retry-after', String(refused.retryAfterSeconds))
    const data = {
      title: 'ConfirmUser:Title',
      faults: refused?.faults ?? [],
      values: { phoneNumber: typed ?? user?.phoneNumber ?? '' },
      email: left?.email ? user?.email : undefined,
      needsPhone: left?.phoneNumber ?? false,
      canPhone: await this.phone.isOffered(),
      sentTo,
      wasMailed,
      isEarly,
      signInAddress: withReturnUrl(pagePaths.login, returnUrlOf(ctx)),
    }
    this.pages.show(ctx, 'confirm-user', data, refused?.status)
  }

  private showExpired({ ctx }: PageRequest): void {
    const actions = [{ label: 'SignIn:ToSignIn', address: withReturnUrl(pagePaths.login, returnUrlOf(ctx)) }]
    this.notices.show(ctx, { title: 'SignIn:StartAgain', texts: ['SignIn:Expired'], actions }, 400)
  }
}

interface Shown {
  readonly refused?: RefusedForm | Partial<RefusedForm> | undefined
  readonly sentTo?: string | undefined
  /** As it was typed. */
  readonly typed?: string | undefined
  readonly wasMailed?: boolean
  /** True when the user wants to continue while something is left to confirm. */
  readonly isEarly?: boolean
}
