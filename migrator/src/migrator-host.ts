import { AuditLoggingModule } from '@keel/audit-logging'
import { KeelModule, Module } from '@keel/framework'
import { hubPermissions } from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { OpenIdModule } from '@keel/openid'
import { ApplicationPermissions, ScopePermissions } from '@keel/openid/contracts'
import { PermissionManagementModule } from '@keel/permission-management'
import { pricingPermissions } from '@keel/pricing/contracts'

/**
 * Everything whose tables or seeds are in the Default database. Core, Hub and Pricing have neither, but roles are granted their
 * permissions.
 */
@Module({
  dependsOn: [IdentityModule, PermissionManagementModule, OpenIdModule, AuditLoggingModule],
  permissions: [
    ApplicationPermissions,
    ScopePermissions,
    AdministrationPermissions,
    ...hubPermissions,
    ...pricingPermissions,
  ],
})
export class MigratorHost extends KeelModule {}
