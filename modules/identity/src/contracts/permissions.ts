import { GrantedTo, OnlyFor, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin, SuperUser } from './roles.js'

/** The permission of platform administrators; it implies access to every organization's data. */
@PermissionGroup('Core')
export class AdministrationPermissions {
  @GrantedTo(InternalAdmin) static readonly InternalAdmin = 'InternalAdmin'
}

/** Permissions on roles. */
@PermissionGroup('AbpIdentity')
export class IdentityRolePermissions {
  @GrantedTo(SuperUser) static readonly Default = 'AbpIdentity.Roles'
  @GrantedTo(InternalAdmin) static readonly Create = 'AbpIdentity.Roles.Create'
  @GrantedTo(InternalAdmin) static readonly Update = 'AbpIdentity.Roles.Update'
  @GrantedTo(InternalAdmin) static readonly Delete = 'AbpIdentity.Roles.Delete'
  @GrantedTo(InternalAdmin) static readonly ManagePermissions = 'AbpIdentity.Roles.ManagePermissions'
}

/** Permissions on users. */
@PermissionGroup('AbpIdentity')
export class IdentityUserPermissions {
  @GrantedTo(SuperUser) static readonly Default = 'AbpIdentity.Users'
  @GrantedTo(InternalAdmin) static readonly Create = 'AbpIdentity.Users.Create'
  @GrantedTo(InternalAdmin) static readonly Update = 'AbpIdentity.Users.Update'
  @GrantedTo(InternalAdmin) static readonly ManageRoles = 'AbpIdentity.Users.Update.ManageRoles'
  @GrantedTo(InternalAdmin) static readonly ManageOrganizationUnits = 'AbpIdentity.Users.Update.ManageOU'
  @GrantedTo(InternalAdmin) static readonly Delete = 'AbpIdentity.Users.Delete'
  @GrantedTo(InternalAdmin) static readonly ManagePermissions = 'AbpIdentity.Users.ManagePermissions'
  @GrantedTo(InternalAdmin) static readonly Import = 'AbpIdentity.Users.Import'
  @GrantedTo(InternalAdmin) static readonly Export = 'AbpIdentity.Users.Export'
  @GrantedTo(InternalAdmin) static readonly Impersonation = 'AbpIdentity.Users.Impersonation'
  @GrantedTo(InternalAdmin) static readonly ViewDetails = 'AbpIdentity.Users.ViewDetails'
}

/** Permissions on organization units. */
@PermissionGroup('AbpIdentity')
export class OrganizationUnitPermissions {
  @GrantedTo(SuperUser) static readonly Default = 'AbpIdentity.OrganizationUnits'
  @GrantedTo(InternalAdmin) static readonly ManageTree = 'AbpIdentity.OrganizationUnits.ManageOU'
  @GrantedTo(InternalAdmin) static readonly ManageMembers = 'AbpIdentity.OrganizationUnits.ManageMembers'
  @GrantedTo(InternalAdmin) static readonly ManageRoles = 'AbpIdentity.OrganizationUnits.ManageRoles'
}

/** Permissions on claim types. */
@PermissionGroup('AbpIdentity')
export class IdentityClaimTypePermissions {
  @GrantedTo(InternalAdmin) static readonly Default = 'AbpIdentity.ClaimTypes'
  @GrantedTo(InternalAdmin) static readonly Create = 'AbpIdentity.ClaimTypes.Create'
  @GrantedTo(InternalAdmin) static readonly Update = 'AbpIdentity.ClaimTypes.Update'
  @GrantedTo(InternalAdmin) static readonly Delete = 'AbpIdentity.ClaimTypes.Delete'
}

/** The rest of identity. */
@PermissionGroup('AbpIdentity')
export class IdentityPermissions {
  /** For services that show users of ours by name. */
  @OnlyFor('C') static readonly UserLookup = 'AbpIdentity.UserLookup'
  @GrantedTo(InternalAdmin) static readonly SecurityLogs = 'AbpIdentity.SecurityLogs'
  @GrantedTo(InternalAdmin) static readonly Sessions = 'AbpIdentity.Sessions'
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'AbpIdentity.SettingManagement'
}

/** Every permission of identity, for hosts that seed grants. */
export const identityPermissions = [
  IdentityRolePermissions,
  IdentityUserPermissions,
  OrganizationUnitPermissions,
  IdentityClaimTypePermissions,
  IdentityPermissions,
] as const
