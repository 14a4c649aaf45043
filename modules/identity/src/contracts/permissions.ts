import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import * as roles from './roles.js'

/** What only platform administrators hold; it implies access to every organization's data. */
@PermissionGroup('Core')
export class AdministrationPermissions {
  @GrantedTo(roles.InternalAdmin) static readonly InternalAdmin = 'InternalAdmin'
}
