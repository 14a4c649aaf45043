import {
  AppService,
  crud,
  Dto,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  instant,
  inUnit,
  z,
} from '@keel/framework/contracts'
import { CodeEntityDto } from './code-entities.js'
import { DangerousSubstanceDto, hazardClass } from './dangerous-substances.js'
import { PackingGroup } from './enumerations.js'
import { Hub } from './hub.js'
import { OrderLineInput } from './orders.js'
import { OrganizationDto } from './organizations.js'
import { OfShipmentListInput } from './shipment-children.js'

const size = inUnit('cm', z.number().positive().max(100_000).nullish())
const temperature = inUnit('°C', z.number().min(-273.15).max(1000).nullish())

const fields = {
  /** Where the line stands in the list, from 1 on; each once. */
  lineNumber: z.int().min(1).max(32767),
  packageCount: z.int().min(1).max(2147483647),
  packageTypeId: guid(),

  /** Length, width and height of one package: all three or none. */
  lengthCm: size,
  widthCm: size,
  heightCm: size,

  /** Of all packages of the line. */
  grossWeightKg: inUnit('kg', z.number().min(0).max(1e9)),

  /** Not more than the gross weight. */
  netWeightKg: inUnit('kg', z.number().min(0).max(1e9).nullish()),

  /** Of all packages of the line; computed from the sizes when these are given. */
  volumeM3: inUnit('m³', z.number().min(0).max(1e6).nullish()),
  description: z.string().trim().max(500).nullish(),
  marksAndNumbers: z.string().trim().max(500).nullish(),
  hsCode: OrderLineInput.shape.hsCode,
  countryOfOriginCode: OrganizationDto.shape.countryCode.nullish(),

  /** The container that the line is packed into. */
  containerId: guid().nullish(),

  /** The line of an order that it ships. */
  orderLineId: guid().nullish(),
  minTemperatureC: temperature,
  maxTemperatureC: temperature,
  isStackable: z.boolean().optional(),
}

/** A line of the cargo of a shipment. */
export class PackLineDto extends EntityDto({
  shipmentId: guid(),
  ...fields,
  packageType: CodeEntityDto.schema.nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for adding a line. */
export class CreatePackLineDto extends Dto({ shipmentId: guid(), ...fields }) {}

/** The input for changing a line: absent members stay, null clears. */
export class UpdatePackLineDto extends Dto(Dto(fields).schema.partial().shape) {}

/** The cargo of shipments, line by line. Totals of a shipment are those of its lines as soon as it has any. */
export abstract class PackLineAppService extends AppService(
  Hub,
  'PackLineAppService',
  crud(PackLineDto, CreatePackLineDto, UpdatePackLineDto, OfShipmentListInput),
) {}

const dangerousFields = {
  dangerousSubstanceId: guid(),
  properShippingName: z.string().trim().min(1).max(200),
  hazardClass,

  /** Further classes, between commas. */
  subsidiaryHazards: z.string().trim().max(20).nullish(),
  packingGroup: enumeration('PackingGroup', PackingGroup).nullish(),

  /** In `unitCode`. */
  netQuantity: z.number().positive().max(1e12),
  unitCode: OrderLineInput.shape.unitCode,
  flashPointC: temperature,
  isLimitedQuantity: z.boolean().optional(),
  isMarinePollutant: z.boolean().optional(),
  emergencyContact: z.string().trim().min(1).max(100),
  emergencyPhone: z.string().trim().min(1).max(50),
}

/** Dangerous goods in a line of cargo. */
export class PackLineDangerousGoodsDto extends EntityDto({
  packLineId: guid(),
  ...dangerousFields,
  dangerousSubstance: DangerousSubstanceDto.schema.nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for declaring dangerous goods. */
export class CreatePackLineDangerousGoodsDto extends Dto({ packLineId: guid(), ...dangerousFields }) {}

/** The input for changing a declaration: absent members stay, null clears. */
export class UpdatePackLineDangerousGoodsDto extends Dto(Dto(dangerousFields).schema.partial().shape) {}

/** The input of the list of dangerous goods: those of one line. */
export class PackLineDangerousGoodsListInput extends Dto({
  ...FilteredPagedInput.shape,
  packLineId: guid(),
}) {}

/** Dangerous goods in the cargo of shipments. A shipment with any is marked. */
export abstract class PackLineDangerousGoodsAppService extends AppService(
  Hub,
  'PackLineDangerousGoodsAppService',
  crud(
    PackLineDangerousGoodsDto,
    CreatePackLineDangerousGoodsDto,
    UpdatePackLineDangerousGoodsDto,
    PackLineDangerousGoodsListInput,
  ),
) {}
