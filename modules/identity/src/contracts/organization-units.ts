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

/** What an organization unit is to be called; the stamp that was seen, or none for no check. */
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
  getListAll: op().returns(listResultOf(OrganizationUnitWithDetailsDto)).at('GET', `${path}/all`),
  getAvailableRoles: op(id, FilteredPagedInput)
    .returns(pageOf(IdentityRoleDto))
    .at('GET', `${path}/available-roles`),
  getAvailableUsers: op(id, FilteredPagedInput)
    .returns(pageOf(IdentityUserDto))
    .at('GET', `${path}/available-users`),
  getList: op(FilteredPagedInput).returns(pageOf(OrganizationUnitWithDetailsDto)).at('GET', path),
  get: op(id).returns(OrganizationUnitWithDetailsDto).at('GET', `${path}/{id}`),
  create: op(OrganizationUnitCreateDto).returns(OrganizationUnitWithDetailsDto).at('POST', path),
  update: op(id, OrganizationUnitUpdateDto).returns(OrganizationUnitWithDetailsDto).at('PUT', `${path}/{id}`),
  delete: op(id).at('DELETE', path),
  move: op(id, OrganizationUnitMoveInput).at('PUT', `${path}/{id}/move`),
  getMembers: op(id, FilteredPagedInput).returns(pageOf(IdentityUserDto)).at('GET', `${path}/{id}/members`),
  addMembers: op(id, OrganizationUnitUserInput).at('PUT', `${path}/{id}/members`),
  removeMember: op(id, param('memberId', guid())).at('DELETE', `${path}/{id}/members/{memberId}`),
  moveAllUsers: op(id, param('organizationId', guid().nullish())).at('PUT', `${path}/{id}/move-all-users`),
  getRoles: op(id, FilteredPagedInput).returns(pageOf(IdentityRoleDto)).at('GET', `${path}/{id}/roles`),
  addRoles: op(id, OrganizationUnitRoleInput).at('PUT', `${path}/{id}/roles`),
  removeRole: op(id, param('roleId', guid())).at('DELETE', `${path}/{id}/roles/{roleId}`),
}) {}
