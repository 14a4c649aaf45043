import { KeelModule, Module } from '@keel/framework'
import { CachingModule } from '@keel/framework/caching'
import { DataModule } from '@keel/framework/data'
import { Authority, AvailablePermissionsModule, ResourcePermissions } from '@keel/framework/security'
import { PermissionHistorySettings } from './contracts/index.js'
import { PermissionGrant, PermissionProhibition, ResourcePermissionGrant } from './domain/permission-grant.js'
import { PermissionGrantChange } from './domain/permission-grant-change.js'
import { grantPersonalData } from './domain/personal-data.js'
import { PermissionGrants } from './persistence/permission-grants.js'
import { ResourceGrants } from './persistence/resource-grants.js'

/**
 * Reads the stored grants, for hosts that check permissions and have no pages to change them; needs a
 * provider of users.
 */
@Module({
  name: 'StoredGrants',
  dependsOn: [DataModule, CachingModule, AvailablePermissionsModule],
  entities: [PermissionGrant, PermissionProhibition, ResourcePermissionGrant, PermissionGrantChange],
  personalData: grantPersonalData,
  settings: Object.values(PermissionHistorySettings),
  services: [PermissionGrants, ResourceGrants, Authority, ResourcePermissions],
})
export class StoredGrantsModule extends KeelModule {}
