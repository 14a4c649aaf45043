import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  exportable,
  InputOf,
  importable,
  inUnit,
  lookup,
  ownFields,
  ReferenceFileInput,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** A place of UN/LOCODE: sea port, airport or both. */
export class PortDto extends EntityDto({
  /**
   * UN/LOCODE: two letters of the country and three characters of the place.
   * @example NLRTM
   */
  unLocode: z.string().regex(/^[A-Z]{2}[A-Z2-9]{3}$/, 'Hub:Validation:UnLocode'),
  name: z.string().trim().min(1).max(100),

  /**
   * ISO 3166 code of two letters.
   * @example NL
   */
  countryCode: z.string().regex(/^[A-Z]{2}$/, 'Validation:CountryCode'),

  /**
   * IATA code of the airport; null for places without one.
   * @example RTM
   */
  iataCode: z
    .string()
    .regex(/^[A-Z0-9]{3}$/, 'Hub:Validation:IataCode')
    .nullish(),

  /**
   * Second part of the ISO 3166-2 code; null when not known.
   * @example ZH
   */
  subdivisionCode: z.string().max(3).nullish(),
  /** Degrees north. */
  latitude: inUnit('°', z.number().min(-90).max(90).nullish()),
  /** Degrees east. */
  longitude: inUnit('°', z.number().min(-180).max(180).nullish()),
  /**
   * IANA name; null when not known.
   * @example Europe/Amsterdam
   */
  timeZone: z.string().max(50).nullish(),
  isSeaport: z.boolean(),
  isAirport: z.boolean(),
  ...activityMembers,

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.Port'),
}) {}

/** The input for creating and changing a port; its country is that of its code. */
export class PortInput extends Dto({
  ...InputOf(PortDto, 'countryCode').shape,
  isActive: reactivation(),
}) {}

/** Sea and air ports, by UN/LOCODE. Deleting one deactivates it, and a change brings it back (`isActive`). */
export abstract class PortAppService extends AppService(Hub, 'PortAppService', {
  ...crud(PortDto, PortInput, PortInput, ReferenceListInput),
  ...lookup(),
  ...exportable(ReferenceFileInput),
  ...importable(),
}) {}
