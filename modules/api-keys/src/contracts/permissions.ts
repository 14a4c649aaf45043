import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { DefaultCustomer, SuperUser } from '@keel/identity/contracts'

/**
 * Permissions for API keys. Each allows an action on the caller's own keys; ManageAll allows all actions on
 * the keys of all users. Every user may manage their own keys unless this is taken away from the role.
 * @see interface document, "API keys"
 */
@PermissionGroup('ApiKeys')
export class ApiKeyPermissions {
  @GrantedTo(DefaultCustomer) static readonly Create = 'ApiKeys.Create'
  @GrantedTo(DefaultCustomer) static readonly Edit = 'ApiKeys.Edit'
  @GrantedTo(DefaultCustomer) static readonly Delete = 'ApiKeys.Delete'
  @GrantedTo(DefaultCustomer) static readonly ManagePermissions = 'ApiKeys.ManagePermissions'
  @GrantedTo(SuperUser) static readonly ManageAll = 'ApiKeys.ManageAll'
}
