import { AutoApiController } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  ShipmentAppService as HubShipmentAppService,
  type ShipmentListInput,
  type ShipmentPage,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { ShipmentAppService } from '../contracts/index.js'

@AutoApiController(ShipmentAppService)
export class ShipmentService implements ShipmentAppService {
  constructor(private readonly shipments: HubShipmentAppService) {}

  @RequiresPermission(ShipmentPermissions.View)
  getList(input: ShipmentListInput): Promise<ShipmentPage> {
    return this.shipments.getList(input)
  }
}
