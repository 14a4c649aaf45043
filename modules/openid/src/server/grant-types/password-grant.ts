import {
  PasswordRenewal,
  passwordMethods,
  SecondFactor,
  type SecondFactorProof,
  UserConfirmations,
} from '@keel/account/contracts'
import { ambient, Injectable, Localization } from '@keel/framework'
import { KeelError, TooManyRequestsError, UnavailableError } from '@keel/framework/contracts'
import { type Account, Reauthentication, type RequestOrigin, SignIn } from '@keel/identity/contracts'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkScopes } from '../clients/scopes.js'
import { Grants } from '../grants/grants.js'
import { codeMethods } from '../requests/proof-time.js'
import { originOf } from '../requests/request-origin.js'
import { issueTokens } from '../tokens/token-answer.js'
import { toBusyAnswer } from './busy.js'
import { addGrantType } from './grant-type.js'

/** ABP's text. It stands for an account that is locked or inactive too: strangers learn no more. */
const refused = 'Invalid username or password!'

/** ABP's names of what proves a second factor. */
const proofs = ['TwoFactorProvider', 'TwoFactorCode', 'RecoveryCode'] as const

/** ABP's names of all that is sent beside the standard's parameters. */
const extras = [...proofs, 'ChangePasswordToken', 'NewPassword', 'RememberMe'] as const

/**
 * The password grant (abp-http-contract section 10.4): user name or e-mail address and password for tokens at
 * once; then a code where one is asked for, a confirmed address or telephone number where one is demanded,
 * and a new password where the old one has to be changed.
 */
@Injectable()
export class PasswordGrant {
  constructor(
    private readonly signIn: SignIn,
    private readonly secondFactor: SecondFactor,
    private readonly renewals: PasswordRenewal,
    private readonly confirmations: UserConfirmations,
    private readonly grants: Grants,
    private readonly localization: Localization,
    private readonly reauthentication: Reauthentication,
  ) {}

  addTo(provider: Provider): void {
    const handle = (ctx: KoaContextWithOIDC): Promise<void> =>
      this.answer(ctx).catch((error: unknown) => {
        throw toBusyAnswer(ctx, error)
      })
    const parameters = ['username', 'password', 'scope', ...extras]
    addGrantType(provider, { name: 'password', parameters, handle })
  }

  private async answer(ctx: KoaContextWithOIDC): Promise<void> {
    const params = ctx.oidc.params ?? {}
    const { username, password } = params
    if (typeof username !== 'string' || typeof password !== 'string')
      throw new errors.InvalidRequest('username and password are required')
    const scopes = ctx.oidc.requestParamScopes
    checkScopes(ctx.oidc.client as Client, scopes)
    const account = await this.check({ username, password, origin: originOf(ctx) })
    const demand = await this.secondFactor.demandOf(account.id, passwordMethods)
    const proof = proofIn(params)
    if (demand && !proof)
      return demandMore(ctx, account, 'RequiresTwoFactor', { twoFactorToken: demand.token })
    if (demand && proof) await this.prove(account.id, proof)
    const confirmUser = await this.toConfirm(account)
    if (confirmUser) return demandMore(ctx, account, 'RequiresConfirmUser', confirmUser)
    const amr = [passwordMethods, ...(demand ? codeMethods : [])]
    const changePasswordToken = await this.renew(account.id, amr.join(' '), params)
    if (changePasswordToken)
      return demandMore(ctx, account, 'ShouldChangePasswordOnNextLogin', { changePasswordToken })
    const isRemembered = String(params.RememberMe).toLowerCase() === 'true'
    const grant = await this.grants.begin(ctx, 'OAuth', account.id, scopes, { isRemembered })
    await this.reauthentication.note(account.id, [grant.jti])
    ctx.body = await issueTokens(ctx, { account, grant, amr, gty: 'password' })
  }

  private async check({ username, password, origin }: Credentials): Promise<Account> {
    const result = await this.signIn.check(username, password, origin)
    if ('account' in result) return result.account
    throw new errors.CustomOIDCProviderError('invalid_grant', refused, { detail: result.outcome })
  }

  /**
   * ABP's answer to a user who has to confirm an e-mail address or telephone number before there are tokens,
   * with a token of ours; undefined for other users. It comes after the second factor: a telephone that is
   * confirmed may be asked for codes.
   */
  private async toConfirm(account: Account): Promise<object | undefined> {
    if (!(await this.signIn.unconfirmed(account)).length) return undefined
    const demand = await this.confirmations.demandOf(account.id)
    if (!demand) return undefined
    await this.confirmations.admitClients(account.id)
    const { email, phoneNumber } = account
    return { email, phoneNumber: phoneNumber ?? '', confirmUserToken: demand.token }
  }

  private async prove(userId: string, proof: SecondFactorProof): Promise<void> {
    if (await this.secondFactor.isProven(userId, proof)) return
    const text = 'recoveryCode' in proof ? 'Invalid recovery code!' : 'Invalid authenticator code!'
    throw new errors.CustomOIDCProviderError('invalid_grant', text, { detail: 'second factor' })
  }

  /** Takes the new password where one is due; the token to come back with when none was sent. */
  private async renew(
    userId: string,
    methods: string,
    { ChangePasswordToken: token, NewPassword: newPassword }: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    const due = (await this.renewals.demandOf(userId, methods))?.token
    if (due === undefined || typeof token !== 'string' || typeof newPassword !== 'string') return due
    try {
      await this.renewals.renew({ userId, methods, token, newPassword })
      return undefined
    } catch (error) {
      const isBusy = error instanceof TooManyRequestsError || error instanceof UnavailableError
      if (!(error instanceof KeelError) || isBusy) throw error
      throw new errors.CustomOIDCProviderError('invalid_grant', this.textOf(error), {
        detail: error.code ?? '',
      })
    }
  }

  private textOf({ text, code, data, message }: KeelError): string {
    const { culture } = ambient()
    const told = text ?? (code === undefined ? undefined : { key: code, ...(data && { data }) })
    return (told && this.localization.find(told.key, culture, told.data)) ?? message
  }
}

interface Credentials {
  readonly username: string
  readonly password: string
  readonly origin: RequestOrigin
}

/** ABP's answer to a user who has to send more than a password. */
function demandMore(ctx: KoaContextWithOIDC, { id }: Account, what: string, members: object): void {
  ctx.status = 400
  ctx.body = {
    error: 'invalid_grant',
    error_description: what,
    userId: id.replaceAll('-', ''),
    ...members,
  }
}

function proofIn(params: Readonly<Record<string, unknown>>): SecondFactorProof | undefined {
  const [provider, code, recoveryCode] = proofs.map((name) => params[name])
  if (typeof recoveryCode === 'string' && recoveryCode) return { recoveryCode }
  if (typeof provider === 'string' && provider && typeof code === 'string' && code) return { provider, code }
  return undefined
}
