import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { CachingModule } from '@keel/framework/caching'
import { entitySet } from '@keel/framework/data'
import { HolderChanges } from '@keel/identity/contracts'
import { ExplanationService } from './application/explanation-service.js'
import { GrantChanges } from './application/grant-changes.js'
import { HistoryService } from './application/history-service.js'
import { HolderAccess } from './application/holder-access.js'
import { PermissionDefinitions } from './application/permission-definitions.js'
import { PermissionService } from './application/permission-service.js'
import { PreviewService } from './application/preview-service.js'
import { ResourceAccess } from './application/resource-access.js'
import { RoleMatrixService } from './application/role-matrix-service.js'
import { PermissionGrantChangeDto, PermissionManagementPermissions } from './contracts/index.js'
import { PermissionGrant, PermissionProhibition, ResourcePermissionGrant } from './domain/permission-grant.js'
import { PermissionGrantChange } from './domain/permission-grant-change.js'
import { GrantHistory } from './persistence/grant-history.js'
import { HolderGrants } from './persistence/holder-grants.js'
import { RoleGrantSeeder } from './persistence/role-grant-seeder.js'
import { StandingGrants } from './persistence/standing-grants.js'
import { StoredGrantsModule } from './stored-grants.module.js'

/** Keeps who was granted which permission, changes it, and tells why somebody may do something. */
@Module({
  dependsOn: [StoredGrantsModule, CachingModule],
  services: [
    StandingGrants,
    HolderGrants,
    HolderAccess,
    PermissionDefinitions,
    GrantChanges,
    GrantHistory,
    ResourceAccess,
    PermissionService,
    PreviewService,
    ExplanationService,
    HistoryService,
    RoleMatrixService,
  ],
  permissions: [PermissionManagementPermissions],
  odata: [
    entitySet('PermissionGrants', PermissionGrant, PermissionManagementPermissions.History, {
      also: ['name', 'providerName', 'providerKey'],
    }),
    entitySet('PermissionProhibitions', PermissionProhibition, PermissionManagementPermissions.History, {
      also: ['name', 'providerName', 'providerKey'],
    }),
    entitySet('ResourcePermissionGrants', ResourcePermissionGrant, PermissionManagementPermissions.History, {
      also: ['name', 'resourceName', 'resourceKey', 'providerName', 'providerKey'],
    }),
    entitySet('PermissionGrantChanges', PermissionGrantChange, PermissionManagementPermissions.History, {
      dto: PermissionGrantChangeDto,
      searchable: ['permissionName', 'userName'],
    }),
  ],
  seeds: [RoleGrantSeeder],
  localization: new URL('../localization/', import.meta.url),
})
export class PermissionManagementModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    // A host without the identity module has nobody to follow.
    application.find(HolderChanges)?.observe(application.get(HolderGrants))
  }
}

export { PermissionGrant, PermissionProhibition, ResourcePermissionGrant } from './domain/permission-grant.js'
export { PermissionGrantChange } from './domain/permission-grant-change.js'
export type { GrantRow } from './domain/verdict.js'
export { type GrantChange, PermissionGrants } from './persistence/permission-grants.js'
export { StoredGrantsModule } from './stored-grants.module.js'
