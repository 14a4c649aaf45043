import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  exportable,
  FilteredPagedInput,
  guid,
  id,
  instant,
  lookup,
  op,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { ChargeGroup, RateBasis } from './charge-codes.js'
import { shortCode, stamp, transportModeCode } from './fields.js'
import { Pricing } from './pricing.js'
import { ChargeCodeRefDto, ChargeCondition, rateAmounts } from './rate-lanes.js'
import { RateZoneRefDto } from './rate-zones.js'

const index = {
  /**
   * Upper-case letters, digits and hyphens, unique.
   * @example VLSFO
   */
  code: z.string().regex(/^[A-Z0-9-]{1,20}$/, 'Pricing:Validation:ZoneCode'),
  name: z.string().trim().min(1).max(100),

  /**
   * What its values are counted in.
   * @example USD/t
   */
  unit: z.string().trim().min(1).max(20),
  transportModeCode,
  source: z.string().trim().max(100).nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.FuelIndex'),
}

/** A published series of fuel prices. */
export class FuelIndexDto extends EntityDto({
  ...index,
  transportModeCode: z.string(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** A fuel index as other rows show it. */
export class FuelIndexRefDto extends EntityDto({ code: z.string(), name: z.string() }) {}

/** The input for creating and changing a fuel index. */
export class FuelIndexInput extends Dto({ ...index, ...stamp }) {}

const indexValue = {
  fuelIndexId: guid(),

  /** The day from which the value counts. */
  valueDate: calendarDate(),
  value: decimal(18, 4, { min: 0.0001 }),
}

/** The value of a fuel index from a day on. */
export class FuelIndexValueDto extends EntityDto({
  ...indexValue,
  creationTime: instant(),
}) {}

/** The input for adding and changing a value. */
export class FuelIndexValueInput extends Dto(indexValue) {}

/** The input of the list of values. */
export class FuelIndexValueListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only values of this index. */
  fuelIndexId: guid().nullish(),
}) {}

/** The day for which a value is looked for. */
export class FuelIndexDateInput extends Dto({
  /** Today (UTC) when not given. */
  date: calendarDate().nullish(),
}) {}

/** Fuel indices. */
export abstract class FuelIndexAppService extends AppService(Pricing, 'FuelIndexAppService', {
  ...crud(FuelIndexDto, FuelIndexInput),
  ...lookup(),
  /** Gets the latest value of an index up to a day. */
  getCurrent: op(id, FuelIndexDateInput).returns(FuelIndexValueDto).at('GET', '{id}/current'),
}) {}

/** Values of fuel indices; one for an index and a day. */
export abstract class FuelIndexValueAppService extends AppService(Pricing, 'FuelIndexValueAppService', {
  ...crud(FuelIndexValueDto, FuelIndexValueInput, FuelIndexValueInput, FuelIndexValueListInput),
  ...exportable(),
}) {}

const rule = {
  chargeCodeId: guid(),
  transportModeCode,
  containerModeCode: shortCode.nullish(),
  carrierCode: shortCode.nullish(),
  originZoneId: guid().nullish(),
  destinationZoneId: guid().nullish(),
  basis: enumeration('RateBasis', RateBasis),
  ...rateAmounts,

  /** Of a percentage of a group: the group. */
  percentOfGroup: enumeration('ChargeGroup', ChargeGroup).nullish(),

  /** The index that the amount follows. It is given together with the next three members, and without an amount. */
  fuelIndexId: guid().nullish(),

  /** The value of the index up to which nothing is charged. */
  fuelBaseValue: decimal(18, 4, { min: 0 }).nullish(),

  /** The width of a step of the index above its base. */
  fuelStep: decimal(18, 4, { min: 0.0001 }).nullish(),

  /** What each full step adds to the amount of a unit. */
  fuelAmountPerStep: decimal(18, 4, { min: 0 }).nullish(),
  appliesWhen: enumeration('ChargeCondition', ChargeCondition).optional(),
  validFrom: calendarDate(),

  /** Null for no end. */
  validTo: calendarDate().nullish(),
  isActive: z.boolean().optional(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.SurchargeRule'),
}

/** A surcharge that is added across rate cards. A line of a lane with the same charge code replaces it. */
export class SurchargeRuleDto extends EntityDto({
  ...rule,
  transportModeCode: z.string(),
  chargeCode: ChargeCodeRefDto.schema.nullish(),
  originZone: RateZoneRefDto.schema.nullish(),
  destinationZone: RateZoneRefDto.schema.nullish(),
  fuelIndex: FuelIndexRefDto.schema.nullish(),
  appliesWhen: enumeration('ChargeCondition', ChargeCondition),
  isActive: z.boolean(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating and changing a surcharge. */
export class SurchargeRuleInput extends Dto({ ...rule, ...stamp }) {}

/** The input of the list of surcharges. */
export class SurchargeRuleListInput extends Dto({
  ...FilteredPagedInput.shape,
  transportModeCode: shortCode.nullish(),
  chargeCodeId: guid().nullish(),
}) {}

/** Surcharges across rate cards. */
export abstract class SurchargeRuleAppService extends AppService(Pricing, 'SurchargeRuleAppService', {
  ...crud(SurchargeRuleDto, SurchargeRuleInput, SurchargeRuleInput, SurchargeRuleListInput),
}) {}
