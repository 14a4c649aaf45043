import { AppService, crud, Dto, EntityDto, InputOf, inUnit, reactivation, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** A place of UN/LOCODE: sea port, airport or both. */
export class PortDto extends EntityDto({
  /** Two letters of the country and three of the place. */
  unLocode: z.string().regex(/^[A-Z]{2}[A-Z2-9]{3}$/, 'expected a UN/LOCODE such as NLRTM'),
  name: z.string().trim().min(1).max(100),
  countryCode: z.string().regex(/^[A-Z]{2}$/, 'expected an ISO 3166 code such as NL'),
  iataCode: z
    .string()
    .regex(/^[A-Z0-9]{3}$/)
    .nullish(),
  subdivisionCode: z.string().max(3).nullish(),
  /** Degrees north. */
  latitude: inUnit('°', z.number().min(-90).max(90).nullish()),
  /** Degrees east. */
  longitude: inUnit('°', z.number().min(-180).max(180).nullish()),
  /** IANA name. */
  timeZone: z.string().max(50).nullish(),
  isSeaport: z.boolean(),
  isAirport: z.boolean(),
}) {}

/** What a port is created and changed with; its country is that of its code. */
export class PortInput extends Dto({
  ...InputOf(PortDto, 'countryCode').shape,
  isActive: reactivation(),
}) {}

/** Sea and air ports, by UN/LOCODE. Deleting one deactivates it, and a change brings it back (`isActive`). */
export abstract class PortAppService extends AppService(Hub, 'PortAppService', crud(PortDto, PortInput)) {}
