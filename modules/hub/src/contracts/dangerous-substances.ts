import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  enumeration,
  InputOf,
  lookup,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { AirProhibition, PackingGroup } from './enumerations.js'
import { Hub } from './hub.js'

/**
 * The class of dangerous goods, with its division.
 * @example 2.1
 */
export const hazardClass = z.string().regex(/^[1-9](\.[1-6])?$/, 'Hub:Validation:HazardClass')

/** An entry of the United Nations' list of dangerous goods. */
export class DangerousSubstanceDto extends EntityDto({
  /**
   * Four digits.
   * @example "1263"
   */
  unNumber: z.string().regex(/^\d{4}$/, 'Hub:Validation:UnNumber'),

  /** Tells entries of one number apart. */
  variant: z.string().trim().max(10).default(''),
  properShippingName: z.string().trim().min(1).max(200),
  hazardClass,

  /** Further classes, between commas. */
  subsidiaryHazards: z.string().trim().max(20).nullish(),
  packingGroup: enumeration('PackingGroup', PackingGroup).nullish(),
  isMarinePollutant: z.boolean().default(false),

  /** Emergency schedules of the IMDG code. */
  emsCode: z.string().trim().max(20).nullish(),
  airProhibition: enumeration('AirProhibition', AirProhibition),
  ...activityMembers,
}) {}

/** The input for creating and changing an entry. */
export class DangerousSubstanceInput extends Dto({
  ...InputOf(DangerousSubstanceDto).shape,
  isActive: reactivation(),
}) {}

/** The list of dangerous goods. Deleting an entry deactivates it. */
export abstract class DangerousSubstanceAppService extends AppService(Hub, 'DangerousSubstanceAppService', {
  ...crud(DangerousSubstanceDto, DangerousSubstanceInput, DangerousSubstanceInput, ReferenceListInput),
  ...lookup(),
}) {}
