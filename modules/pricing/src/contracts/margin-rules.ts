import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  guid,
  instant,
  op,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { ChargeGroup } from './charge-codes.js'
import { currencyCode, shortCode, stamp, transportModeCode, unLocode } from './fields.js'
import { Pricing } from './pricing.js'
import { ChargeCodeRefDto } from './rate-lanes.js'
import { RateZoneRefDto } from './rate-zones.js'

/** How a margin is added to a cost. */
export enum MarginType {
  /** A percentage of the cost. */
  MarkupPercent = 0,

  /** A percentage of the selling price. */
  MarginPercent = 1,
  FixedPerUnit = 2,
  FixedPerCharge = 3,
}

const rule = {
  name: z.string().trim().min(1).max(100),

  /** The customer that it is for; null for all. */
  organizationId: guid().nullish(),
  organizationCode: shortCode.nullish(),
  transportModeCode: transportModeCode.nullish(),
  containerModeCode: shortCode.nullish(),
  chargeGroup: enumeration('ChargeGroup', ChargeGroup).nullish(),
  chargeCodeId: guid().nullish(),
  originZoneId: guid().nullish(),
  destinationZoneId: guid().nullish(),
  marginType: enumeration('MarginType', MarginType),

  /** The percentage, or an amount in the currency of the rule. A percentage of the price is below 100. */
  value: decimal(18, 4, { min: 0 }),

  /** The least that is added to a charge, in the currency of the rule. */
  minMarginAmount: decimal(18, 4, { min: 0 }).nullish(),

  /** The most that is added to a charge, in the currency of the rule. */
  maxMarginAmount: decimal(18, 4, { min: 0 }).nullish(),
  currencyCode,

  /** Of two rules that are equally specific, the one with the lower number counts. */
  priority: z.int().min(0).max(32767).optional(),
  validFrom: calendarDate(),

  /** Null for no end. */
  validTo: calendarDate().nullish(),
  isActive: z.boolean().optional(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.MarginRule'),
}

/** How the cost of a charge becomes its selling price. Of all rules that match, the most specific one counts. */
export class MarginRuleDto extends EntityDto({
  ...rule,
  transportModeCode: z.string().nullish(),
  chargeCode: ChargeCodeRefDto.schema.nullish(),
  originZone: RateZoneRefDto.schema.nullish(),
  destinationZone: RateZoneRefDto.schema.nullish(),
  priority: z.int(),
  isActive: z.boolean(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating and changing a margin rule. */
export class MarginRuleInput extends Dto({ ...rule, ...stamp }) {}

/** A charge whose margin is looked for. */
export class TestMarginDto extends Dto({
  transportModeCode,
  containerModeCode: shortCode,
  originUnLocode: unLocode,
  destinationUnLocode: unLocode,
  chargeCodeId: guid(),
  organizationId: guid().nullish(),

  /** The day whose rules count; today (UTC) when not given. */
  date: calendarDate().nullish(),

  /** The cost of the charge, in the currency. */
  cost: decimal(18, 4, { min: 0 }),
  currencyCode,

  /** The units of the charge, for rules that add an amount to each; 1 when not given. */
  quantity: z.int().min(1).max(1_000_000).default(1),
}) {}

/** The rule that a charge meets, and the price that follows. */
export class MarginTestDto extends Dto({
  /** Null where no rule matches: the price is the cost. */
  rule: MarginRuleDto.schema.nullable(),

  /** Rounded to the digits of the currency. */
  cost: decimal(18, 4),
  sell: decimal(18, 4),

  /** The bound of the rule that counted. */
  bound: z.enum(['Minimum', 'Maximum']).nullable(),
}) {}

/** Margins. */
export abstract class MarginRuleAppService extends AppService(Pricing, 'MarginRuleAppService', {
  ...crud(MarginRuleDto, MarginRuleInput),
  /** Finds the rule that the calculation would take for a charge, and the price that it makes of a cost. */
  test: op(TestMarginDto).returns(MarginTestDto),
}) {}
