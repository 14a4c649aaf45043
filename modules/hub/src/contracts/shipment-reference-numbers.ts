import {
  AppService,
  calendarDate,
  crud,
  Dto,
  EntityDto,
  enumeration,
  guid,
  instant,
  z,
} from '@keel/framework/contracts'
import { ReferenceType } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

const fields = {
  /** The kind of the reference. */
  referenceType: enumeration('ReferenceType', ReferenceType),

  /** The reference itself; master bills of air shipments are air waybill numbers with their check digit. */
  value: z.string().trim().min(1).max(100),
  issueDate: calendarDate().nullish(),
}

/** A further reference that a shipment is known by. */
export class ShipmentReferenceNumberDto extends EntityDto({
  shipmentId: guid(),
  ...fields,
  creationTime: instant(),
}) {}

/** The input for giving a shipment a reference. */
export class CreateShipmentReferenceNumberDto extends Dto({ shipmentId: guid(), ...fields }) {}

/** The input for changing a reference: absent members stay. */
export class UpdateShipmentReferenceNumberDto extends Dto({
  referenceType: fields.referenceType.optional(),
  value: fields.value.optional(),
  issueDate: fields.issueDate,
}) {}

/** References of shipments, by which customers search. */
export abstract class ShipmentReferenceNumberAppService extends AppService(
  Hub,
  'ShipmentReferenceNumberAppService',
  crud(
    ShipmentReferenceNumberDto,
    CreateShipmentReferenceNumberDto,
    UpdateShipmentReferenceNumberDto,
    OfShipmentListInput,
  ),
) {}
