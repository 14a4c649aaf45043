import { AppService, crud, Dto, EntityDto, enumeration, guid, instant, z } from '@keel/framework/contracts'
import { OrganizationAddressType } from './enumerations.js'
import { Hub } from './hub.js'
import { OfOrganizationListInput, OrganizationDto } from './organizations.js'

const fields = {
  /** The use of the address. */
  addressType: enumeration('OrganizationAddressType', OrganizationAddressType),

  /**
   * Short name of the place, unique in its organization.
   * @example RTM-1
   */
  code: z.string().trim().min(1).max(20),
  line1: z.string().trim().min(1).max(200),
  line2: z.string().max(200).nullish(),
  city: z.string().trim().min(1).max(100),
  stateProvince: z.string().max(100).nullish(),
  postalCode: z.string().max(20).nullish(),
  countryCode: OrganizationDto.shape.countryCode,

  /** The nearest port. */
  portId: guid().nullish(),

  /** Degrees, north is positive. */
  latitude: z.number().min(-90).max(90).nullish(),

  /** Degrees, east is positive. */
  longitude: z.number().min(-180).max(180).nullish(),

  /** True for the place that is proposed among those of its type: one for each type. */
  isDefault: z.boolean().optional(),
}

/** A place of an organization: office, pick-up, delivery, billing or warehouse. */
export class OrganizationAddressDto extends EntityDto({
  organizationId: guid(),
  ...fields,
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for adding a place to an organization. */
export class CreateOrganizationAddressDto extends Dto({ organizationId: guid(), ...fields }) {}

/** The input for changing a place: absent members stay. */
export class UpdateOrganizationAddressDto extends Dto(Dto(fields).schema.partial().shape) {}

/** The places of organizations. Callers who do not see all organizations see and change those of their own. */
export abstract class OrganizationAddressAppService extends AppService(
  Hub,
  'OrganizationAddressAppService',
  crud(
    OrganizationAddressDto,
    CreateOrganizationAddressDto,
    UpdateOrganizationAddressDto,
    OfOrganizationListInput,
  ),
) {}
