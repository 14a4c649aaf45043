import { AccountSettingPermissions } from './account-settings.js'
import { SettingManagementPermissions } from './setting-management.js'

export * from './account-external-providers.js'
export * from './account-settings.js'
export * from './email-settings.js'
export * from './external-providers.js'
export * from './identity-settings.js'
export * from './login-providers.js'
export * from './setting-management.js'
export * from './stored-settings.js'
export * from './time-zone-settings.js'

/** Every class of permissions of the module, in the order in which clients show them. */
export const settingPermissions = [SettingManagementPermissions, AccountSettingPermissions] as const
