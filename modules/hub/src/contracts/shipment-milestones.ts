import {
  AppService,
  crud,
  Dto,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  op,
  z,
} from '@keel/framework/contracts'
import { EventSource, MilestoneCode } from './enumerations.js'
import { Hub } from './hub.js'
import { PortDto } from './ports.js'
import { OfShipmentListInput } from './shipment-children.js'

const fields = {
  /** Where it takes place. */
  portId: guid().nullish(),

  /** The time that was planned first. */
  plannedTime: instant().nullish(),

  /** The time that is expected now. */
  estimatedTime: instant().nullish(),

  /** The time when it happened; null while it has not. */
  actualTime: instant().nullish(),
}

/** A step of a shipment that customers follow, with its planned, estimated and actual time. */
export class ShipmentMilestoneDto extends EntityDto({
  shipmentId: guid(),
  code: enumeration('MilestoneCode', MilestoneCode),

  /** The place among the milestones of the shipment. */
  sequence: z.int(),
  port: PortDto.schema.nullish(),
  ...fields,

  /** False for milestones that only staff see. */
  isCustomerVisible: z.boolean(),
  source: enumeration('EventSource', EventSource),
  creationTime: instant(),
}) {}

const options = {
  sequence: z.int().min(0).max(32767).optional(),
  isCustomerVisible: z.boolean().optional(),
}

/** The input for adding a milestone. */
export class CreateShipmentMilestoneDto extends Dto({
  shipmentId: guid(),
  code: enumeration('MilestoneCode', MilestoneCode),
  ...fields,
  ...options,
}) {}

/** The input for changing a milestone: absent members stay, null clears. */
export class UpdateShipmentMilestoneDto extends Dto({ ...fields, ...options }) {}

/** The input for the actual time of a milestone. */
export class SetActualDto extends Dto({
  /** Now when not given; at most 24 hours ahead. */
  time: instant().nullish(),
}) {}

/** The milestones of shipments. Booking creates them from the template of the transport mode. */
export abstract class ShipmentMilestoneAppService extends AppService(Hub, 'ShipmentMilestoneAppService', {
  ...crud(ShipmentMilestoneDto, CreateShipmentMilestoneDto, UpdateShipmentMilestoneDto, OfShipmentListInput),
  /** Records when a milestone happened. */
  setActual: op(id, SetActualDto).returns(ShipmentMilestoneDto).at('POST', '{id}/set-actual'),
}) {}
