import { AutoApiController, ambient, Settings } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Locks } from '@keel/framework/data'
import { AllowAnonymous } from '@keel/framework/security'
import {
  AccountSettings,
  confirmedEmail,
  Passwords,
  SignIn,
  UserDirectory,
  type UserRecord,
  UserTokens,
} from '@keel/identity/contracts'
import {
  AbpLoginResult,
  AccountAppService,
  AccountErrors,
  AccountModuleSettings,
  AddressLimits,
  AskedMails,
  type ConfirmationStateDto,
  type ConfirmEmailInput,
  type ConfirmPhoneNumberInput,
  LoginResultType,
  type RegisterDto,
  RegisteredUserDto,
  type ResetPasswordDto,
  type SendEmailConfirmationTokenDto,
  type SendPasswordResetCodeDto,
  type SendPhoneNumberConfirmationTokenDto,
  type UserLoginInfo,
  type VerifyPasswordResetTokenInput,
} from '../contracts/index.js'
import { withDashes } from '../domain/account-id.js'
import { accountLock } from '../domain/account-lock.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { LinkMails } from './link-mails.js'
import { PhoneConfirmations } from './phone-confirmations.js'
import { PurposeTokens } from './purpose-tokens.js'
import { TwoFactor } from './two-factor.js'

/** Limits the mails to one user, whom strangers may name. */
const confirmationMails: AttemptLimit = { name: 'confirmation mail', most: 5, seconds: 900 }

/** Registering, forgotten passwords, confirmations. Tokens and passwords protect them: everybody may call. */
@AutoApiController(AccountAppService)
@AllowAnonymous()
export class AccountService implements AccountAppService {
  constructor(
    private readonly users: UserDirectory,
    private readonly passwords: Passwords,
    private readonly signIn: SignIn,
    private readonly twoFactor: TwoFactor,
    private readonly tokens: PurposeTokens,
    private readonly userTokens: UserTokens,
    private readonly asked: AskedMails,
    private readonly mails: LinkMails,
    private readonly limits: AttemptLimits,
    private readonly addresses: AddressLimits,
    private readonly locks: Locks,
    private readonly phones: PhoneConfirmations,
    private readonly settings: Settings,
  ) {}

  async register(input: RegisterDto): Promise<RegisteredUserDto> {
    this.mails.appOf(input.appName)
    await this.demandLocalLogin()
    if (!(await this.settings.isOn(AccountSettings.IsSelfRegistrationEnabled)))
      throw new BusinessError(AccountErrors.SelfRegistrationDisabled)
    await this.addresses.spend('registration', ambient().request?.ip)
    const { userName, emailAddress: email, password, extraProperties } = input
    const user = await this.users.create({
      userName,
      email,
      password,
      extraProperties,
      isRegistering: true,
    })
    return toRegistered(user)
  }

  async sendPasswordResetCode({ email, ...target }: SendPasswordResetCodeDto): Promise<void> {
    await this.asked.send('PasswordReset', email, target)
    const mayTell = !(await this.settings.isOn(AccountModuleSettings.PreventEmailEnumeration))
    if (mayTell && !(await this.users.findByEmail(email)))
      throw new BusinessError(AccountErrors.InvalidEmailAddress, { email })
  }

  async verifyPasswordResetToken({ userId, resetToken }: VerifyPasswordResetTokenInput): Promise<boolean> {
    return (await this.userWithToken('PasswordReset', userId, resetToken)) !== undefined
  }

  async resetPassword({ userId, resetToken, password }: ResetPasswordDto): Promise<void> {
    if (!(await this.verifyPasswordResetToken({ userId, resetToken }))) throw invalidToken()
    // Of two requests with the same token at once, the second finds it used.
    await this.locks.hold(accountLock(userId))
    const user = await this.userWithToken('PasswordReset', userId, resetToken)
    if (!user) throw invalidToken()
    await this.passwords.set(user.id, password)
  }

  async checkPassword({ userNameOrEmailAddress, password }: UserLoginInfo): Promise<AbpLoginResult> {
    await this.demandLocalLogin()
    const result = await this.signIn.check(userNameOrEmailAddress, password)
    switch (result.outcome) {
      case 'wrong-credentials':
        return loginResult('InvalidUserNameOrPassword')
      case 'locked-out':
        return loginResult('LockedOut')
      case 'inactive':
      case 'unconfirmed':
        return loginResult('NotAllowed')
      case 'signed-in': {
        const user = await this.users.find(result.account.id)
        return loginResult(
          user && (await this.twoFactor.isRequiredOf(user)) ? 'RequiresTwoFactor' : 'Success',
        )
      }
    }
  }

  async sendEmailConfirmationToken(input: SendEmailConfirmationTokenDto): Promise<void> {
    const { userId, appName, ...returning } = input
    const app = this.mails.appOf(appName)
    const id = withDashes(userId)
    await this.limits.spend(confirmationMails, id)
    const user = await this.users.find(id)
    if (user) await this.mails.send('EmailConfirmation', user, { app, ...returning })
  }

  async verifyEmailConfirmationToken({ userId, token }: ConfirmEmailInput): Promise<boolean> {
    return (await this.userWithToken('EmailConfirmation', userId, token)) !== undefined
  }

  async confirmEmail({ userId, token }: ConfirmEmailInput): Promise<void> {
    const user = await this.userWithToken('EmailConfirmation', userId, token)
    if (!user || !(await this.users.confirmEmail(user.id, user.email))) throw invalidToken()
    // The address before this one reaches no account any more.
    await this.userTokens.take({ userId: user.id, ...confirmedEmail })
  }

  async sendPhoneNumberConfirmationToken(input: SendPhoneNumberConfirmationTokenDto): Promise<void> {
    await this.phones.send(input)
  }

  async confirmPhoneNumber(input: ConfirmPhoneNumberInput): Promise<void> {
    await this.phones.confirm(input)
  }

  async getConfirmationState(id: string): Promise<InstanceType<typeof ConfirmationStateDto>> {
    const user = await this.users.find(withDashes(id))
    // Without a user, nothing is confirmed: strangers may ask, and learn no more.
    return {
      emailConfirmed: user?.isEmailConfirmed ?? false,
      phoneNumberConfirmed: user?.isPhoneNumberConfirmed ?? false,
    }
  }

  private async userWithToken(
    purpose: 'PasswordReset' | 'EmailConfirmation',
    userId: string,
    token: string,
  ): Promise<UserRecord | undefined> {
    const user = await this.users.find(userId)
    const isGenuine = await this.tokens.isFor(purpose, user, token)
    return isGenuine && user?.isActive ? user : undefined
  }

  private async demandLocalLogin(): Promise<void> {
    if (!(await this.settings.isOn(AccountSettings.EnableLocalLogin)))
      throw new BusinessError(AccountErrors.LocalLoginDisabled)
  }
}

function toRegistered(user: UserRecord): RegisteredUserDto {
  const { id, userName, name, surname, email, phoneNumber, isActive, concurrencyStamp } = user
  return new RegisteredUserDto({
    id,
    tenantId: null,
    userName,
    name,
    surname,
    email,
    emailConfirmed: user.isEmailConfirmed,
    phoneNumber,
    phoneNumberConfirmed: user.isPhoneNumberConfirmed,
    isActive,
    concurrencyStamp,
    extraProperties: { ...user.extraProperties },
  })
}

function invalidToken(): BusinessError {
  return new BusinessError(AccountErrors.InvalidToken)
}

function loginResult(description: keyof typeof LoginResultType): AbpLoginResult {
  return new AbpLoginResult({ result: LoginResultType[description], description })
}
