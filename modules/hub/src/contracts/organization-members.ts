import {
  AppService,
  crud,
  Dto,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  op,
  z,
} from '@keel/framework/contracts'
import { AccessScope } from './enumerations.js'
import { Hub } from './hub.js'
import { OrganizationRefDto } from './organizations.js'

/** A user's membership in an organization: what the user sees follows from it. */
export class OrganizationMemberDto extends EntityDto({
  organizationId: guid(),
  organization: OrganizationRefDto.schema,
  userId: guid(),
  userName: z.string(),
  accessScope: enumeration('AccessScope', AccessScope),

  /** True for the organization that the user's new shipments belong to when they name none: one for each user. */
  isDefault: z.boolean(),

  /** When the membership ends; null for one without an end. */
  validUntil: instant().nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

const changeable = {
  /** The organization alone, or with everything below it. */
  accessScope: enumeration('AccessScope', AccessScope).optional(),

  /** True takes the mark from the user's default organization so far. */
  isDefault: z.boolean().optional(),

  /** When the membership ends; null for no end. */
  validUntil: instant().nullish(),
}

/** The input for making a user a member: the user by id or by name. The access includes what is below unless it says otherwise. */
export class CreateOrganizationMemberDto extends Dto({
  organizationId: guid(),
  userId: guid().nullish(),
  userName: z.string().trim().min(1).max(256).nullish(),
  ...changeable,
}) {}

/** The input for changing a membership; absent members stay. A given stamp must be the one last seen. */
export class UpdateOrganizationMemberDto extends Dto({
  ...changeable,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input of the list of members. */
export class OrganizationMemberListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only members of this organization. */
  organizationId: guid().nullish(),

  /** Only memberships of this user. */
  userId: guid().nullish(),
}) {}

/** The organizations whose data a caller sees. */
export class OrganizationAccessDto extends Dto({
  /** True for staff, who see all organizations; the list is empty then. */
  all: z.boolean(),

  /** The caller's organizations, with what is below them where the membership includes that. */
  organizationIds: z.array(guid()),
}) {}

/**
 * Members of organizations. A caller who does not see all organizations manages members of the caller's own, and gives no more
 * access than the caller has.
 */
export abstract class OrganizationMemberAppService extends AppService(Hub, 'OrganizationMemberAppService', {
  ...crud(
    OrganizationMemberDto,
    CreateOrganizationMemberDto,
    UpdateOrganizationMemberDto,
    OrganizationMemberListInput,
  ),
  /** Lists the caller's own memberships that count now. */
  getMyOrganizations: op().returns(listOf(OrganizationMemberDto)),
  /** Gets the organizations whose data the caller sees: for other modules, which restrict their own rows by them. */
  getMyAccess: op().returns(OrganizationAccessDto),
  /** Makes the organization of one of the caller's own memberships the caller's default. */
  setDefault: op(id).returns(OrganizationMemberDto),
}) {}
