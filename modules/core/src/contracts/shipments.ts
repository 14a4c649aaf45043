import { AppService, op } from '@keel/framework/contracts'
import { ShipmentListInput, ShipmentPage } from '@keel/hub/contracts'
import { Core } from './core.js'

/** The legacy list of shipments, kept for consumers that know it from before the Hub (interface document, behaviour 5). */
export abstract class ShipmentAppService extends AppService(Core, 'ShipmentAppService', {
  getList: op(ShipmentListInput).returns(ShipmentPage),
}) {}
