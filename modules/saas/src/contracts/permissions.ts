import { GrantedTo, OnlyWithTenants, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Permissions on editions and tenants. */
@PermissionGroup('Saas')
export class SaasPermissions {
  @GrantedTo(InternalAdmin) static readonly Tenants = 'Saas.Tenants'
  @OnlyWithTenants @GrantedTo(InternalAdmin) static readonly CreateTenants = 'Saas.Tenants.Create'
  @GrantedTo(InternalAdmin) static readonly UpdateTenants = 'Saas.Tenants.Update'
  @GrantedTo(InternalAdmin) static readonly DeleteTenants = 'Saas.Tenants.Delete'
  @GrantedTo(InternalAdmin) static readonly Editions = 'Saas.Editions'
  @GrantedTo(InternalAdmin) static readonly CreateEditions = 'Saas.Editions.Create'
  @GrantedTo(InternalAdmin) static readonly UpdateEditions = 'Saas.Editions.Update'
  @GrantedTo(InternalAdmin) static readonly DeleteEditions = 'Saas.Editions.Delete'
  /** See and change the features of an edition, in the feature dialog. */
  @GrantedTo(InternalAdmin) static readonly ManageEditionFeatures = 'Saas.Editions.ManageFeatures'
}

/** The same for ABP's open-source tenant page. */
@PermissionGroup('AbpTenantManagement')
export class TenantManagementPermissions {
  @GrantedTo(InternalAdmin) static readonly Tenants = 'AbpTenantManagement.Tenants'
  @OnlyWithTenants @GrantedTo(InternalAdmin) static readonly Create = 'AbpTenantManagement.Tenants.Create'
  @GrantedTo(InternalAdmin) static readonly Update = 'AbpTenantManagement.Tenants.Update'
  @GrantedTo(InternalAdmin) static readonly Delete = 'AbpTenantManagement.Tenants.Delete'
  /** See and change the features of a tenant, in the feature dialog. */
  @GrantedTo(InternalAdmin) static readonly ManageFeatures = 'AbpTenantManagement.Tenants.ManageFeatures'
}
