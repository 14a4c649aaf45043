import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { AllowAnonymous, Authenticated } from '@keel/framework/security'
import { TextTemplates } from '@keel/framework/texts'
import { Reauthentication, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import {
  AccountErrors,
  type AuthenticatorInfoDto,
  passwordMethods,
  type SendTwoFactorCodeInput,
  TwoFactorAppService,
  type VerifyAuthenticatorCodeDto,
  type VerifyAuthenticatorCodeInput,
} from '../contracts/index.js'
import { withDashes } from '../domain/account-id.js'
import { authenticatorUri, newAuthenticatorKey, newRecoveryCodes } from '../domain/authenticator.js'
import { CurrentAccount } from './current-account.js'
import { PurposeTokens } from './purpose-tokens.js'
import { TwoFactor } from './two-factor.js'

/** The second factor: choosing one in a sign-in, by a token of the password grant, and setting it up. */
@AutoApiController(TwoFactorAppService)
@Authenticated()
export class TwoFactorService implements TwoFactorAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly twoFactor: TwoFactor,
    private readonly tokens: PurposeTokens,
    private readonly templates: TextTemplates,
    private readonly reauthentication: Reauthentication,
  ) {}

  @AllowAnonymous()
  async getTwoFactorProviders(userId: string, token: string): Promise<string[]> {
    return this.twoFactor.providersOf(await this.signingIn(userId, token))
  }

  @AllowAnonymous()
  async sendTwoFactorCode({ userId, provider, token }: SendTwoFactorCodeInput): Promise<void> {
    const user = await this.signingIn(userId, token)
    const isTheirs = (await this.twoFactor.providersOf(user)).some((name) => name === provider)
    if (!isTheirs || (provider !== 'Email' && provider !== 'Phone'))
      throw new BusinessError(AccountErrors.NoSuchTwoFactorProvider, { provider })
    await this.twoFactor.sendCode(user, provider)
  }

  async hasAuthenticatorKey(): Promise<boolean> {
    return (await this.twoFactor.keyOf((await this.current.user()).id)) !== undefined
  }

  async getAuthenticatorInfo(): Promise<InstanceType<typeof AuthenticatorInfoDto>> {
    const user = await this.current.userInPerson()
    // A key that is in use is never told again, whoever holds the session.
    if (await this.twoFactor.keyOf(user.id)) throw new BusinessError(AccountErrors.AuthenticatorInUse)
    await this.reauthentication.demand()
    const key = (await this.twoFactor.pendingKeyOf(user.id)) ?? newAuthenticatorKey()
    await this.twoFactor.offerKey(user.id, key)
    return { key, uri: authenticatorUri(key, await this.templates.productName(), user.email) }
  }

  async verifyAuthenticatorCode({
    code,
  }: VerifyAuthenticatorCodeInput): Promise<InstanceType<typeof VerifyAuthenticatorCodeDto>> {
    const user = await this.current.userInPerson()
    await this.reauthentication.demand()
    if (!(await this.twoFactor.proveKey(user, code)))
      throw new BusinessError(AccountErrors.InvalidAuthenticatorCode)
    const recoveryCodes = newRecoveryCodes()
    await this.twoFactor.replaceRecoveryCodes(user.id, recoveryCodes)
    return { recoveryCodes }
  }

  async resetAuthenticator(): Promise<void> {
    const user = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.twoFactor.forgetAuthenticator(user.id)
    const hasOther = (await this.twoFactor.providersOf(user)).length > 0
    if (!hasOther) await this.users.setTwoFactorEnabled(user.id, false)
  }

  /** The user who gave the right password some minutes ago. */
  private async signingIn(userId: string, token: string): Promise<UserRecord> {
    const user = await this.users.find(withDashes(userId))
    if (user && (await this.tokens.isFor('TwoFactorSignIn', user, token, passwordMethods))) return user
    throw new BusinessError(AccountErrors.InvalidToken)
  }
}
