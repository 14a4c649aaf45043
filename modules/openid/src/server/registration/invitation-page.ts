import { AddressLimits, invitationPath } from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import { BusinessError, type TextReference } from '@keel/framework/contracts'
import {
  AccountSettings,
  type FoundInvitation,
  hasAddress,
  IdentityErrors,
  Invitations,
  Passwords,
  type UserRecord,
} from '@keel/identity/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, passwordFields, type RefusedForm } from '../pages/form-faults.js'
import { Notices } from '../pages/notices.js'
import { OwnFieldForm } from '../pages/own-field-form.js'
import { Pages } from '../pages/pages.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { originOf } from '../requests/request-origin.js'
import { withReturnUrl } from '../requests/return-url.js'
import { LoginPage } from '../sign-in/login-page.js'
import { SignInSteps } from '../sign-in/sign-in-steps.js'
import { TakenNames } from './taken-names.js'

const fields = {
  ...passwordFields,
  [IdentityErrors.DuplicateUserName]: 'userName',
  [IdentityErrors.InvalidUserName]: 'userName',
}

/**
 * Where the link of an invitation leads: the invited choose a user name and a password, whether people may
 * register themselves or not. People whose account has the invited address sign in to it instead, and join the
 * group that the invitation leads into.
 */
@Injectable()
export class InvitationPage implements AccountPage {
  readonly path = invitationPath

  constructor(
    private readonly invitations: Invitations,
    private readonly takenNames: TakenNames,
    private readonly passwords: Passwords,
    private readonly steps: SignInSteps,
    private readonly login: LoginPage,
    private readonly session: BrowserSession,
    private readonly settings: Settings,
    private readonly pages: Pages,
    private readonly notices: Notices,
    private readonly faults: FormFaults,
    private readonly own: OwnFieldForm,
    private readonly limits: AddressLimits,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const found = await this.invited(request)
    if (found?.hasAccount) return this.showJoining(request, found, this.faults.ofProblem(problem))
    if (found) await this.showForm(request, found, new URLSearchParams(), this.faults.ofProblem(problem))
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const found = await this.invited(request)
    if (!found) return
    const { ctx } = request
    if (found.hasAccount) return this.join(request, found)
    const { email } = found
    let accepted: UserRecord | undefined
    const accept = async (): Promise<void> => {
      accepted = await this.accept(ctx, form)
    }
    const refused = (await this.faultsIn(ctx, form, email)) ?? (await this.faults.of(form, fields, accept))
    if (refused?.retryAfterSeconds) ctx.set('retry-after', String(refused.retryAfterSeconds))
    if (refused) return this.showForm(request, found, form, refused)
    if (!accepted) return this.showBadLink(ctx)
    const outcome = await this.steps.takeNew(accepted.id)
    await this.login.conclude({ request, returnUrl: undefined }, { userName: '', rememberMe: false }, outcome)
  }

  /** Joins the group with the account that the browser is signed in to; shows the page again without the right one. */
  private async join(request: PageRequest, found: FoundInvitation): Promise<void> {
    const account = await this.session.accountOf(request)
    if (!account || !hasAddress(account, found.email)) return this.showJoining(request, found)
    try {
      await this.session.as(account, () => this.invitations.join(tokenIn(request.ctx), account))
    } catch (error) {
      if (error instanceof BusinessError && error.code === IdentityErrors.InvalidInvitation)
        return this.showBadLink(request.ctx)
      throw error
    }
    const accepted = { key: 'Invitation:Accepted', data: { group: found.groupName ?? '' } }
    this.notices.show(request.ctx, { title: 'Invitation:AcceptedTitle', texts: [accepted] })
  }

  /** The new user; undefined for an invitation that has ended, or that gives more than its sender may. */
  private async accept(ctx: Context, form: URLSearchParams): Promise<UserRecord | undefined> {
    const userName = (form.get('userName') ?? '').trim()
    const password = form.get('newPassword') ?? ''
    // An invited person must not try out which names there are.
    await this.limits.spend('registration', originOf(ctx).ipAddress)
    try {
      const extraProperties = this.own.valuesIn(form)
      return await this.invitations.accept({ token: tokenIn(ctx), userName, password, extraProperties })
    } catch (error) {
      if (error instanceof BusinessError && error.code === IdentityErrors.InvalidInvitation) return undefined
      throw error
    }
  }

  private async faultsIn(
    ctx: Context,
    form: URLSearchParams,
    email: string,
  ): Promise<RefusedForm | undefined> {
    const userName = (form.get('userName') ?? '').trim()
    const refused = this.faults.combine(
      form,
      this.faults.missing(form, 'userName'),
      await this.faults.ofNewPassword(form),
      await this.faults.of(form, fields, async () => this.own.checkNew(form)),
    )
    return this.takenNames.addTo(refused, ctx, { form, fields, names: { userName, email } })
  }

  /** The invitation of the link; undefined when the page has said why there is none. */
  private async invited({ ctx }: PageRequest): Promise<FoundInvitation | undefined> {
    const found = await this.invitations.find(tokenIn(ctx))
    if (!found) return this.showBadLink(ctx)
    if (found.hasAccount || (await this.settings.isOn(AccountSettings.EnableLocalLogin))) return found
    const actions = [{ label: 'SignIn:ToSignIn', address: pagePaths.login }]
    this.notices.show(ctx, { title: 'Invitation:Title', texts: ['Invitation:NoPasswords'], actions }, 403)
    return undefined
  }

  /** Asks to join, or to sign in with the invited account first. */
  private async showJoining(
    request: PageRequest,
    found: FoundInvitation,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const { ctx } = request
    const account = await this.session.accountOf(request)
    const mayJoin = account !== undefined && hasAddress(account, found.email)
    const data = {
      title: 'Invitation:Title',
      faults: faults ?? [],
      email: found.email,
      group: found.groupName ?? '',
      mayJoin,
      otherAccount: mayJoin ? undefined : account?.userName,
      loginAddress: withReturnUrl(pagePaths.login, ctx.path + ctx.search),
    }
    this.pages.show(ctx, 'invitation-to-join', data, status)
  }

  private async showForm(
    { ctx }: PageRequest,
    { email, groupName }: FoundInvitation,
    form: URLSearchParams,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const data = {
      title: 'Invitation:Title',
      faults: faults ?? [],
      values: { userName: form.get('userName') ?? '', ...this.own.textsOf(form) },
      ownFields: this.own.ofNew(),
      email,
      group: groupName ?? '',
      rules: await this.passwords.rules(),
    }
    this.pages.show(ctx, 'invitation', data, status)
  }

  private showBadLink(ctx: Context): undefined {
    const actions = [{ label: 'SignIn:ToSignIn', address: pagePaths.login, isMinor: true }]
    this.notices.show(ctx, { title: 'Link:Bad', texts: ['Invitation:BadHelp'], actions }, 400)
    return undefined
  }
}

function tokenIn({ query }: Context): string {
  return typeof query.token === 'string' ? query.token : ''
}
