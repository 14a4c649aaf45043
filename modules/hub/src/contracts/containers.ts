import {
  AppService,
  calendarDate,
  crud,
  Dto,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  instant,
  inUnit,
  op,
  param,
  z,
} from '@keel/framework/contracts'
import { ContainerTypeDto } from './container-types.js'
import { VgmMethod } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

const weight = inUnit('kg', z.number().min(0).max(1e9).nullish())

const fields = {
  /**
   * Owner, category, serial number and check digit of ISO 6346; null while the box is not known.
   * @example CSQU3054383
   */
  containerNumber: z.string().trim().toUpperCase().max(11).nullish(),
  consolId: guid().nullish(),
  containerTypeId: guid(),
  sealNumber: z.string().trim().max(20).nullish(),
  tareWeightKg: weight,

  /** The cargo, without the container. */
  grossWeightKg: weight,

  /** Verified gross mass: cargo and container. */
  vgmWeightKg: weight,
  vgmMethod: enumeration('VgmMethod', VgmMethod).nullish(),
  isShipperOwned: z.boolean().optional(),
  temperatureSetPointC: inUnit('°C', z.number().min(-273.15).max(1000).nullish()),
  emptyPickupTime: instant().nullish(),
  gateInTime: instant().nullish(),
  loadedTime: instant().nullish(),
  dischargedTime: instant().nullish(),
  gateOutTime: instant().nullish(),
  emptyReturnTime: instant().nullish(),

  /** The last day without demurrage. */
  freeTimeExpiry: calendarDate().nullish(),
}

/** A box on a consol. */
export class ContainerDto extends EntityDto({
  ...fields,
  containerType: ContainerTypeDto.schema.nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for creating a container. */
export class CreateContainerDto extends Dto(fields) {}

/** The input for changing a container: absent members stay, null clears. */
export class UpdateContainerDto extends Dto(Dto(fields).schema.partial().shape) {}

/** The input of the list of containers. */
export class ContainerListInput extends Dto({
  ...FilteredPagedInput.shape,
  consolId: guid().nullish(),
}) {}

/** What the check digit says of a container number. */
export class ContainerNumberDto extends Dto({
  isValid: z.boolean(),

  /** The digit that the first ten characters ask for; null when they are no number of ISO 6346. */
  checkDigit: z.int().nullish(),
}) {}

/** The number to check. */
export class ValidateContainerNumberDto extends Dto({ number: z.string().max(20) }) {}

/** Containers. Customers see those that carry their shipments. */
export abstract class ContainerAppService extends AppService(Hub, 'ContainerAppService', {
  ...crud(ContainerDto, CreateContainerDto, UpdateContainerDto, ContainerListInput),
  /** Checks a container number by ISO 6346. */
  validateNumber: op(ValidateContainerNumberDto).returns(ContainerNumberDto).at('POST', 'validate-number'),
  /** Gets the latest use of a container by its number: boxes are used again and again. */
  getByNumber: op(param('number', z.string().max(11))).returns(ContainerDto),
}) {}

const cargo = {
  packages: z.int().min(0).max(2147483647).nullish(),
  grossWeightKg: weight,
  volumeM3: inUnit('m³', z.number().min(0).max(1e6).nullish()),
  sealNumber: z.string().trim().max(20).nullish(),
}

/** The cargo of a shipment in a container. */
export class ShipmentContainerDto extends EntityDto({
  shipmentId: guid(),
  containerId: guid(),
  ...cargo,
  creationTime: instant(),
}) {}

/** The input for putting a shipment into a container. */
export class CreateShipmentContainerDto extends Dto({ shipmentId: guid(), containerId: guid(), ...cargo }) {}

/** The input for changing how much of a shipment is in a container: absent members stay, null clears. */
export class UpdateShipmentContainerDto extends Dto(cargo) {}

/** Which containers carry which shipment: one box can carry many shipments. */
export abstract class ShipmentContainerAppService extends AppService(
  Hub,
  'ShipmentContainerAppService',
  crud(ShipmentContainerDto, CreateShipmentContainerDto, UpdateShipmentContainerDto, OfShipmentListInput),
) {}
