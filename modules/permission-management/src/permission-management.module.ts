import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { PermissionGrant } from './domain/permission-grant.js'
import { PermissionGrants } from './persistence/permission-grants.js'
import { RoleGrantSeeder } from './persistence/role-grant-seeder.js'
import { StoredGrantBook } from './persistence/stored-grant-book.js'

/** Keeps who was granted which permission. */
@Module({
  dependsOn: [DataModule],
  entities: [PermissionGrant],
  services: [PermissionGrants, StoredGrantBook],
  seeds: [RoleGrantSeeder],
  localization: new URL('../localization/', import.meta.url),
})
export class PermissionManagementModule extends KeelModule {}

export { PermissionGrant } from './domain/permission-grant.js'
export { PermissionGrants } from './persistence/permission-grants.js'
