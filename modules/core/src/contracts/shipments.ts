import { AppService, op } from '@keel/framework/contracts'
import { ShipmentListInput, ShipmentPage } from '@keel/hub/contracts'
import { Core } from './core.js'

/** The legacy list of shipments, kept for consumers that know it from before the Hub. @see interface document, behaviour 5 */
export abstract class ShipmentAppService extends AppService(Core, 'ShipmentAppService', {
  /** Lists the shipments of the caller's organizations, in pages. */
  getList: op(ShipmentListInput).returns(ShipmentPage),
}) {}
