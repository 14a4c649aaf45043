import {
  AccountErrors,
  Passkeys,
  ReauthenticateInput,
  ReauthenticationAppService,
  reauthenticationPath,
} from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { BusinessError, type TextReference } from '@keel/framework/contracts'
import { IdentityErrors, SignIn, UserLogins, UserPasskeys } from '@keel/identity/contracts'
import { ExternalClients } from '../external/external-clients.js'
import { ProviderRedirect } from '../external/provider-redirect.js'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import { PasskeyCeremonies } from '../passkeys/passkey-ceremonies.js'
import { PasskeyForm } from '../passkeys/passkey-form.js'
import { pagePaths } from '../requests/page-paths.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'
import { returnUrlOf } from '../requests/return-url.js'
import { type SentCode, sentCodeIn } from '../sign-in/second-factor-step.js'

const sentCodes = ['Email', 'Phone'] as const satisfies readonly SentCode[]

const fields = {
  [IdentityErrors.PasswordMismatch]: 'password',
  [AccountErrors.InvalidAuthenticatorCode]: 'code',
}

/**
 * Asks a signed-in user for a new proof before they change what they sign in with: their password, a code, a
 * passkey, or a new sign-in at a provider that tells of it.
 */
@Injectable()
export class ReauthenticationPage implements SignedInPage {
  readonly path = reauthenticationPath
  readonly needsSignIn = true as const

  constructor(
    private readonly reauthentication: ReauthenticationAppService,
    private readonly logins: UserLogins,
    private readonly passkeys: UserPasskeys,
    private readonly ownPasskeys: Passkeys,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly passkeyForm: PasskeyForm,
    private readonly signIn: SignIn,
    private readonly clients: ExternalClients,
    private readonly providers: ProviderRedirect,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    const { account } = request
    if (finishedActionIn(request.ctx, ['Confirmed'])) return this.showDone(request)
    await this.showForm(request, account, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const provider = form.get('external')
    const returnUrl = returnUrlOf(request.ctx)
    if (provider !== null) {
      const offered = (await this.schemesOf(account)).find(({ name }) => name === provider)
      if (!offered) return this.showForm(request, account)
      return this.providers.sendTo(offered.name, request.ctx, { returnUrl, confirm: account.id })
    }
    const wants = sentCodeIn(form)
    const refused = await this.faults.of(form, fields, () =>
      this.session.as(account, () => {
        if (this.passkeyForm.isPresentIn(form)) return this.provePasskey(request, account, form)
        return wants
          ? this.reauthentication.sendCode({ provider: wants })
          : this.reauthentication.prove(proofIn(form))
      }),
    )
    if (refused?.retryAfterSeconds) request.ctx.set('retry-after', String(refused.retryAfterSeconds))
    if (refused) return this.showForm(request, account, refused)
    if (wants) return this.showForm(request, account, {}, wants)
    await this.session.renew(request, account)
    redirect(request.ctx, returnUrl ?? `${reauthenticationPath}?done=Confirmed`)
  }

  private async provePasskey(
    { ctx }: SignedInRequest,
    { id }: BrowserAccount,
    form: URLSearchParams,
  ): Promise<void> {
    const proof = await this.passkeyForm.proofIn(ctx, form)
    const result = proof?.userId === id ? await this.signIn.checkPasskey(id) : undefined
    if (result?.outcome !== 'signed-in') throw new BusinessError(AccountErrors.InvalidPasskey)
  }

  private async showForm(
    { ctx }: SignedInRequest,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
    sent?: SentCode,
  ): Promise<void> {
    const { methods } = await this.session.as(account, () => this.reauthentication.get())
    const schemes = await this.schemesOf(account)
    const hasPasskey =
      (await this.ceremonies.areOn()) &&
      (await this.session.as(account, () => this.ownPasskeys.areForCaller())) &&
      (await this.passkeys.of(account.id)).length > 0
    const hasApp = methods.includes('Authenticator')
    const [canMail, canText] = [methods.includes('Email'), methods.includes('Phone')]
    const data = {
      title: 'Confirm:Title',
      faults: faults ?? [],
      values: { code: '' },
      userName: account.userName,
      hasPassword: methods.includes('Password'),
      // A code that is sent is asked for first.
      takesCode: hasApp || sent !== undefined,
      codeProvider: sent ?? (hasApp ? 'Authenticator' : canMail ? 'Email' : 'Phone'),
      canMail,
      canText,
      sent,
      externalProviders: schemes,
      hasNothing:
        !methods.includes('Password') &&
        !hasApp &&
        !canMail &&
        !canText &&
        schemes.length === 0 &&
        !hasPasskey,
      hasPasskey,
      passkeyOptionsPath: pagePaths.passkeyOptions,
      script: hasPasskey,
    }
    this.pages.show(ctx, 'confirm', data, status)
  }

  /** The providers that the account is linked with and that can prove a new sign-in. */
  private async schemesOf({ id }: BrowserAccount): Promise<{ name: string; label: string }[]> {
    const linked = new Set((await this.logins.of(id)).map(({ loginProvider }) => loginProvider))
    return (await this.clients.all())
      .filter(({ scheme }) => scheme.provesNewSignIns && linked.has(scheme.name))
      .map(({ scheme: { name, label } }) => ({ name, label }))
  }

  private showDone({ ctx }: SignedInRequest): void {
    const actions = [{ label: 'Manage:Title', address: pagePaths.manage }]
    this.notices.show(ctx, { title: 'Confirm:Done', texts: ['Confirm:GoBack'], actions })
  }
}

/** The proof that was entered: a password, a code of six digits, or a recovery code. */
function proofIn(form: URLSearchParams): ReauthenticateInput {
  const given = (name: string): string => (form.get(name) ?? '').trim()
  const code = given('code').slice(0, 32)
  if (form.get('password'))
    return new ReauthenticateInput({ password: (form.get('password') ?? '').slice(0, 128) })
  if (!/^[\s\d]*$/.test(code)) return new ReauthenticateInput({ recoveryCode: code })
  const twoFactorProvider = sentCodes.find((name) => name === given('provider')) ?? 'Authenticator'
  return new ReauthenticateInput(code ? { twoFactorProvider, twoFactorCode: code } : {})
}
