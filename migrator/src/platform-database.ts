import { AccountModule } from '@keel/account'
import { ApiKey, ApiKeyUsage } from '@keel/api-keys'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { AuditLoggingModule } from '@keel/audit-logging'
import { BackgroundWorkPermissions } from '@keel/background-work/contracts'
import { coreEntities } from '@keel/core'
import { FeatureManagementModule } from '@keel/feature-management'
import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { IdempotencyTableModule, LiveTicketTableModule } from '@keel/framework/http'
import { JobsModule } from '@keel/framework/jobs'
import { IdentityModule } from '@keel/identity'
import { OpenIdModule } from '@keel/openid'
import { ApplicationPermissions, ScopePermissions } from '@keel/openid/contracts'
import { PermissionManagementModule } from '@keel/permission-management'
import { SaasModule } from '@keel/saas'
import * as settings from '@keel/setting-management/contracts'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { TenantDatabases } from './tenant-databases.js'

/**
 * The tables and seeds of the platform in the Default database: what the migrations of this package make. Of Core the lists are enough: its
 * services need what the migrator has not.
 */
@Module({
  dependsOn: [
    JobsModule,
    IdempotencyTableModule,
    LiveTicketTableModule,
    IdentityModule,
    AccountModule,
    PermissionManagementModule,
    OpenIdModule,
    StoredSettingsModule,
    FeatureManagementModule,
    SaasModule,
    AuditLoggingModule,
  ],
  services: [TenantDatabases],
  // The module's services need principals, which the migrator has none of.
  entities: [ApiKey, ApiKeyUsage, ...coreEntities],
  permissions: [
    ApplicationPermissions,
    ScopePermissions,
    ApiKeyPermissions,
    BackgroundWorkPermissions,
    ...permissionsIn(settings),
  ],
})
export class PlatformDatabase extends KeelModule {}
