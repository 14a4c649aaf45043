import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** The permission to change the features of the whole system. */
@PermissionGroup('FeatureManagement')
export class FeatureManagementPermissions {
  @GrantedTo(InternalAdmin) static readonly ManageHostFeatures = 'FeatureManagement.ManageHostFeatures'
}
