import { AccountModule } from '@keel/account'
import { ApiKey, ApiKeyUsage } from '@keel/api-keys'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { AuditLoggingModule } from '@keel/audit-logging'
import { BackgroundWorkPermissions } from '@keel/background-work/contracts'
import { coreEntities, corePermissions } from '@keel/core'
import { FeatureManagementModule } from '@keel/feature-management'
import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { JobsModule } from '@keel/framework/jobs'
import * as hub from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { OpenIdModule } from '@keel/openid'
import { ApplicationPermissions, ScopePermissions } from '@keel/openid/contracts'
import { PermissionManagementModule } from '@keel/permission-management'
import * as pricing from '@keel/pricing/contracts'
import { SaasModule } from '@keel/saas'
import * as settings from '@keel/setting-management/contracts'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { TenantDatabases } from './tenant-databases.js'

/**
 * Everything whose tables or seeds are in the Default database. Hub and Pricing have neither, but roles are granted their permissions. Of Core
 * the lists are enough: its services need what the migrator has not.
 */
@Module({
  dependsOn: [
    JobsModule,
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
    ...corePermissions,
    ...permissionsIn(hub),
    ...permissionsIn(pricing),
    ...permissionsIn(settings),
  ],
})
export class MigratorHost extends KeelModule {}
