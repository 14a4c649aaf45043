import { AccountErrors, ProfileAppService, TwoFactorAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { encodeQR } from 'qr'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { redirect } from '../requests/redirect.js'

const twoFactorPath = '/Account/TwoFactor'
const setUpPath = '/Account/TwoFactorSetup'

@Injectable()
class TwoFactorPages {
  readonly needsSignIn = true as const

  constructor(
    protected readonly twoFactor: TwoFactorAppService,
    protected readonly profiles: ProfileAppService,
    protected readonly session: BrowserSession,
    protected readonly pages: Pages,
    protected readonly faults: FormFaults,
  ) {}
}

/** Switches the second factor of a user who is signed in on and off. */
@Injectable()
export class TwoFactorPage extends TwoFactorPages implements SignedInPage {
  readonly path = twoFactorPath

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showState(request.ctx, request.account, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const refused = await this.faults.of(form, {}, () =>
      this.session.as(account, () => this.change(form.get('action'))),
    )
    if (refused) return this.showState(request.ctx, account, refused)
    redirect(request.ctx, twoFactorPath)
  }

  private async change(action: string | null): Promise<void> {
    if (action === 'on') await this.profiles.setTwoFactorEnabled(true)
    if (action === 'off') await this.profiles.setTwoFactorEnabled(false)
    if (action === 'reset') await this.twoFactor.resetAuthenticator()
  }

  private async showState(
    ctx: Context,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const state = await this.session.as(account, async () => ({
      isOn: await this.profiles.getTwoFactorEnabled(),
      canSwitch: await this.profiles.canEnableTwoFactor(),
      hasApp: await this.twoFactor.hasAuthenticatorKey(),
    }))
    const hasFactor = state.hasApp || account.isEmailConfirmed || account.isPhoneNumberConfirmed
    const data = {
      title: 'Manage:TwoFactor',
      section: twoFactorPath,
      faults: faults ?? [],
      ...state,
      hasFactor,
    }
    this.pages.show(ctx, 'two-factor', data, status)
  }
}

/** Sets up an authenticator application, and shows the recovery codes this one time. */
@Injectable()
export class TwoFactorSetupPage extends TwoFactorPages implements SignedInPage {
  readonly path = setUpPath

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showKey(request, request.account, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const fields = { [AccountErrors.InvalidAuthenticatorCode]: 'code' }
    let codes: readonly string[] = []
    const refused =
      this.faults.missing(form, 'code') ??
      (await this.faults.of(form, fields, async () => {
        codes = await this.session.as(account, () => this.finish(form.get('code') ?? ''))
      }))
    if (refused) return this.showKey(request, account, refused)
    const data = {
      title: 'TwoFactor:Codes',
      section: twoFactorPath,
      codes,
      next: twoFactorPath,
    }
    this.pages.show(request.ctx, 'recovery-codes', data)
  }

  /** Switches the second factor on as well: users who set up an application want its codes. */
  private async finish(code: string): Promise<readonly string[]> {
    const { recoveryCodes } = await this.twoFactor.verifyAuthenticatorCode({ code })
    if (await this.profiles.canEnableTwoFactor()) await this.profiles.setTwoFactorEnabled(true)
    return recoveryCodes
  }

  private async showKey(
    request: SignedInRequest,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const hasApp = await this.session.as(account, () => this.twoFactor.hasAuthenticatorKey())
    if (hasApp) return redirect(request.ctx, twoFactorPath)
    const { key, uri } = await this.session.as(account, () => this.twoFactor.getAuthenticatorInfo())
    const data = {
      title: 'TwoFactor:SetUp',
      section: twoFactorPath,
      faults: faults ?? [],
      uri,
      picture: encodeQR(uri, 'svg', { border: 4 }),
      key: (key.match(/.{1,4}/g) ?? []).join(' '),
    }
    this.pages.show(request.ctx, 'two-factor-setup', data, status)
  }
}
