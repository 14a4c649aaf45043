import { AppService, op, remoteService } from '@keel/framework/contracts'
import { ShipmentListInput, ShipmentPage } from '@keel/hub/contracts'

/** The core application's remote service, ABP's `Default`: routes under `/api/app`. */
export const Core = remoteService('Default', 'app')

/** The legacy list of shipments, kept for consumers that know it from before the Hub (interface document, behaviour 5). */
export abstract class ShipmentAppService extends AppService(Core, {
  getList: op(ShipmentListInput).returns(ShipmentPage),
}) {}

/** Every contract of the core application. */
export const coreServices = [ShipmentAppService] as const
