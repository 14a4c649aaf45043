import { KeelModule, Module } from '@keel/framework'
import { ShipmentPermissions } from '@keel/hub/contracts'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { ShipmentService } from './application/shipment-service.js'

/** The core application. It needs Hub's contracts: in the same host HubModule, or the contracts among the host's `remotes`. */
@Module({
  services: [ShipmentService],
  permissions: [AdministrationPermissions, ShipmentPermissions],
  localization: new URL('../localization/', import.meta.url),
})
export class CoreModule extends KeelModule {}
