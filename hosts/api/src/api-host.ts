import { AuditLoggingModule } from '@keel/audit-logging'
import { CoreModule } from '@keel/core'
import { KeelModule, Module } from '@keel/framework'
import { AbpApiDefinitionModule, AbpModule, DocsUiModule, HttpModule } from '@keel/framework/http'
import { SecurityModule } from '@keel/framework/security'
import { HubModule } from '@keel/hub'
import { IdentityModule } from '@keel/identity'
import { OpenIdManagementModule } from '@keel/openid/management'
import { PermissionManagementModule } from '@keel/permission-management'
import { PricingModule } from '@keel/pricing'

/** The API host: every REST endpoint, health checks, the OpenAPI document, the docs UI and ABP's API definition. */
@Module({
  dependsOn: [
    HttpModule,
    DocsUiModule,
    AbpModule,
    AbpApiDefinitionModule,
    SecurityModule,
    IdentityModule,
    PermissionManagementModule,
    AuditLoggingModule,
    OpenIdManagementModule,
    CoreModule,
    HubModule,
    PricingModule,
  ],
})
export class ApiHost extends KeelModule {}
