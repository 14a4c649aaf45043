import {
  AppService,
  crud,
  Dto,
  decimal,
  deleteMany,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  op,
  z,
} from '@keel/framework/contracts'
import { ChargeGroup, RateBasis } from './charge-codes.js'
import { containerTypeCode, countryCode, currencyCode, shortCode, unLocode } from './fields.js'
import { Pricing } from './pricing.js'
import { RateZoneRefDto } from './rate-zones.js'

/** How a lane names its origin or its destination. */
export enum LanePointType {
  Port = 0,
  Zone = 1,
  Country = 2,
  Any = 3,
}

/** The cargo that a charge is for. */
export enum ChargeCondition {
  Always = 0,
  DangerousGoods = 1,
  TemperatureControlled = 2,

  /** Only where the customer asks for it. */
  Optional = 3,
}

/** A charge code as other rows show it. */
export class ChargeCodeRefDto extends EntityDto({
  code: z.string(),
  name: z.string(),
  chargeGroup: enumeration('ChargeGroup', ChargeGroup),
}) {}

const lane = {
  rateCardId: guid(),

  /** Where the lane stands on the card; each number once. */
  laneNumber: z.int().min(1).max(1_000_000),
  originType: enumeration('LanePointType', LanePointType),
  destinationType: enumeration('LanePointType', LanePointType),

  /** Exactly the member that the type names is given: a port, */
  originUnLocode: unLocode.nullish(),
  destinationUnLocode: unLocode.nullish(),

  /** a zone, */
  originZoneId: guid().nullish(),
  destinationZoneId: guid().nullish(),

  /** or a country. */
  originCountryCode: countryCode.nullish(),
  destinationCountryCode: countryCode.nullish(),

  /** The port of transhipment. */
  viaUnLocode: unLocode.nullish(),

  /** The carrier, where it is not that of the card. */
  carrierCode: shortCode.nullish(),
  serviceLevelCode: shortCode.nullish(),
  transitDays: z.int().min(0).max(120).nullish(),
  departuresPerWeek: decimal(4, 1, { min: 0 }).nullish(),

  /** Days at the destination without demurrage. */
  freeDays: z.int().min(0).max(60).nullish(),
  isActive: z.boolean().optional(),
}

/** A relation of a rate card: origin, destination, and how it is served. */
export class RateLaneDto extends EntityDto({
  ...lane,
  originZone: RateZoneRefDto.schema.nullish(),
  destinationZone: RateZoneRefDto.schema.nullish(),
  isActive: z.boolean(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for adding and changing a lane of a draft. */
export class RateLaneInput extends Dto(lane) {}

/** The input of the list of lanes. */
export class RateLaneListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only lanes of this card. */
  rateCardId: guid().nullish(),
  originUnLocode: unLocode.nullish(),
  destinationUnLocode: unLocode.nullish(),
}) {}

/** Lanes of rate cards. */
export abstract class RateLaneAppService extends AppService(Pricing, 'RateLaneAppService', {
  ...crud(RateLaneDto, RateLaneInput, RateLaneInput, RateLaneListInput),
  ...deleteMany(),
}) {}

/** The amounts and the currency of a rate. */
export const rateAmounts = {
  currencyCode,

  /** For one unit of the basis, or the percentage. Null where breaks give it. */
  amount: decimal(18, 4, { min: 0 }).nullish(),

  /** The least that is charged. */
  minAmount: decimal(18, 4, { min: 0 }).nullish(),

  /** The most that is charged. */
  maxAmount: decimal(18, 4, { min: 0 }).nullish(),
}

const line = {
  rateLaneId: guid(),
  chargeCodeId: guid(),
  basis: enumeration('RateBasis', RateBasis),

  /** The type of container that a rate per container is for. Null for all of them. */
  containerTypeCode: containerTypeCode.nullish(),
  ...rateAmounts,
  appliesWhen: enumeration('ChargeCondition', ChargeCondition).optional(),

  /** True when the quantity of a higher break may be paid where that is cheaper. */
  allowHigherBreak: z.boolean().optional(),
}

/** A charge on a lane. */
export class RateLineDto extends EntityDto({
  ...line,
  chargeCode: ChargeCodeRefDto.schema.nullish(),
  appliesWhen: enumeration('ChargeCondition', ChargeCondition),
  allowHigherBreak: z.boolean(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for adding and changing a line of a draft. */
export class RateLineInput extends Dto(line) {}

/** The input of the list of lines. */
export class RateLineListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only lines of this lane. */
  rateLaneId: guid().nullish(),
  chargeCodeId: guid().nullish(),
}) {}

const rateBreak = {
  /** The quantity from which on the amount counts, for the whole quantity. */
  fromQuantity: decimal(18, 3, { min: 0 }),
  amount: decimal(18, 4, { min: 0 }),

  /** True when the amount is the charge itself, whatever the quantity. */
  isFlat: z.boolean().optional(),
}

/** A quantity break of a rate line. */
export class RateBreakDto extends EntityDto({
  rateLineId: guid(),
  ...rateBreak,
  isFlat: z.boolean(),
}) {}

/** A break as it is written with others. */
export class RateBreakItem extends Dto(rateBreak) {}

/** The input for adding and changing a single break. */
export class RateBreakInput extends Dto({ rateLineId: guid(), ...rateBreak }) {}

/** The most breaks of a line. */
export const mostBreaks = 100

/** All breaks of a line from now on, ascending, the first from 0. */
export class SetRateBreaksDto extends Dto({ breaks: z.array(RateBreakItem.schema).max(mostBreaks) }) {}

/** The input of the list of breaks. */
export class RateBreakListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only breaks of this line. */
  rateLineId: guid().nullish(),
}) {}

/** Lines of lanes: charges with their rates. */
export abstract class RateLineAppService extends AppService(Pricing, 'RateLineAppService', {
  ...crud(RateLineDto, RateLineInput, RateLineInput, RateLineListInput),
  ...deleteMany(),
  /** Lists the breaks of a line, ascending. */
  getBreaks: op(id).returns(listOf(RateBreakDto)),
  /** Replaces the breaks of a line. */
  setBreaks: op(id, SetRateBreaksDto).returns(listOf(RateBreakDto)).at('POST', '{id}/set-breaks'),
}) {}

/** Single breaks of lines. */
export abstract class RateBreakAppService extends AppService(Pricing, 'RateBreakAppService', {
  ...crud(RateBreakDto, RateBreakInput, RateBreakInput, RateBreakListInput),
}) {}
