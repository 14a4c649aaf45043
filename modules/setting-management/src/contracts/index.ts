import { AccountSettingPermissions } from './account-settings.js'
import { IdentitySettingPermissions } from './identity-settings.js'
import { SettingManagementPermissions } from './setting-management.js'

export * from './account-settings.js'
export * from './external-providers.js'
export * from './identity-settings.js'
export * from './setting-management.js'
export * from './stored-settings.js'
export * from './time-zone-settings.js'

/** Every class of permissions of the module. */
export const settingPermissions = [
  SettingManagementPermissions,
  IdentitySettingPermissions,
  AccountSettingPermissions,
] as const
