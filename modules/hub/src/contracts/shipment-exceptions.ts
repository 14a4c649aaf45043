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
import { CodeEntityDto } from './code-entities.js'
import { Severity } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

const fields = {
  /** How bad it is. A critical one keeps a shipment from being completed. */
  severity: enumeration('Severity', Severity),
  description: z.string().trim().max(1000).nullish(),

  /** The delay that it causes, in hours. */
  delayHours: z.int().min(0).max(8760).nullish(),
}

/** A disruption of a shipment. */
export class ShipmentExceptionDto extends EntityDto({
  shipmentId: guid(),
  exceptionTypeId: guid(),
  exceptionType: CodeEntityDto.schema.nullish(),
  ...fields,
  raisedTime: instant(),

  /** Null while it is open. */
  resolvedTime: instant().nullish(),
  resolvedById: guid().nullish(),
  resolutionNote: z.string().nullish(),
  creationTime: instant(),
}) {}

/** The input for raising an exception. */
export class CreateShipmentExceptionDto extends Dto({
  shipmentId: guid(),

  /** A code entity of type `ExceptionType`. */
  exceptionTypeId: guid(),
  ...fields,

  /** Now when not given. */
  raisedTime: instant().nullish(),
}) {}

/** The input for changing an exception: absent members stay. */
export class UpdateShipmentExceptionDto extends Dto({ ...fields, severity: fields.severity.optional() }) {}

/** The input for resolving an exception. */
export class ResolveShipmentExceptionDto extends Dto({ note: z.string().trim().min(1).max(1000) }) {}

/** Disruptions of shipments. */
export abstract class ShipmentExceptionAppService extends AppService(Hub, 'ShipmentExceptionAppService', {
  ...crud(ShipmentExceptionDto, CreateShipmentExceptionDto, UpdateShipmentExceptionDto, OfShipmentListInput),
  /** Resolves an open exception. */
  resolve: op(id, ResolveShipmentExceptionDto).returns(ShipmentExceptionDto),
}) {}
