import { AccountExternalProviderAppService } from './account-external-providers.js'
import { AccountSettingPermissions, AccountSettingsAppService } from './account-settings.js'
import { EmailSettingsAppService } from './email-settings.js'
import { IdentitySettingsAppService } from './identity-settings.js'
import { SettingManagementPermissions } from './setting-management.js'
import { TimeZoneSettingsAppService } from './time-zone-settings.js'

export * from './account-external-providers.js'
export * from './account-settings.js'
export * from './email-settings.js'
export * from './external-providers.js'
export * from './identity-settings.js'
export * from './setting-management.js'
export * from './stored-settings.js'
export * from './time-zone-settings.js'

/** Every class of permissions of the module. */
export const settingPermissions = [SettingManagementPermissions, AccountSettingPermissions] as const

/** Every contract of the module. */
export const settingServices = [
  EmailSettingsAppService,
  TimeZoneSettingsAppService,
  IdentitySettingsAppService,
  AccountSettingsAppService,
  AccountExternalProviderAppService,
] as const
