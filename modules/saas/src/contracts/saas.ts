import { GrantedTo, OnlyWithTenants, PermissionGroup, remoteService, z } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Where the endpoints of ABP's SaaS module are. */
export const Saas = remoteService('SaasHost', 'saas', 'Volo.Saas.Host', undefined, 'SaaS')

/** Where the endpoints of ABP's open-source tenant page are. */
export const TenantManagement = remoteService(
  'AbpTenantManagement',
  'multi-tenancy',
  'Volo.Abp.TenantManagement',
)

/** Who may see and change editions and tenants. */
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

/** What editions and tenants can refuse. */
export const SaasErrors = {
  /** The system serves one company: there can be no tenants. */
  MultiTenancyDisabled: 'Saas:MultiTenancyDisabled',
  EditionNameAlreadyExists: 'Saas:EditionNameAlreadyExists',
  TenantNameAlreadyExists: 'Saas:TenantNameAlreadyExists',
} as const

/** What other programs keep with a row, as it is shown. */
export const keptProperties = z.record(z.string(), z.unknown())

/** The stamp that an update was made with; without one nothing is compared. */
export const concurrencyStamp = z.string().max(40).nullish()
