import {
  AppService,
  crud,
  Dto,
  EntityDto,
  enumeration,
  InputOf,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

/** What a charge is for. */
export enum ChargeGroup {
  Freight = 0,
  Surcharge = 1,
  OriginLocal = 2,
  DestinationLocal = 3,
  Customs = 4,
  Insurance = 5,
  Other = 6,
}

/** What a rate is multiplied with. */
export enum RateBasis {
  PerShipment = 0,
  PerBill = 1,
  PerContainer = 2,
  PerTeu = 3,
  PerRevenueTon = 4,
  PerChargeableKg = 5,
  PerGrossKg = 6,
  PerCubicMetre = 7,
  PerPackage = 8,
  PercentOfGroup = 9,
  PercentOfValue = 10,
}

/** A word of the vocabulary of everything that can be charged. */
export class ChargeCodeDto extends EntityDto({
  code: z.string().regex(/^[A-Z0-9]{1,10}$/, 'expected up to 10 upper-case letters and digits'),
  name: z.string().trim().min(1).max(100),
  chargeGroup: enumeration('ChargeGroup', ChargeGroup),
  defaultBasis: enumeration('RateBasis', RateBasis),
  appliesToSea: z.boolean(),
  appliesToAir: z.boolean(),
  appliesToRoad: z.boolean(),
  appliesToRail: z.boolean(),
  /** Group, subgroup and detail of UN/CEFACT Recommendation 23. */
  uneceCode: z
    .string()
    .regex(/^\d{6}$/, 'expected six digits')
    .nullish(),
  isTaxable: z.boolean(),
  sortOrder: z.int().min(-2147483648).max(2147483647),
}) {}

/** What a charge code is created and changed with. */
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
  crud(ChargeCodeDto, ChargeCodeInput),
) {}
