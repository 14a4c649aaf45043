import { remoteService, z } from '@keel/framework/contracts'

/** Where the endpoints of ABP's SaaS module are. */
export const Saas = remoteService('SaasHost', 'saas', 'Volo.Saas.Host', undefined, 'SaaS')

/** Where the endpoints of ABP's open-source tenant page are. */
export const TenantManagement = remoteService(
  'AbpTenantManagement',
  'multi-tenancy',
  'Volo.Abp.TenantManagement',
)

/** The error codes of editions and tenants. */
export const SaasErrors = {
  /** The system serves one company: there can be no tenants. */
  MultiTenancyDisabled: 'Saas:MultiTenancyDisabled',
  EditionNameAlreadyExists: 'Saas:EditionNameAlreadyExists',
  TenantNameAlreadyExists: 'Saas:TenantNameAlreadyExists',
} as const

/** The extra properties that other programs store with a row, as they are shown. */
export const keptProperties = z.record(z.string(), z.unknown())

/** The stamp that an update was made with; without one nothing is compared. */
export const concurrencyStamp = z.string().max(40).nullish()
