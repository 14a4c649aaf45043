import {
  AppService,
  crud,
  Dto,
  deleteMany,
  EntityDto,
  exportable,
  FilteredPagedInput,
  guid,
  instant,
  listOf,
  lookup,
  op,
  ownFields,
  param,
  z,
} from '@keel/framework/contracts'
import { countryCode, stamp, unLocode } from './fields.js'
import { Pricing } from './pricing.js'

const fields = {
  /**
   * Upper-case letters, digits and hyphens, unique.
   * @example NEUR-BASE
   */
  code: z.string().regex(/^[A-Z0-9-]{1,20}$/, 'Pricing:Validation:ZoneCode'),
  name: z.string().trim().min(1).max(100),
  description: z.string().max(500).nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.RateZone'),
}

/** A named set of ports and countries, for lanes, surcharges and margins. */
export class RateZoneDto extends EntityDto({
  ...fields,
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** A zone as other rows show it. */
export class RateZoneRefDto extends EntityDto({ code: z.string(), name: z.string() }) {}

/** The input for creating and changing a zone. */
export class RateZoneInput extends Dto({ ...fields, ...stamp }) {}

/** Zones of ports and countries. One that lanes, surcharges or margins use can't be deleted. */
export abstract class RateZoneAppService extends AppService(Pricing, 'RateZoneAppService', {
  ...crud(RateZoneDto, RateZoneInput),
  ...lookup(),
  ...deleteMany(),
  ...exportable(),
  /** Lists the zones that a port belongs to, by itself or by its country. */
  resolve: op(param('unLocode', unLocode)).returns(listOf(RateZoneRefDto)).at('GET', 'resolve'),
}) {}

const member = {
  rateZoneId: guid(),

  /** The port; null for a whole country. */
  unLocode: unLocode.nullish(),

  /** The country; null for one port. */
  countryCode: countryCode.nullish(),
}

/** A port or a country of a zone. */
export class RateZoneMemberDto extends EntityDto({
  ...member,
  creationTime: instant(),
}) {}

/** The input for adding a port or a country to a zone, and for changing one: exactly one of the two. */
export class RateZoneMemberInput extends Dto(member) {}

/** The input of the list of members of zones. */
export class RateZoneMemberListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only members of this zone. */
  rateZoneId: guid().nullish(),
}) {}

/** The ports and countries of zones. */
export abstract class RateZoneMemberAppService extends AppService(Pricing, 'RateZoneMemberAppService', {
  ...crud(RateZoneMemberDto, RateZoneMemberInput, RateZoneMemberInput, RateZoneMemberListInput),
  ...deleteMany(),
}) {}
