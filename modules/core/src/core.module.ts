import { type Class, KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { entitySet } from '@keel/framework/data'
import { ShipmentPermissions } from '@keel/hub/contracts'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { SavedViewReadersByMembership } from './application/saved-view-readers.js'
import { SavedViewService } from './application/saved-view-service.js'
import { ShipmentService } from './application/shipment-service.js'
import * as contracts from './contracts/index.js'
import { SavedViewDto, SavedViewPermissions } from './contracts/index.js'
import { SavedView } from './domain/saved-view.js'
import { SavedViewStore } from './persistence/saved-views.js'

/** The entities of the Default database. The migrator creates the tables and runs none of the services. */
export const coreEntities: readonly Class[] = [SavedView]

/** The permissions of the core application, for the migrator too, which grants them to roles. */
export const corePermissions = [AdministrationPermissions, ShipmentPermissions, ...permissionsIn(contracts)]

/** The core application. It needs Hub's contracts: in the same host HubModule, or the contracts among the host's `remotes`. */
@Module({
  entities: coreEntities,
  services: [SavedViewReadersByMembership, SavedViewStore, SavedViewService, ShipmentService],
  permissions: corePermissions,
  odata: [
    entitySet('SavedViews', SavedView, SavedViewPermissions.View, {
      dto: SavedViewDto,
      searchable: ['name'],
    }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class CoreModule extends KeelModule {}
