import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { PermissionGrant, PermissionProhibition } from './domain/permission-grant.js'
import { PermissionGrantChange } from './domain/permission-grant-change.js'
import { PermissionGrants } from './persistence/permission-grants.js'

/** Who was granted which permission, for hosts that ask and have no pages to change it. */
@Module({
  name: 'StoredGrants',
  dependsOn: [DataModule],
  entities: [PermissionGrant, PermissionProhibition, PermissionGrantChange],
  services: [PermissionGrants],
})
export class StoredGrantsModule extends KeelModule {}
