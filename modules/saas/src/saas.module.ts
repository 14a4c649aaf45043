import { FeatureManagementModule } from '@keel/feature-management'
import { KeelModule, Module } from '@keel/framework'
import { DataModule, entitySet } from '@keel/framework/data'
import { EventsModule } from '@keel/framework/events'
import { EditionService } from './application/edition-service.js'
import { SaasTenantService } from './application/saas-tenant-service.js'
import { TenantChanges } from './application/tenant-changes.js'
import { TenantService } from './application/tenant-service.js'
import {
  ApplyDatabaseMigrationsEto,
  EditionDto,
  SaasPermissions,
  SaasTenantDto,
  TenantCreatedEto,
  TenantManagementPermissions,
} from './contracts/index.js'
import { Edition } from './domain/edition.js'
import { Tenant, TenantConnectionString } from './domain/tenant.js'
import { EditionList } from './persistence/edition-list.js'
import { StoredFeatureHolders } from './persistence/stored-feature-holders.js'
import { EditionStore, TenantStore } from './persistence/stores.js'
import { TenantList } from './persistence/tenant-list.js'

/** Editions and tenants, as ABP's pages ask for them; they have no effect while multi-tenancy is off. */
@Module({
  name: 'Saas',
  dependsOn: [DataModule, EventsModule, FeatureManagementModule],
  entities: [Edition, Tenant, TenantConnectionString],
  services: [
    EditionStore,
    TenantStore,
    EditionList,
    TenantList,
    TenantChanges,
    StoredFeatureHolders,
    EditionService,
    SaasTenantService,
    TenantService,
  ],
  events: [TenantCreatedEto, ApplyDatabaseMigrationsEto],
  permissions: [SaasPermissions, TenantManagementPermissions],
  odata: [
    entitySet('Editions', Edition, SaasPermissions.Editions, {
      dto: EditionDto,
      searchable: ['displayName'],
      collections: { Tenants: { entity: () => Tenant, by: 'editionId' } },
    }),
    entitySet('Tenants', Tenant, SaasPermissions.Tenants, {
      dto: SaasTenantDto,
      searchable: ['name'],
      collections: { ConnectionStrings: { entity: () => TenantConnectionString, by: 'tenantId' } },
    }),
    // Which databases a tenant has of its own; never how they are reached.
    entitySet('TenantConnectionStrings', TenantConnectionString, SaasPermissions.Tenants, {
      also: ['name'],
    }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class SaasModule extends KeelModule {}

export { Edition } from './domain/edition.js'
export { Tenant, TenantConnectionString } from './domain/tenant.js'
