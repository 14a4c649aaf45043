import { AutoApiController } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import { ShipmentPermissions, ShipmentStatusHistoryAppService } from '../contracts/index.js'
import { ShipmentStatusHistory } from '../domain/shipment-status-history.js'
import { ShipmentChildService } from './shipment-child-service.js'

@AutoApiController(ShipmentStatusHistoryAppService)
@RequiresPermission(ShipmentPermissions)
export class ShipmentStatusHistoryService extends ShipmentChildService(
  ShipmentStatusHistoryAppService,
  ShipmentStatusHistory,
  { defaultSorting: 'changeTime' },
) {}
