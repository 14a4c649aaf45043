import { GrantedTo, type GrantProvider, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** What it takes to look at the grants of everybody. */
@PermissionGroup('AbpPermissionManagement')
export class PermissionManagementPermissions {
  /** See the history of all holders' grants, whatever they are. */
  @GrantedTo(InternalAdmin) static readonly History = 'AbpPermissionManagement'
}

/** The permission that it takes to see and change the grants of a holder, by the holder's provider. Other modules define them. */
export const managePolicies: Readonly<Record<GrantProvider, string>> = {
  U: 'AbpIdentity.Users.ManagePermissions',
  R: 'AbpIdentity.Roles.ManagePermissions',
  C: 'OpenIddictPro.Application.ManagePermissions',
  AK: 'ApiKeys.ManagePermissions',
}

/** What it takes beside `ApiKeys.ManagePermissions` where the key is somebody else's. */
export const manageAllKeysPolicy = 'ApiKeys.ManageAll'

/** The policy of managing API keys: it admits no API key. @see interface document, "API keys" */
export const keyManagementPolicy = 'apiKeyManagement'
