import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { GrantChanges } from './application/grant-changes.js'
import { HolderAccess } from './application/holder-access.js'
import { PermissionDefinitions } from './application/permission-definitions.js'
import { PermissionService } from './application/permission-service.js'
import { PermissionManagementPermissions } from './contracts/index.js'
import { PermissionGrant, PermissionProhibition } from './domain/permission-grant.js'
import { PermissionGrantChange } from './domain/permission-grant-change.js'
import { HolderGrants } from './persistence/holder-grants.js'
import { PermissionGrants } from './persistence/permission-grants.js'
import { RoleGrantSeeder } from './persistence/role-grant-seeder.js'

/** Keeps who was granted which permission, changes it, and tells why somebody may do something. */
@Module({
  dependsOn: [DataModule],
  entities: [PermissionGrant, PermissionProhibition, PermissionGrantChange],
  services: [
    PermissionGrants,
    HolderGrants,
    HolderAccess,
    PermissionDefinitions,
    GrantChanges,
    PermissionService,
  ],
  permissions: [PermissionManagementPermissions],
  seeds: [RoleGrantSeeder],
  localization: new URL('../localization/', import.meta.url),
})
export class PermissionManagementModule extends KeelModule {}

export { PermissionGrant, PermissionProhibition } from './domain/permission-grant.js'
export { PermissionGrantChange } from './domain/permission-grant-change.js'
export { type GrantChange, PermissionGrants } from './persistence/permission-grants.js'
