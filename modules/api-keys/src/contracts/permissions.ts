import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { DefaultCustomer, SuperUser } from '@keel/identity/contracts'

/**
 * What may be done with API keys: what, with one's own keys; ManageAll allows all of it with anybody's.
 * Every user may manage their own keys unless this is taken away from the role.
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
