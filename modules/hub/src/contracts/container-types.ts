import {
  AppService,
  activityMembers,
  crud,
  Dto,
  decimal,
  EntityDto,
  InputOf,
  inUnit,
  lookup,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'

const kilograms = z.int().min(0).max(1_000_000)

/** A size and type of containers, by ISO 6346. */
export class ContainerTypeDto extends EntityDto({
  /**
   * Length, height and type.
   * @example 45G1
   */
  isoCode: z.string().regex(/^[A-Z0-9]{4}$/, 'Hub:Validation:ContainerTypeCode'),

  /**
   * The name of the trade.
   * @example 40HC
   */
  alias: z.string().trim().min(1).max(5),
  name: z.string().trim().min(1).max(100),
  lengthFt: inUnit('ft', decimal(4, 1, { min: 0 })),

  /** Twenty-foot equivalent units. */
  teu: decimal(4, 2, { min: 0 }),
  tareWeightKg: inUnit('kg', kilograms),
  maxPayloadKg: inUnit('kg', kilograms),
  capacityM3: inUnit('m³', decimal(5, 1, { min: 0 }).nullish()),
  isReefer: z.boolean().default(false),
  isOpenTop: z.boolean().default(false),
  isFlatRack: z.boolean().default(false),
  isTank: z.boolean().default(false),
  ...activityMembers,
}) {}

/** The input for creating and changing a container type. */
export class ContainerTypeInput extends Dto({
  ...InputOf(ContainerTypeDto).shape,
  isActive: reactivation(),
}) {}

/** Sizes and types of containers. Deleting one deactivates it. */
export abstract class ContainerTypeAppService extends AppService(Hub, 'ContainerTypeAppService', {
  ...crud(ContainerTypeDto, ContainerTypeInput, ContainerTypeInput, ReferenceListInput),
  ...lookup(),
}) {}
