import {
  AppService,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  listResultOf,
  op,
  openOwnFields,
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { ClaimTypeDto } from './claim-types.js'
import { Identity, roleOwnFields } from './identity.js'

const path = '/api/identity/roles'

/** A role as it is stored. Which roles it inherits from stands in the code of the product. */
export class IdentityRoleDto extends EntityDto({
  name: z.string(),
  /** New users get it. */
  isDefault: z.boolean(),
  /** Can't be renamed or deleted. */
  isStatic: z.boolean(),

  /** True when users may see that others have it. */
  isPublic: z.boolean(),
  /** How many users hold it, without those who inherit it. */
  userCount: z.int(),
  creationTime: instant(),
  concurrencyStamp: z.string(),
  extraProperties: openOwnFields(roleOwnFields, z.record(z.string(), z.unknown())),
  /** The roles that it inherits from; they can't be changed here. */
  parentNames: z.array(z.string()),
}) {}

const writable = {
  name: z.string().trim().min(1).max(256),
  isDefault: z.boolean().default(false),
  isPublic: z.boolean().default(false),
  extraProperties: openOwnFields(roleOwnFields, extraProperties().nullish()),
}

/** A role to be. */
export class IdentityRoleCreateDto extends Dto(writable) {}

/** The input for changing a role, with the stamp that was last seen; no stamp means no check. */
export class IdentityRoleUpdateDto extends Dto({
  ...writable,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** A claim of a role. */
export class IdentityRoleClaimDto extends Dto({
  roleId: guid().nullish(),
  claimType: z.string().min(1).max(256),
  claimValue: z.string().max(1024).nullable(),
}) {}

/** Roles, with what they say of those who hold them. */
export abstract class IdentityRoleAppService extends AppService(Identity, 'IdentityRoleAppService', {
  /** Lists all roles, without pages. */
  getAllList: op().returns(listResultOf(IdentityRoleDto)).at('GET', `${path}/all`),
  /** Lists the claim types that roles can have. */
  getAllClaimTypes: op().returns(z.array(ClaimTypeDto.schema)).at('GET', `${path}/all-claim-types`),
  /** Lists roles, in pages. */
  getList: op(FilteredPagedInput).returns(pageOf(IdentityRoleDto)).at('GET', path),
  /** Gets a role. */
  get: op(id).returns(IdentityRoleDto).at('GET', `${path}/{id}`),
  /** Creates a role. */
  create: op(IdentityRoleCreateDto).returns(IdentityRoleDto).at('POST', path),
  /** Changes a role. A static one keeps its name. */
  update: op(id, IdentityRoleUpdateDto).returns(IdentityRoleDto).at('PUT', `${path}/{id}`),
  /** Deletes a role. Refused for static ones. */
  delete: op(id).at('DELETE', `${path}/{id}`),
  /** Lists the claims of a role. */
  getClaims: op(id).returns(listOf(IdentityRoleClaimDto)).at('GET', `${path}/{id}/claims`),
  /** Replaces the claims of a role. */
  updateClaims: op(id, param('input', listOf(IdentityRoleClaimDto).max(1000))).at(
    'PUT',
    `${path}/{id}/claims`,
  ),
  /**
   * Moves all users of a role to another one.
   * @param roleId The role that they get; none when not given.
   */
  moveAllUsers: op(id, param('roleId', guid().nullish())).at('PUT', `${path}/{id}/move-all-users`),
}) {}
