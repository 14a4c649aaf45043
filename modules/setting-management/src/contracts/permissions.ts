import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Permissions on settings of the whole system. */
@PermissionGroup('SettingManagement')
export class SettingManagementPermissions {
  @GrantedTo(InternalAdmin) static readonly Emailing = 'SettingManagement.Emailing'
  @GrantedTo(InternalAdmin) static readonly EmailingTest = 'SettingManagement.Emailing.Test'
  @GrantedTo(InternalAdmin) static readonly TimeZone = 'SettingManagement.TimeZone'
  @GrantedTo(InternalAdmin) static readonly Retention = 'SettingManagement.Retention'
}

/** The permission to change how users sign in. */
@PermissionGroup('AbpAccount')
export class AccountSettingPermissions {
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'AbpAccount.SettingManagement'
}
