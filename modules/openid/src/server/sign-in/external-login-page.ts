import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { IdentityErrors } from '@keel/identity/contracts'
import { ExternalAccounts } from '../external/external-accounts.js'
import { knownIdentity } from '../external/external-callbacks.js'
import type { ExternalIdentity } from '../external/external-scheme.js'
import { ProviderRedirect } from '../external/provider-redirect.js'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { FormFaults } from '../pages/form-faults.js'
import { OwnFieldForm } from '../pages/own-field-form.js'
import { type FormFault, Pages } from '../pages/pages.js'
import { SealedCookies } from '../pages/sealed-cookies.js'
import { pagePaths } from '../requests/page-paths.js'
import { redirect } from '../requests/redirect.js'
import { originOf } from '../requests/request-origin.js'
import { demandsNewSignIn, withReturnUrl } from '../requests/return-url.js'
import { type SignInVisit, visitOf } from './interactions.js'
import { LoginPage } from './login-page.js'
import { browserTokenOf } from './remembered-browser.js'
import { secondFactorAnswerIn } from './second-factor-step.js'
import { SignInSteps } from './sign-in-steps.js'
import type { StepOutcome } from './step-outcome.js'

/** Fields of the form for a new user, by the errors and members that the rules of users name. */
const registrationFields = {
  [IdentityErrors.DuplicateUserName]: 'newUserName',
  [IdentityErrors.InvalidUserName]: 'newUserName',
  [IdentityErrors.DuplicateEmail]: 'email',
  userName: 'newUserName',
}

/**
 * Sends people to a provider, and signs them in when they are back. People without a linked account either
 * prove once with a password that an account is theirs, or get a new one where registration is on.
 */
@Injectable()
export class ExternalLoginPage implements AccountPage {
  readonly path = pagePaths.externalLogin

  constructor(
    private readonly providers: ProviderRedirect,
    private readonly accounts: ExternalAccounts,
    private readonly steps: SignInSteps,
    private readonly login: LoginPage,
    private readonly cookies: SealedCookies,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
    private readonly own: OwnFieldForm,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const visit = (await visitOf(request)) as SignInVisit
    const who = this.cookies.read<ExternalIdentity>(request.ctx, knownIdentity)
    if (!who) return this.backToLogin(visit)
    if (problem) return this.showChoice(visit, who, [{ text: this.pages.text(problem.key) }])
    const result = await this.accounts.signInKnown(who, originOf(request.ctx))
    if (!result) return this.showChoice(visit, who)
    const outcome = await this.steps.takeExternal(result, {
      isNewSignIn: who.isNewSignIn,
      browserTokenFor: (userId) => browserTokenOf(request.ctx, userId),
    })
    return this.conclude(visit, outcome)
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const visit = (await visitOf(request)) as SignInVisit
    const who = this.cookies.read<ExternalIdentity>(request.ctx, knownIdentity)
    if (form.has('renewalToken')) return this.login.answer(request, form)
    if (form.has('secondFactorToken')) return this.takeCode(visit, who, form)
    const action = form.get('action')
    if (action === 'link' && who) return this.takePassword(visit, who, form)
    if (action === 'register' && who) return this.register(visit, who, form)
    const provider = form.get('provider')
    const { returnUrl } = visit
    if (provider !== null)
      return this.providers.sendTo(provider, request.ctx, {
        returnUrl,
        mustBeNew: demandsNewSignIn(returnUrl),
      })
    return this.backToLogin(visit)
  }

  /** The password of an account here, and where its owner wants one the code, link it for good. */
  private async takePassword(
    visit: SignInVisit,
    who: ExternalIdentity,
    form: URLSearchParams,
  ): Promise<void> {
    const { ctx } = visit.request
    const missing = this.faults.missing(form, 'userName', 'password')
    if (missing) return this.showChoice(visit, who, missing.faults, form)
    const refused = await this.faults.of(form, {}, async () => {
      const outcome = await this.steps.takePassword({
        userName: (form.get('userName') ?? '').trim().slice(0, 256),
        password: form.get('password') ?? '',
        browserTokenFor: (userId) => browserTokenOf(ctx, userId),
      })
      if ('error' in outcome && !('secondFactor' in outcome)) {
        const text = this.pages.text(outcome.error.key, outcome.error.data)
        return this.showChoice(visit, who, [{ text }], form)
      }
      // The account is linked when the code is right: the cookie keeps the password's user with the identity
      // elsewhere.
      if ('secondFactor' in outcome)
        this.cookies.set(ctx, knownIdentity, { ...who, linkTo: outcome.secondFactor.userId })
      return this.linkAndConclude(visit, who, outcome)
    })
    if (refused) await this.showChoice(visit, who, refused.faults, form, refused.status)
  }

  private async takeCode(
    visit: SignInVisit,
    who: (ExternalIdentity & { linkTo?: string }) | undefined,
    form: URLSearchParams,
  ): Promise<void> {
    const answer = secondFactorAnswerIn(form)
    const outcome = await this.steps.takeCode(answer)
    if (who?.linkTo === answer.userId) return this.linkAndConclude(visit, who, outcome)
    return this.conclude(visit, outcome)
  }

  private async linkAndConclude(
    visit: SignInVisit,
    who: ExternalIdentity,
    outcome: StepOutcome,
  ): Promise<void> {
    const userId =
      'account' in outcome ? outcome.account.id : 'renewal' in outcome ? outcome.renewal.userId : undefined
    if (userId) await this.accounts.linkVerified(userId, who)
    return this.conclude(visit, outcome)
  }

  private async register(visit: SignInVisit, who: ExternalIdentity, form: URLSearchParams): Promise<void> {
    if (!(await this.accounts.mayRegister())) return this.showChoice(visit, who)
    const unfit = this.faults.combine(
      form,
      this.faults.missing(form, 'newUserName', 'email'),
      this.faults.addressFault(form, 'email'),
      await this.faults.of(form, registrationFields, async () => this.own.checkNew(form)),
    )
    if (unfit) return this.showChoice(visit, who, unfit.faults, form)
    const { ctx } = visit.request
    const refused = await this.faults.of(form, registrationFields, async () => {
      const input = {
        userName: (form.get('newUserName') ?? '').trim().slice(0, 256),
        email: (form.get('email') ?? '').trim().slice(0, 256),
        extraProperties: this.own.valuesIn(form),
      }
      const result = await this.accounts.register(who, input, originOf(ctx))
      const { isNewSignIn } = who
      const outcome = await this.steps.takeExternal(result, { isNewSignIn, browserTokenFor: () => undefined })
      await this.conclude(visit, outcome)
    })
    if (refused) await this.showChoice(visit, who, refused.faults, form, refused.status)
  }

  /** The identity of the provider has no further use after the sign-in. */
  private conclude(visit: SignInVisit, outcome: StepOutcome): Promise<void> {
    const { ctx } = visit.request
    if ('account' in outcome) this.cookies.clear(ctx, knownIdentity)
    return this.login.conclude(visit, { userName: '', rememberMe: false }, outcome)
  }

  private backToLogin({ request: { ctx }, returnUrl }: SignInVisit): void {
    redirect(ctx, withReturnUrl(pagePaths.login, returnUrl))
  }

  private async showChoice(
    { request: { ctx }, returnUrl }: SignInVisit,
    who: ExternalIdentity,
    faults: readonly FormFault[] = [],
    form?: URLSearchParams,
    status = faults.length ? 400 : 200,
  ): Promise<void> {
    const isKnown = await this.accounts.isKnown(who)
    const typed = (name: string, otherwise = ''): string => form?.get(name) ?? otherwise
    const data = {
      title: 'External:Title',
      faults,
      values: {
        userName: typed('userName', who.email),
        newUserName: typed('newUserName', who.userName ?? who.email?.split('@')[0]),
        email: typed('email', who.email),
        ...this.own.textsOf(form),
      },
      ownFields: this.own.ofNew(),
      who,
      isKnown,
      isLocal: await this.steps.isLocal(),
      mayRegister: !isKnown && (await this.accounts.mayRegister()),
      loginAddress: withReturnUrl(pagePaths.login, returnUrl),
    }
    this.pages.show(ctx, 'external-choice', data, status)
  }
}
