import { AccountErrors, ProfileAppService, TwoFactorAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { encodeQR } from 'qr'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { type BrowserAccount, BrowserSession, goOn } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'

const twoFactorPath = '/Account/TwoFactor'
const setUpPath = '/Account/TwoFactorSetup'

/** Where somebody who is signed in switches their second factor on and off. */
@Injectable()
export class TwoFactorPage implements AccountPage {
  readonly path = twoFactorPath
  readonly needsSignIn = true

  constructor(
    private readonly twoFactor: TwoFactorAppService,
    private readonly profiles: ProfileAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const account = await this.session.demand(request)
    if (account) await this.showState(request.ctx, account, this.faults.because(problem))
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const account = await this.session.demand(request)
    if (!account) return
    const refused = await this.faults.of(form, {}, () =>
      this.session.as(account, () => this.change(form.get('action'))),
    )
    if (refused) return this.showState(request.ctx, account, refused)
    goOn(request, twoFactorPath)
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

/** Where somebody who is signed in sets up an authenticator application, and gets recovery codes, this one time. */
@Injectable()
export class TwoFactorSetupPage implements AccountPage {
  readonly path = setUpPath
  readonly needsSignIn = true

  constructor(
    private readonly twoFactor: TwoFactorAppService,
    private readonly profiles: ProfileAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const account = await this.session.demand(request)
    if (account) await this.showKey(request, account, this.faults.because(problem))
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const account = await this.session.demand(request)
    if (!account) return
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

  /** Who sets up an application wants to be asked for its codes. */
  private async finish(code: string): Promise<readonly string[]> {
    const { recoveryCodes } = await this.twoFactor.verifyAuthenticatorCode({ code })
    if (await this.profiles.canEnableTwoFactor()) await this.profiles.setTwoFactorEnabled(true)
    return recoveryCodes
  }

  private async showKey(
    request: PageRequest,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const hasApp = await this.session.as(account, () => this.twoFactor.hasAuthenticatorKey())
    if (hasApp) return goOn(request, twoFactorPath)
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
