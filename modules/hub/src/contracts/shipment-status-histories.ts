import {
  AppService,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { EventSource, ShipmentStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

/** One change of the status of a shipment. */
export class ShipmentStatusHistoryDto extends EntityDto({
  shipmentId: guid(),

  /** Null for the first status of the shipment. */
  fromStatus: enumeration('ShipmentStatus', ShipmentStatus).nullish(),
  toStatus: enumeration('ShipmentStatus', ShipmentStatus),
  changeTime: instant(),

  /** The reason of a cancellation, a reopening or a forced status, or the note of an action. */
  reason: z.string().nullish(),
  source: enumeration('EventSource', EventSource),
  creationTime: instant(),
  creatorId: guid().nullish(),
}) {}

/** The status changes of shipments. Transitions of shipments write them. */
export abstract class ShipmentStatusHistoryAppService extends AppService(
  Hub,
  'ShipmentStatusHistoryAppService',
  {
    /** Gets a status change by its id. */
    get: op(id).returns(ShipmentStatusHistoryDto),
    /** Lists the status changes of a shipment, in pages. */
    getList: op(OfShipmentListInput).returns(pageOf(ShipmentStatusHistoryDto)),
  },
) {}
