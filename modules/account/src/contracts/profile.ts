import {
  AppService,
  Dto,
  emailAddressOfUser,
  extraProperties,
  NameValue,
  op,
  openOwnFields,
  param,
  z,
} from '@keel/framework/contracts'
import { userOwnFields } from '@keel/identity/contracts'
import { AbpAccount } from './account.js'

const names = {
  userName: z.string().min(1).max(256),
  email: emailAddressOfUser,
  name: z.string().max(64).nullish(),
  surname: z.string().max(64).nullish(),
  phoneNumber: z.string().max(16).nullish(),
}

/** The names and addresses of the caller. */
export class ProfileDto extends Dto({
  userName: z.string(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  phoneNumberConfirmed: z.boolean(),
  /** The password is kept elsewhere and can not be changed here. */
  isExternal: z.boolean(),
  hasPassword: z.boolean(),
  /** True when users may choose a time zone of their own. */
  supportsMultipleTimezone: z.boolean(),
  /** The IANA name of the zone that counts for the caller: their own, else everybody's. */
  timezone: z.string(),
  concurrencyStamp: z.string(),
  extraProperties: openOwnFields(userOwnFields, z.record(z.string(), z.unknown())),
}) {}

/** A profile as its owner wants it. A name that is not given is cleared, as ABP has it. */
export class UpdateProfileDto extends Dto({
  ...names,
  /** The zone to show times in; `Unspecified` for everybody's. It stays as it is when this is not given. */
  timezone: z.string().max(64).nullish(),
  /** Without it, whatever changed meanwhile is overwritten. */
  concurrencyStamp: z.string().max(40).nullish(),
  /** Added to those there are. */
  extraProperties: openOwnFields(userOwnFields, extraProperties().nullish()),
}) {}

/** A new password by somebody who knows the old one, or has none yet. */
export class ChangePasswordInput extends Dto({
  currentPassword: z.string().max(128).nullish(),
  newPassword: z.string().min(1).max(128),
}) {}

/** The caller's own account. */
export abstract class ProfileAppService extends AppService(AbpAccount, 'ProfileAppService', {
  /** Gets the caller's profile. */
  get: op().returns(ProfileDto).at('GET', '/api/account/my-profile'),
  /** Changes the caller's profile. A name that is not given is cleared. */
  update: op(UpdateProfileDto).returns(ProfileDto).at('PUT', '/api/account/my-profile'),
  /** Changes the caller's password. */
  changePassword: op(ChangePasswordInput).at('POST', '/api/account/my-profile/change-password'),
  /** Lists all time zones with their offsets of today. */
  getTimezones: op().returns(z.array(NameValue.schema)).at('GET', '/api/account/my-profile/timezones'),
  /** Tells whether the caller signs in with a second factor. */
  getTwoFactorEnabled: op().returns(z.boolean()).at('GET', '/api/account/my-profile/two-factor-enabled'),
  /**
   * Switches the second factor of the caller on or off.
   * @param enabled Whether it is to be on.
   */
  setTwoFactorEnabled: op(param('enabled', z.boolean())).at(
    'POST',
    '/api/account/my-profile/set-two-factor-enabled',
  ),
  /** Tells whether the caller can switch the second factor on, by a confirmed address or an authenticator. */
  canEnableTwoFactor: op().returns(z.boolean()).at('GET', '/api/account/my-profile/can-enable-two-factor'),
}) {}
