import { AutoApiController } from '@keel/framework'
import { BusinessError, isSamePhoneNumber, type NameValue } from '@keel/framework/contracts'
import { timeZones } from '@keel/framework/http'
import { Authenticated } from '@keel/framework/security'
import {
  confirmedEmail,
  normalizedName,
  Passwords,
  Reauthentication,
  UserDirectory,
  type UserRecord,
  UserTokens,
} from '@keel/identity/contracts'
import {
  AccountErrors,
  type ChangePasswordInput,
  ProfileAppService,
  ProfileDto,
  type UpdateProfileDto,
} from '../contracts/index.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { CurrentAccount } from './current-account.js'
import { OwnTimeZone } from './own-time-zone.js'
import { TwoFactor } from './two-factor.js'

/** A refused name or address is one that a user has: nobody tries a list of them. */
const namesTried: AttemptLimit = { name: 'names tried in a profile', most: 20, seconds: 900 }

/** The caller's own account. */
@AutoApiController(ProfileAppService)
@Authenticated()
export class ProfileService implements ProfileAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly passwords: Passwords,
    private readonly twoFactor: TwoFactor,
    private readonly timeZone: OwnTimeZone,
    private readonly limits: AttemptLimits,
    private readonly tokens: UserTokens,
    private readonly reauthentication: Reauthentication,
  ) {}

  async get(): Promise<ProfileDto> {
    return this.profileOf(await this.current.user())
  }

  async update({
    name = null,
    surname = null,
    phoneNumber = null,
    timezone,
    ...input
  }: UpdateProfileDto): Promise<ProfileDto> {
    const before = await this.current.userInPerson()
    const { id, userName, email } = before
    const isNewEmail = normalizedName(input.email.trim()) !== normalizedName(email)
    const losesNumber = before.isPhoneNumberConfirmed && !isSamePhoneNumber(phoneNumber, before.phoneNumber)
    if (isNewEmail || losesNumber) await this.reauthentication.demand()
    if (input.userName !== userName || input.email !== email) await this.limits.spend(namesTried, id)
    await this.timeZone.choose(id, timezone)
    const changed = await this.users.updateProfile(id, { name, surname, phoneNumber, ...input })
    if (isNewEmail && before.isEmailConfirmed)
      await this.tokens.save({ userId: id, ...confirmedEmail }, email)
    return this.profileOf(changed)
  }

  async changePassword({ currentPassword, newPassword }: ChangePasswordInput): Promise<void> {
    const { id, hasPassword } = await this.current.userInPerson()
    // Users without a password prove nothing by the one before.
    if (!hasPassword) await this.reauthentication.demand()
    await this.passwords.change(id, currentPassword ?? null, newPassword)
  }

  async getTimezones(): Promise<NameValue[]> {
    return timeZones()
  }

  async getTwoFactorEnabled(): Promise<boolean> {
    return (await this.current.user()).isTwoFactorEnabled
  }

  async setTwoFactorEnabled(enabled: boolean): Promise<void> {
    const user = await this.current.userInPerson()
    if (!(await this.twoFactor.isOptional()))
      throw new BusinessError(AccountErrors.UsersCanNotChangeTwoFactor)
    await this.reauthentication.demand()
    if (enabled && (await this.twoFactor.providersOf(user)).length === 0)
      throw new BusinessError(AccountErrors.CanNotChangeTwoFactor)
    await this.users.setTwoFactorEnabled(user.id, enabled)
  }

  async canEnableTwoFactor(): Promise<boolean> {
    const user = await this.current.user()
    return (await this.twoFactor.isOptional()) && (await this.twoFactor.providersOf(user)).length > 0
  }

  private async profileOf(user: UserRecord): Promise<ProfileDto> {
    return toProfile(user, {
      supportsMultipleTimezone: this.timeZone.isOwn,
      timezone: await this.timeZone.of(user.id),
    })
  }
}

function toProfile(
  user: UserRecord,
  zone: Pick<ProfileDto, 'supportsMultipleTimezone' | 'timezone'>,
): ProfileDto {
  const { userName, email, name, surname, phoneNumber, isExternal, hasPassword, concurrencyStamp } = user
  return new ProfileDto({
    userName,
    email,
    emailConfirmed: user.isEmailConfirmed,
    name,
    surname,
    phoneNumber,
    phoneNumberConfirmed: user.isPhoneNumberConfirmed,
    isExternal,
    hasPassword,
    ...zone,
    concurrencyStamp,
    extraProperties: { ...user.extraProperties },
  })
}
