import {
  AppService,
  Dto,
  extraProperties,
  FilteredPagedInput,
  guid,
  id,
  listResultOf,
  op,
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { Identity } from './identity.js'
import { IdentityRoleDto } from './identity-roles.js'
import { IdentityUserDto } from './identity-users.js'
import { OrganizationUnitWithDetailsDto } from './organization-unit-tree.js'

const path = '/api/identity/organization-units'
const displayName = z.string().trim().min(1).max(128)

/** An organization unit to be; below nothing when no parent is given. */
export class OrganizationUnitCreateDto extends Dto({
  displayName,
  parentId: guid().nullish(),
  extraProperties: extraProperties().nullish(),
}) {}

/** The input for renaming an organization unit, with the stamp last seen; no stamp means no check. */
export class OrganizationUnitUpdateDto extends Dto({
  displayName,
  concurrencyStamp: z.string().max(40).nullish(),
  extraProperties: extraProperties().nullish(),
}) {}

/** Where an organization unit is to be: below another one, or below nothing. */
export class OrganizationUnitMoveInput extends Dto({ newParentId: guid().nullish() }) {}

/** Users to become members. */
export class OrganizationUnitUserInput extends Dto({ userIds: z.array(guid()).max(1000) }) {}

/** Roles to be added. */
export class OrganizationUnitRoleInput extends Dto({ roleIds: z.array(guid()).max(1000) }) {}

/** The tree of the organization: members hold the roles of their units. */
export abstract class OrganizationUnitAppService extends AppService(Identity, 'OrganizationUnitAppService', {
  /** Lists the whole tree of organization units, without pages. */
  getListAll: op().returns(listResultOf(OrganizationUnitWithDetailsDto)).at('GET', `${path}/all`),
  /** Lists roles that can still be added to an organization unit, in pages. */
  getAvailableRoles: op(id, FilteredPagedInput)
    .returns(pageOf(IdentityRoleDto))
    .at('GET', `${path}/available-roles`),
  /** Lists users who can still become members of an organization unit, in pages. */
  getAvailableUsers: op(id, FilteredPagedInput)
    .returns(pageOf(IdentityUserDto))
    .at('GET', `${path}/available-users`),
  /** Lists organization units, in pages. */
  getList: op(FilteredPagedInput).returns(pageOf(OrganizationUnitWithDetailsDto)).at('GET', path),
  /** Gets an organization unit with its roles. */
  get: op(id).returns(OrganizationUnitWithDetailsDto).at('GET', `${path}/{id}`),
  /** Creates an organization unit. */
  create: op(OrganizationUnitCreateDto).returns(OrganizationUnitWithDetailsDto).at('POST', path),
  /** Renames an organization unit. */
  update: op(id, OrganizationUnitUpdateDto).returns(OrganizationUnitWithDetailsDto).at('PUT', `${path}/{id}`),
  /** Deletes an organization unit and all units below it. */
  delete: op(id).at('DELETE', path),
  /** Moves an organization unit below another one, or to the top. */
  move: op(id, OrganizationUnitMoveInput).at('PUT', `${path}/{id}/move`),
  /** Lists the members of an organization unit, in pages. */
  getMembers: op(id, FilteredPagedInput).returns(pageOf(IdentityUserDto)).at('GET', `${path}/{id}/members`),
  /** Makes users members of an organization unit. */
  addMembers: op(id, OrganizationUnitUserInput).at('PUT', `${path}/{id}/members`),
  /**
   * Ends a user's membership in an organization unit.
   * @param memberId The id of the user.
   */
  removeMember: op(id, param('memberId', guid())).at('DELETE', `${path}/{id}/members/{memberId}`),
  /**
   * Moves all members of an organization unit to another one.
   * @param organizationId The unit that they move to; none when not given.
   */
  moveAllUsers: op(id, param('organizationId', guid().nullish())).at('PUT', `${path}/{id}/move-all-users`),
  /** Lists the roles of an organization unit, in pages. */
  getRoles: op(id, FilteredPagedInput).returns(pageOf(IdentityRoleDto)).at('GET', `${path}/{id}/roles`),
  /** Adds roles to an organization unit. Its members hold them from then on. */
  addRoles: op(id, OrganizationUnitRoleInput).at('PUT', `${path}/{id}/roles`),
  /**
   * Removes a role from an organization unit.
   * @param roleId The id of the role.
   */
  removeRole: op(id, param('roleId', guid())).at('DELETE', `${path}/{id}/roles/{roleId}`),
}) {}
