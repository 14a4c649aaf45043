import { GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Permissions on clients, under ABP's names. */
@PermissionGroup('OpenIddictPro')
export class ApplicationPermissions {
  @GrantedTo(InternalAdmin) static readonly View = 'OpenIddictPro.Application'
  @GrantedTo(InternalAdmin) static readonly Create = 'OpenIddictPro.Application.Create'
  @GrantedTo(InternalAdmin) static readonly Edit = 'OpenIddictPro.Application.Update'
  @GrantedTo(InternalAdmin) static readonly Delete = 'OpenIddictPro.Application.Delete'
  /** See and change what clients may do in their own name. */
  @GrantedTo(InternalAdmin) static readonly ManagePermissions = 'OpenIddictPro.Application.ManagePermissions'
}

/** Permissions on scopes, under ABP's names. */
@PermissionGroup('OpenIddictPro')
export class ScopePermissions {
  @GrantedTo(InternalAdmin) static readonly View = 'OpenIddictPro.Scope'
  @GrantedTo(InternalAdmin) static readonly Create = 'OpenIddictPro.Scope.Create'
  @GrantedTo(InternalAdmin) static readonly Edit = 'OpenIddictPro.Scope.Update'
  @GrantedTo(InternalAdmin) static readonly Delete = 'OpenIddictPro.Scope.Delete'
}
