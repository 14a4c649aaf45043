import {
  AppService,
  activityMembers,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  InputOf,
  lookup,
  op,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'
import { OrderLineInput } from './orders.js'

/** The quantities that units measure. */
export enum UnitQuantity {
  Mass = 0,
  Volume = 1,
  Length = 2,

  /** A number of pieces or packages. */
  Count = 3,
  Temperature = 4,
  Area = 5,
}

/** A unit of measure of UN/CEFACT recommendation 20. */
export class UnitOfMeasureDto extends EntityDto({
  /**
   * Its code in the recommendation.
   * @example KGM
   */
  code: OrderLineInput.shape.unitCode,
  name: z.string().trim().min(1).max(100),

  /**
   * The sign that people write.
   * @example kg
   */
  symbol: z.string().trim().max(20).nullish(),
  quantity: enumeration('UnitQuantity', UnitQuantity),

  /** How many base units one of it is. The base units are kg (KGM), m³ (MTQ), m (MTR), one (C62), °C (CEL) and m² (MTK). */
  factorToBase: decimal(26, 16, { min: 1e-16 }),

  /** Added after the multiplication, in base units: not 0 for temperatures alone. */
  offsetToBase: decimal(26, 16).default('0'),
  ...activityMembers,
}) {}

/** The input for creating and changing a unit. */
export class UnitOfMeasureInput extends Dto({
  ...InputOf(UnitOfMeasureDto).shape,
  isActive: reactivation(),
}) {}

/** The input of the list of units. */
export class UnitOfMeasureListInput extends Dto({
  ...ReferenceListInput.shape,
  quantity: enumeration('UnitQuantity', UnitQuantity).nullish(),
}) {}

/** A value to convert. */
export class ConvertUnitDto extends Dto({
  value: decimal(24, 10),

  /**
   * The code of the unit that the value is in.
   * @example LBR
   */
  from: OrderLineInput.shape.unitCode,

  /**
   * The code of the unit to convert to.
   * @example KGM
   */
  to: OrderLineInput.shape.unitCode,
}) {}

/** A converted value. */
export class ConvertedUnitDto extends Dto({
  /** Exact up to ten digits behind the point, where it is rounded half away from zero. */
  value: decimal(60, 10),

  /** The code of the unit that it is in. */
  unitCode: OrderLineInput.shape.unitCode,
}) {}

/** Units of measure. A unit in use keeps code, quantity, factor and offset. Deleting one deactivates it. */
export abstract class UnitOfMeasureAppService extends AppService(Hub, 'UnitOfMeasureAppService', {
  ...crud(UnitOfMeasureDto, UnitOfMeasureInput, UnitOfMeasureInput, UnitOfMeasureListInput),
  ...lookup(),
  /** Converts a value to another unit of the same quantity; else `Hub:Unit:QuantityMismatch`. */
  convert: op(ConvertUnitDto).returns(ConvertedUnitDto),
}) {}
