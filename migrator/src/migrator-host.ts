import { corePermissions } from '@keel/core'
import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import * as hub from '@keel/hub/contracts'
import * as pricing from '@keel/pricing/contracts'
import { PlatformDatabase } from './platform-database.js'

/** The migrator of this product. Hub and Pricing have neither tables nor seeds in the Default database, but roles are granted their permissions. */
@Module({
  dependsOn: [PlatformDatabase],
  permissions: [...corePermissions, ...permissionsIn(hub), ...permissionsIn(pricing)],
})
export class MigratorHost extends KeelModule {}
