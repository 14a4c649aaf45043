import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { Authority } from '@keel/framework/security'
import { PermissionGrant, PermissionProhibition } from './domain/permission-grant.js'
import { PermissionGrantChange } from './domain/permission-grant-change.js'
import { PermissionGrants } from './persistence/permission-grants.js'

/** Who was granted which permission, for hosts that ask and have no pages to change it; needs a provider of users. */
@Module({
  name: 'StoredGrants',
  dependsOn: [DataModule],
  entities: [PermissionGrant, PermissionProhibition, PermissionGrantChange],
  services: [PermissionGrants, Authority],
})
export class StoredGrantsModule extends KeelModule {}
