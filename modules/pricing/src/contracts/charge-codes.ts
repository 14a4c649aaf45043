import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  enumeration,
  InputOf,
  ownFields,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

/** The purposes of charges. */
export enum ChargeGroup {
  Freight = 0,
  Surcharge = 1,
  OriginLocal = 2,
  DestinationLocal = 3,
  Customs = 4,
  Insurance = 5,
  Other = 6,
}

/** The quantities that a rate is multiplied with. */
export enum RateBasis {
  PerShipment = 0,

  /** For each bill of lading or air waybill. */
  PerBill = 1,
  PerContainer = 2,

  /** For each twenty-foot equivalent unit. */
  PerTeu = 3,

  /** For each ton or cubic metre, whichever gives more. */
  PerRevenueTon = 4,
  PerChargeableKg = 5,
  PerGrossKg = 6,
  PerCubicMetre = 7,
  PerPackage = 8,

  /** A percentage of the other charges in its group. */
  PercentOfGroup = 9,

  /** A percentage of the value of the goods. */
  PercentOfValue = 10,
}

/** A word of the vocabulary of everything that can be charged. */
export class ChargeCodeDto extends EntityDto({
  /**
   * Upper-case letters and digits, unique.
   * @example THC
   */
  code: z.string().regex(/^[A-Z0-9]{1,10}$/, 'Pricing:Validation:ChargeCode'),
  name: z.string().trim().min(1).max(100),
  chargeGroup: enumeration('ChargeGroup', ChargeGroup),

  /** The quantity that a rate of the charge is multiplied with, unless a tariff states another. */
  defaultBasis: enumeration('RateBasis', RateBasis),
  appliesToSea: z.boolean(),
  appliesToAir: z.boolean(),
  appliesToRoad: z.boolean(),
  appliesToRail: z.boolean(),
  /**
   * Group, subgroup and detail of UN/CEFACT Recommendation 23; null for charges that are not in it.
   * @example "101000"
   */
  uneceCode: z
    .string()
    .regex(/^\d{6}$/, 'Pricing:Validation:UneceCode')
    .nullish(),

  /** True when VAT is added. */
  isTaxable: z.boolean(),

  /** Where the charge stands in lists: smaller ones first. */
  sortOrder: z.int().min(-2147483648).max(2147483647),
  ...activityMembers,

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.ChargeCode'),
}) {}

/** The input for creating and changing a charge code. */
export class ChargeCodeInput extends Dto({
  ...InputOf(ChargeCodeDto).shape,
  isTaxable: ChargeCodeDto.shape.isTaxable.optional(),
  sortOrder: ChargeCodeDto.shape.sortOrder.optional(),
  isActive: reactivation(),
}) {}

/** Charge codes. Deleting one deactivates it, and a change brings it back (`isActive`). */
export abstract class ChargeCodeAppService extends AppService(
  Pricing,
  'ChargeCodeAppService',
  crud(ChargeCodeDto, ChargeCodeInput, ChargeCodeInput, ReferenceListInput),
) {}
