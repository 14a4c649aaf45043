import {
  AppService,
  activityMembers,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  guid,
  InputOf,
  id,
  instant,
  inUnit,
  op,
  pageOf,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { DistanceSource } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

const kilometres = inUnit('km', z.number().min(0).max(100_000).nullish())

/** Greenhouse gases of a tonne-kilometre, by ISO 14083. */
export class EmissionFactorDto extends EntityDto({
  code: z.string().trim().min(1).max(50),
  transportModeId: guid(),
  vehicleClass: z.string().trim().min(1).max(50),
  region: z.string().trim().max(50).nullish(),

  /** The distances that it is for: from this one on, and shorter than `maxDistanceKm`. */
  minDistanceKm: kilometres,
  maxDistanceKm: kilometres,
  isTemperatureControlled: z.boolean().default(false),

  /** Well to wheel, in g CO2e. */
  wtwGramsPerTkm: z.number().positive().max(1e6),

  /** Tank to wheel, in g CO2e; not more than well to wheel. */
  ttwGramsPerTkm: z.number().min(0).max(1e6).nullish(),

  /** What is added to distances, in percent. */
  distanceUpliftPercent: decimal(5, 2, { min: 0 }).default('0'),

  /** What is added to distances, in km. */
  distanceAddKm: decimal(6, 1, { min: 0 }).default('0'),

  /** The publication that it is taken from. */
  source: z.string().trim().min(1).max(200),
  sourceYear: z.int().min(1990).max(2100),
  validFrom: calendarDate(),
  validTo: calendarDate().nullish(),

  /** True for the factor that its transport mode has unless something speaks for another one. */
  isDefault: z.boolean().default(false),
  ...activityMembers,
}) {}

/** The input for creating and changing a factor. */
export class EmissionFactorInput extends Dto({
  ...InputOf(EmissionFactorDto).shape,
  isActive: reactivation(),
}) {}

/** The input of the list of factors. */
export class EmissionFactorListInput extends Dto({
  ...ReferenceListInput.shape,
  transportModeId: guid().nullish(),
}) {}

/** Emission factors. Deleting one deactivates it; what was computed by it stays. */
export abstract class EmissionFactorAppService extends AppService(
  Hub,
  'EmissionFactorAppService',
  crud(EmissionFactorDto, EmissionFactorInput, EmissionFactorInput, EmissionFactorListInput),
) {}

/** Greenhouse gases of a shipment on one leg. */
export class ShipmentEmissionDto extends EntityDto({
  shipmentId: guid(),

  /** Null where the shipment has no legs: then one leg between its ports is computed. */
  consolLegId: guid().nullish(),
  sequence: z.int(),
  transportModeId: guid(),
  emissionFactorId: guid(),
  emissionFactor: EmissionFactorDto.schema.nullish(),
  distanceKm: inUnit('km', z.number()),
  distanceSource: enumeration('DistanceSource', DistanceSource),

  /** Gross weight of the cargo, without containers. */
  weightTonnes: inUnit('t', z.number()),
  wtwGramsPerTkm: z.number(),
  ttwGramsPerTkm: z.number().nullish(),

  /** Well to wheel. */
  co2eKg: inUnit('kg', z.number()),

  /** Tank to wheel. */
  co2eTtwKg: inUnit('kg', z.number().nullish()),
  calculationTime: instant(),

  /** False for rows that a later calculation replaced. */
  isCurrent: z.boolean(),
}) {}

/** A page of emissions. */
export const ShipmentEmissionPage = pageOf(ShipmentEmissionDto)
/** A page of emissions. */
export type ShipmentEmissionPage = InstanceType<typeof ShipmentEmissionPage>

/** Greenhouse gases of shipments, leg by leg. They are computed anew when legs change, and when a shipment arrives. */
export abstract class ShipmentEmissionAppService extends AppService(Hub, 'ShipmentEmissionAppService', {
  /** Gets the emissions of one leg. */
  get: op(id).returns(ShipmentEmissionDto),
  /** Lists the emissions of a shipment, those of the last calculation first. */
  getList: op(OfShipmentListInput).returns(ShipmentEmissionPage),
  /** Computes the emissions of a shipment, and answers those of its legs. */
  recalculate: op(id).returns(z.array(ShipmentEmissionDto.schema)).at('POST', '{id}/recalculate'),
}) {}
