import {
  AppService,
  crud,
  Dto,
  EntityDto,
  emailAddress,
  enumeration,
  guid,
  instant,
  z,
} from '@keel/framework/contracts'
import { ContactDepartment } from './enumerations.js'
import { Hub } from './hub.js'
import { OfOrganizationListInput } from './organizations.js'

const fields = {
  /** The place of the organization where the person works. */
  organizationAddressId: guid().nullish(),
  fullName: z.string().trim().min(1).max(100),
  jobTitle: z.string().max(100).nullish(),
  email: emailAddress.nullish(),
  phone: z.string().max(50).nullish(),
  mobile: z.string().max(50).nullish(),
  department: enumeration('ContactDepartment', ContactDepartment).nullish(),

  /** True for people who are notified of shipments. */
  receivesNotifications: z.boolean().optional(),

  /** True for people who are called first. */
  isPrimary: z.boolean().optional(),
}

/** A person of an organization to call or to notify. */
export class OrganizationContactDto extends EntityDto({
  organizationId: guid(),
  ...fields,
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for adding a person to an organization. */
export class CreateOrganizationContactDto extends Dto({ organizationId: guid(), ...fields }) {}

/** The input for changing a contact: absent members stay. */
export class UpdateOrganizationContactDto extends Dto(Dto(fields).schema.partial().shape) {}

/** The people of organizations. Callers who do not see all organizations see and change those of their own. */
export abstract class OrganizationContactAppService extends AppService(
  Hub,
  'OrganizationContactAppService',
  crud(
    OrganizationContactDto,
    CreateOrganizationContactDto,
    UpdateOrganizationContactDto,
    OfOrganizationListInput,
  ),
) {}
