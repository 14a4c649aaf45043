import { LinkUserAppService, LinkUserInput, SecondFactor } from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import { BusinessError, type TextReference } from '@keel/framework/contracts'
import { type Account, AccountSettings, Passwords, SignInSettings } from '@keel/identity/contracts'
import { ExternalClients } from '../external/external-clients.js'
import type { ExternalScheme } from '../external/external-scheme.js'
import { asksForConsent } from '../grants/consents.js'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { type FormFault, Pages } from '../pages/pages.js'
import { SealedCookies } from '../pages/sealed-cookies.js'
import { PasskeyCeremonies } from '../passkeys/passkey-ceremonies.js'
import { PasskeyForm } from '../passkeys/passkey-form.js'
import { pagePaths } from '../requests/page-paths.js'
import { provenAtOf } from '../requests/proof-time.js'
import { redirect } from '../requests/redirect.js'
import { demandsNewSignIn, localPath, withoutPrompt, withReturnUrl } from '../requests/return-url.js'
import { type ConfirmingUser, confirmingUser } from './confirming-user.js'
import { ConsentStep } from './consent-step.js'
import {
  cancelInteraction,
  refuseInteraction,
  resumeInteraction,
  type SignInVisit,
  visitOf,
} from './interactions.js'
import { browserTokenOf, keepBrowserToken } from './remembered-browser.js'
import { secondFactorAnswerIn } from './second-factor-step.js'
import { SignInSteps } from './sign-in-steps.js'
import type { ConfirmationState, RenewalState, SignedIn, StepOutcome } from './step-outcome.js'

/** The values that each form of a sign-in passes on to the next. */
interface Carried {
  readonly userName: string
  readonly rememberMe: boolean
}

/** The pages where people sign in. */
@Injectable()
export class LoginPage implements AccountPage {
  readonly path = pagePaths.login
  readonly takesId = true

  constructor(
    private readonly steps: SignInSteps,
    private readonly consent: ConsentStep,
    private readonly secondFactor: SecondFactor,
    private readonly passwords: Passwords,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
    private readonly settings: Settings,
    private readonly external: ExternalClients,
    private readonly links: LinkUserAppService,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly passkeyForm: PasskeyForm,
    private readonly cookies: SealedCookies,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const visit = await visitOf(request)
    if (!visit) return this.notices.showExpired(request.ctx)
    const { interaction } = visit
    const account = await this.session.accountOf(request)
    if (interaction?.prompt.name === 'consent') {
      // Clients whose users give no consent get a requested consent at once.
      const isAsked = account && visit.client && asksForConsent(visit.client)
      return isAsked ? this.consent.show(visit, account) : resumeInteraction(visit, { consent: {} })
    }
    if (interaction?.prompt.name === 'select_account' && account) return this.showAccounts(visit, account)
    const hint = interaction?.params.login_hint
    const userName = typeof hint === 'string' ? hint : interaction ? (account?.userName ?? '') : ''
    await this.showForm(
      visit,
      { userName, rememberMe: false },
      problem && [{ text: this.pages.text(problem.key) }],
    )
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const visit = await visitOf(request)
    if (!visit) return this.notices.showExpired(request.ctx)
    const action = form.get('action')
    const { interaction } = visit
    if (interaction && action === 'cancel') return cancelInteraction(visit)
    if (interaction?.prompt.name === 'consent') {
      const account = await this.session.accountOf(request)
      return account ? this.consent.answer(visit, account, action) : this.notices.showExpired(request.ctx)
    }
    if (interaction?.prompt.name === 'select_account' && action === 'continue')
      return resumeInteraction(visit, { select_account: {} })
    const carried = {
      userName: textIn(form, 'userName').trim().slice(0, 256),
      rememberMe: form.has('rememberMe'),
    }
    if (action === 'other') return this.showForm(visit, { userName: '', rememberMe: false })
    if (form.has('renewalToken')) return this.takeNewPassword(visit, carried, form)
    if (form.has('secondFactorToken')) return this.takeCode(visit, carried, form)
    if (this.passkeyForm.isPresentIn(form)) return this.takePasskey(visit, carried, form)
    return this.takePassword(visit, carried, form)
  }

  /** Answers with the outcome of a step: the next form, or the way back to the client that waits. */
  async conclude(visit: SignInVisit, carried: Carried, outcome: StepOutcome): Promise<void> {
    if ('account' in outcome) return this.complete(visit, outcome, carried.rememberMe)
    if ('secondFactor' in outcome) return this.showCodeForm(visit, carried, outcome)
    if ('renewal' in outcome) return this.showRenewal(visit, carried, outcome.renewal)
    if ('confirmation' in outcome) return this.sendToConfirm(visit, carried, outcome.confirmation)
    if ('lockedOutUntil' in outcome) return this.showLockedOut(visit, outcome.lockedOutUntil)
    const text = this.pages.text(outcome.error.key, outcome.error.data)
    await this.showForm(visit, carried, [{ text }], outcome.status)
  }

  private async takePassword(visit: SignInVisit, carried: Carried, form: URLSearchParams): Promise<void> {
    const { ctx } = visit.request
    const missing = this.faults.missing(form, 'userName', 'password')
    if (missing) return this.showForm(visit, carried, missing.faults, missing.status)
    await this.take(visit, carried, form, () => {
      const browserTokenFor = (userId: string) => browserTokenOf(ctx, userId)
      const credentials = { userName: carried.userName, password: textIn(form, 'password'), browserTokenFor }
      return this.steps.takePassword(credentials)
    })
  }

  private async takePasskey(visit: SignInVisit, carried: Carried, form: URLSearchParams): Promise<void> {
    const { ctx } = visit.request
    await this.take(visit, carried, form, async () =>
      this.steps.takePasskey(await this.passkeyForm.proofIn(ctx, form)),
    )
  }

  /** Takes the first step of a sign-in, and shows the form again with what was refused. */
  private async take(
    visit: SignInVisit,
    carried: Carried,
    form: URLSearchParams,
    step: () => Promise<StepOutcome>,
  ): Promise<void> {
    const refused = await this.faults.of(form, {}, async () => this.conclude(visit, carried, await step()))
    if (refused?.retryAfterSeconds) visit.request.ctx.set('retry-after', String(refused.retryAfterSeconds))
    if (refused) await this.showForm(visit, carried, refused.faults, refused.status)
  }

  private async takeCode(visit: SignInVisit, carried: Carried, form: URLSearchParams): Promise<void> {
    const answer = secondFactorAnswerIn(form)
    const outcome = await this.steps.takeCode(answer)
    const isProven = 'account' in outcome || 'renewal' in outcome
    if (isProven && form.has('rememberBrowser')) {
      const token = await this.secondFactor.rememberBrowser(answer.userId)
      if (token) keepBrowserToken(visit.request.ctx, answer.userId, token)
    }
    await this.conclude(visit, carried, outcome)
  }

  private async takeNewPassword(visit: SignInVisit, carried: Carried, form: URLSearchParams): Promise<void> {
    const renewal = {
      userId: textIn(form, 'userId'),
      methods: textIn(form, 'methods'),
      token: textIn(form, 'renewalToken').slice(0, 512),
      reason: textIn(form, 'reason') === 'expired' ? ('expired' as const) : ('given' as const),
    }
    if (!(await this.steps.isRenewing(renewal))) {
      const text = this.pages.text('SignIn:PageTooOld')
      return this.showForm(visit, carried, [{ text }], 400)
    }
    const refused =
      (await this.faults.ofNewPassword(form)) ??
      (await this.faults.ofPassword(form, async () => {
        await this.conclude(
          visit,
          carried,
          await this.steps.takeNewPassword(renewal, textIn(form, 'newPassword')),
        )
      }))
    if (refused) await this.showRenewal(visit, carried, renewal, refused.faults, refused.status)
  }

  private async complete(visit: SignInVisit, { account, amr }: SignedIn, rememberMe: boolean): Promise<void> {
    const { request, interaction, returnUrl } = visit
    if (interaction) {
      await this.session.leaveOther(request, { account, amr, rememberMe }, interaction)
      const login = { accountId: account.id, remember: rememberMe, amr: [...amr] }
      // A user who has just signed in has chosen their account.
      return resumeInteraction(visit, { login, select_account: {} })
    }
    const before = await this.session.accountOf(request)
    await this.session.start(request, { account, amr, rememberMe })
    if (!(await this.link(request, { account, amr }, before?.id))) return this.showNotLinked(request)
    redirect(request.ctx, localPath(returnUrl))
  }

  /**
   * Links the account that signed in with the one that asked for it: ABP's user interface sends people here
   * with `LinkUserId` and `LinkToken` in the address. False when the token does not count, or when this
   * browser was not signed in to that account: a link that a stranger sends must not give them one's own.
   */
  private async link(
    request: PageRequest,
    { account, amr }: SignedIn,
    signedInBefore: string | undefined,
  ): Promise<boolean> {
    const { LinkUserId: userId, LinkToken: token, LinkTenantId: tenantId } = request.ctx.query
    if (typeof userId !== 'string' || typeof token !== 'string' || !userId) return true
    const input = LinkUserInput.schema.safeParse({ userId, token, tenantId: tenantId || null })
    if (!input.success || input.data.userId.toLowerCase() !== signedInBefore) return false
    try {
      const provenAt = provenAtOf({ loginTs: Math.floor(Date.now() / 1000), amr: [...amr] })
      await this.session.as({ ...account, provenAt }, () => this.links.link(input.data))
      return true
    } catch (error) {
      if (error instanceof BusinessError) return false
      throw error
    }
  }

  private showNotLinked({ ctx }: PageRequest): void {
    const actions = [{ label: 'Manage:Title', address: pagePaths.manage }]
    this.notices.show(ctx, { title: 'Link:Bad', texts: ['Link:BadHelp'], actions }, 400)
  }

  private async showForm(
    visit: SignInVisit,
    carried: Carried,
    faults: readonly FormFault[] = [],
    status?: number,
  ): Promise<void> {
    const { request, interaction, client, returnUrl } = visit
    const isLocal = await this.steps.isLocal()
    const mayRegister = isLocal && (await this.settings.isOn(AccountSettings.IsSelfRegistrationEnabled))
    const offersPasskeys = await this.ceremonies.areOn()
    const externalProviders = await this.providersFor(visit)
    if (interaction && !isLocal && !offersPasskeys && !externalProviders.length)
      return refuseInteraction(visit)
    const mustConfirm = isLocal && (await this.settings.isOn(SignInSettings.RequireConfirmedEmail))
    const data = {
      title: 'SignIn:Title',
      faults,
      values: { userName: carried.userName },
      rememberMe: carried.rememberMe,
      clientName: client?.clientName,
      isLocal,
      offersPasskeys,
      passkeyOptionsPath: pagePaths.passkeyOptions,
      script: offersPasskeys,
      externalProviders,
      externalAddress: withReturnUrl(pagePaths.externalLogin, returnUrl),
      forgotAddress: withReturnUrl(pagePaths.forgotPassword, returnUrl),
      resendAddress: mustConfirm ? withReturnUrl(pagePaths.resendConfirmation, returnUrl) : undefined,
      registerAddress: mayRegister ? withReturnUrl(pagePaths.register, returnUrl) : undefined,
      canCancel: interaction !== undefined,
    }
    this.pages.show(request.ctx, 'login', data, status)
  }

  /** The providers to sign in with: for a client that wants a new sign-in, those that can prove one. */
  private async providersFor({ returnUrl }: SignInVisit): Promise<ExternalScheme[]> {
    const mustBeNew = demandsNewSignIn(returnUrl)
    const schemes = (await this.external.all()).map(({ scheme }) => scheme)
    return schemes.filter(({ provesNewSignIns }) => provesNewSignIns || !mustBeNew)
  }

  private showAccounts({ request, client }: SignInVisit, { userName, email }: Account): void {
    const data = { title: 'SelectAccount:Title', clientName: client?.clientName, userName, email }
    this.pages.show(request.ctx, 'select-account', data)
  }

  private async showCodeForm(
    { request, interaction }: SignInVisit,
    { rememberMe }: Carried,
    { secondFactor, error, status }: Extract<StepOutcome, { secondFactor: unknown }>,
  ): Promise<void> {
    const data = {
      title: 'SignIn:SecondFactor',
      faults: error ? [{ field: 'code', text: this.pages.text(error.key, error.data) }] : [],
      secondFactor,
      rememberMe,
      mayRememberBrowser: await this.secondFactor.mayRememberBrowser(),
      canCancel: interaction !== undefined,
    }
    this.pages.show(request.ctx, 'second-factor', data, status)
  }

  private async showRenewal(
    { request, interaction }: SignInVisit,
    { rememberMe }: Carried,
    renewal: RenewalState,
    faults: readonly FormFault[] = [],
    status?: number,
  ): Promise<void> {
    const rules = await this.passwords.rules()
    const canCancel = interaction !== undefined
    const data = { title: 'NewPassword:Required', faults, renewal, rememberMe, rules, canCancel }
    this.pages.show(request.ctx, 'new-password', data, status)
  }

  /** Sends a user who has something to confirm to the page for it, which then continues the sign-in. */
  private sendToConfirm(
    { request: { ctx }, returnUrl }: SignInVisit,
    { rememberMe }: Carried,
    confirmation: ConfirmationState,
  ): void {
    this.cookies.set(ctx, confirmingUser, { ...confirmation, rememberMe } satisfies ConfirmingUser)
    redirect(ctx, withReturnUrl(pagePaths.confirmUser, withoutPrompt(returnUrl)))
  }

  private showLockedOut({ request, returnUrl }: SignInVisit, until: Date): void {
    const actions = [
      { label: 'SignIn:ForgotPassword', address: withReturnUrl(pagePaths.forgotPassword, returnUrl) },
      { label: 'SignIn:ToSignIn', address: request.ctx.path, isMinor: true },
    ]
    this.notices.showLockedOut(request.ctx, until, actions)
  }
}

function textIn(form: URLSearchParams, name: string): string {
  return form.get(name) ?? ''
}
