import { AccountModule } from '@keel/account'
import { ApiKeysModule } from '@keel/api-keys'
import { AuditLoggingModule } from '@keel/audit-logging'
import { BackgroundWorkModule } from '@keel/background-work'
import { CoreModule } from '@keel/core'
import { FeatureManagementModule } from '@keel/feature-management'
import { KeelModule, Module } from '@keel/framework'
import {
  AbpApiDefinitionModule,
  AbpModule,
  DocsUiModule,
  HttpModule,
  IdempotencyModule,
} from '@keel/framework/http'
import { MailQueueModule } from '@keel/framework/mail'
import { ODataModule } from '@keel/framework/odata'
import { SecurityModule } from '@keel/framework/security'
import { HubModule } from '@keel/hub'
import { IdentityApiModule } from '@keel/identity/api'
import { migrations } from '@keel/migrator/migrations'
import { OpenIdManagementModule } from '@keel/openid/management'
import { PermissionManagementModule } from '@keel/permission-management'
import { PricingModule } from '@keel/pricing'
import { SaasModule } from '@keel/saas'
import { SettingManagementModule } from '@keel/setting-management'

/**
 * The API host: every REST endpoint, health checks, the OpenAPI document, the docs UI and ABP's API
 * definition.
 */
@Module({
  dependsOn: [
    HttpModule,
    DocsUiModule,
    IdempotencyModule,
    AbpModule,
    AbpApiDefinitionModule,
    ODataModule,
    SecurityModule,
    BackgroundWorkModule,
    MailQueueModule,
    IdentityApiModule,
    AccountModule,
    PermissionManagementModule,
    ApiKeysModule,
    SettingManagementModule,
    FeatureManagementModule,
    SaasModule,
    AuditLoggingModule,
    OpenIdManagementModule,
    CoreModule,
    HubModule,
    PricingModule,
  ],
  migrations: migrations.map(({ name }) => name),
})
export class ApiHost extends KeelModule {}
