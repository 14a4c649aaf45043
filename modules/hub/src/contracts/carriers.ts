import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  enumeration,
  guid,
  InputOf,
  lookup,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { CarrierType, VesselType } from './enumerations.js'
import { Hub } from './hub.js'
import { OrganizationDto } from './organizations.js'

const countryCode = OrganizationDto.shape.countryCode.nullish()

/** A shipping line, an airline, or another operator of transports. */
export class CarrierDto extends EntityDto({
  code: z.string().trim().min(1).max(20),
  name: z.string().trim().min(1).max(150),
  carrierType: enumeration('CarrierType', CarrierType),

  /**
   * Standard carrier alpha code.
   * @example MAEU
   */
  scacCode: z
    .string()
    .regex(/^[A-Z]{2,4}$/, 'Hub:Validation:ScacCode')
    .nullish(),

  /** Code of two characters of IATA. */
  iataCode: z
    .string()
    .regex(/^[A-Z0-9]{2}$/, 'Hub:Validation:CarrierIataCode')
    .nullish(),

  /** The first three digits of its air waybills. */
  awbPrefix: z
    .string()
    .regex(/^\d{3}$/, 'Hub:Validation:AwbPrefix')
    .nullish(),

  /** The company in the list of organizations. */
  organizationId: guid().nullish(),
  countryCode,
  ...activityMembers,
}) {}

/** The input for creating and changing a carrier. */
export class CarrierInput extends Dto({ ...InputOf(CarrierDto).shape, isActive: reactivation() }) {}

/** Carriers. Deleting one deactivates it. */
export abstract class CarrierAppService extends AppService(Hub, 'CarrierAppService', {
  ...crud(CarrierDto, CarrierInput, CarrierInput, ReferenceListInput),
  ...lookup(),
}) {}

/** A ship. */
export class VesselDto extends EntityDto({
  /** Seven digits, the last one of which checks the others. */
  imoNumber: z
    .string()
    .refine(isImoNumber, { params: { key: 'Hub:Validation:ImoNumber' } })
    .meta({ examples: ['9074729'] })
    .nullish(),
  name: z.string().trim().min(1).max(100),
  callSign: z.string().trim().max(10).nullish(),

  /** Maritime mobile service identity. */
  mmsi: z
    .string()
    .regex(/^\d{9}$/, 'Hub:Validation:Mmsi')
    .nullish(),

  /** ISO 3166 code of the flag. */
  flagCountryCode: countryCode,
  carrierId: guid().nullish(),

  /** Twenty-foot equivalent units. */
  teuCapacity: z.int().min(0).max(2147483647).nullish(),
  yearBuilt: z.int().min(1950).max(2100).nullish(),
  vesselType: enumeration('VesselType', VesselType),
  ...activityMembers,
}) {}

/** The input for creating and changing a ship. */
export class VesselInput extends Dto({ ...InputOf(VesselDto).shape, isActive: reactivation() }) {}

/** The input of the list of ships. */
export class VesselListInput extends Dto({ ...ReferenceListInput.shape, carrierId: guid().nullish() }) {}

/** Ships. Deleting one deactivates it. */
export abstract class VesselAppService extends AppService(Hub, 'VesselAppService', {
  ...crud(VesselDto, VesselInput, VesselInput, VesselListInput),
  ...lookup(),
}) {}

/** True for seven digits whose last one is the last digit of the sum of the others by the weights 7 to 2. */
export function isImoNumber(text: string): boolean {
  if (!/^\d{7}$/.test(text)) return false
  const sum = [...text.slice(0, 6)].reduce((total, digit, index) => total + Number(digit) * (7 - index), 0)
  return sum % 10 === Number(text[6])
}
