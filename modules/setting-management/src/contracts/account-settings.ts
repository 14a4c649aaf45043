import { AccountModuleSettings, PasskeySettings } from '@keel/account/contracts'
import { AppService, Dto, enumeration, op, remoteService, z } from '@keel/framework/contracts'
import { AccountSettings, IdleSettings } from '@keel/identity/contracts'

/**
 * Where the endpoints of ABP's account-admin module are. Its namespace is not that of `AbpAccount`: ABP's
 * generator writes one file for a namespace, anew for each module.
 */
export const AccountAdmin = remoteService(
  'AbpAccountAdmin',
  'account-admin',
  'Volo.Abp.Account.Admin',
  'accountAdmin',
  'Account administration',
)

/** How users come in. */
export class AccountSettingsDto extends Dto({
  isSelfRegistrationEnabled: z.boolean(),
  enableLocalLogin: z.boolean(),
  /**
   * Requests for a password reset answer alike whether the address is known or not. It stays as it is when
   * this is not given.
   */
  preventEmailEnumeration: z.boolean().nullish(),
}) {}

/** Which member of the DTO shows which setting. */
export const accountSettingForm = {
  isSelfRegistrationEnabled: AccountSettings.IsSelfRegistrationEnabled,
  enableLocalLogin: AccountSettings.EnableLocalLogin,
  preventEmailEnumeration: AccountModuleSettings.PreventEmailEnumeration,
} as const

/** Users who sign in with a second factor: those who chose to, none, or all who have one. */
export enum TwoFactorBehaviour {
  Optional = 0,
  Disabled = 1,
  Forced = 2,
}

/** Signing in with a second factor. */
export class AccountTwoFactorSettingsDto extends Dto({
  twoFactorBehaviour: enumeration('TwoFactorBehaviour', TwoFactorBehaviour),
  /**
   * A browser may be remembered instead of asking for a code each time. It stays as it is when this is not
   * given.
   */
  isRememberBrowserEnabled: z.boolean().nullish(),
  /** Users may switch it for themselves. */
  usersCanChange: z.boolean(),
}) {}

/** Signing out people who do nothing. */
export class AccountIdleSettingsDto extends Dto({
  enabled: z.boolean(),
  /** Until they are asked whether they are still there. */
  idleTimeoutMinutes: z.int().min(1).max(1440),
  /** Until they are signed out when they do not answer. */
  countdownSeconds: z.int().min(1).max(3600),
}) {}

/** Which member of the DTO shows which setting. */
export const idleSettingForm = {
  enabled: IdleSettings.Enabled,
  idleTimeoutMinutes: IdleSettings.IdleTimeoutMinutes,
  countdownSeconds: IdleSettings.CountdownSeconds,
} as const

/** Signing in with passkeys. */
export class AccountPasskeySettingsDto extends Dto({
  enabled: z.boolean(),
  maximumPasskeysPerUser: z.int().min(1).max(100),
}) {}

/** Which member of the DTO shows which setting. */
export const passkeySettingForm = {
  enabled: PasskeySettings.Enabled,
  maximumPasskeysPerUser: PasskeySettings.MaximumPasskeysPerUser,
} as const

/** A property of an external provider. */
export class ExternalProviderPropertyDto extends Dto({
  name: z.string().min(1).max(64),
  value: z.string().trim().max(256).nullish(),
}) {}

/** An external provider. Secrets are answered without a value, and an empty one keeps what is stored. */
export class ExternalProviderSettingsDto extends Dto({
  name: z.string().min(1).max(90),
  enabled: z.boolean().default(false),
  properties: z.array(ExternalProviderPropertyDto.schema).max(10).default([]),
  secretProperties: z.array(ExternalProviderPropertyDto.schema).max(10).default([]),
}) {}

/** Every external provider: those that are always offered, and the directories that were added. */
export class AccountExternalProviderSettingsDto extends Dto({
  /**
   * A user with a password who signs in with a provider gives the password once for each external account. It
   * stays as it is when this is not given.
   */
  verifyPasswordDuringExternalLogin: z.boolean().nullish(),
  externalProviders: z.array(ExternalProviderSettingsDto.schema).max(50),
}) {}

const route = '/api/account-admin/settings'

/** The settings of the account pages, as ABP's pages ask for them. */
export abstract class AccountSettingsAppService extends AppService(
  AccountAdmin,
  'AccountSettingsAppService',
  {
    /** Gets how users register and sign in. */
    get: op().returns(AccountSettingsDto).at('GET', route),
    /** Sets how users register and sign in. */
    update: op(AccountSettingsDto).at('PUT', route),
    /** Gets who signs in with a second factor. */
    getTwoFactor: op().returns(AccountTwoFactorSettingsDto).at('GET', `${route}/two-factor`),
    /** Sets who signs in with a second factor. */
    updateTwoFactor: op(AccountTwoFactorSettingsDto).at('PUT', `${route}/two-factor`),
    /** Gets when users who do nothing are signed out. */
    getIdle: op().returns(AccountIdleSettingsDto).at('GET', `${route}/idle`),
    /** Sets when users who do nothing are signed out. */
    updateIdle: op(AccountIdleSettingsDto).at('PUT', `${route}/idle`),
    /** Gets whether users may sign in with passkeys. */
    getPasskey: op().returns(AccountPasskeySettingsDto).at('GET', `${route}/passkey`),
    /** Sets whether users may sign in with passkeys. */
    updatePasskey: op(AccountPasskeySettingsDto).at('PUT', `${route}/passkey`),
    /** Lists the external providers that users can sign in with, without their secrets. */
    getExternalProvider: op()
      .returns(AccountExternalProviderSettingsDto)
      .at('GET', `${route}/external-provider`),
    /** Replaces all external providers. A directory that is left out is forgotten. */
    updateExternalProvider: op(AccountExternalProviderSettingsDto).at('PUT', `${route}/external-provider`),
  },
) {}
