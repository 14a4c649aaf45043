import { EditionAppService } from './editions.js'
import { SaasTenantAppService } from './saas-tenants.js'
import { TenantAppService } from './tenants.js'

export * from './editions.js'
export * from './saas.js'
export * from './saas-tenants.js'
export * from './tenant-events.js'
export * from './tenants.js'

/** Every contract of the module. */
export const saasServices = [EditionAppService, SaasTenantAppService, TenantAppService] as const
