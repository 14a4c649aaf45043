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
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { ClaimTypeDto } from './claim-types.js'
import { Identity } from './identity.js'
import { IdentityRoleDto } from './identity-roles.js'
import {
  GetPendingInvitationsInput,
  InviteUsersInput,
  InviteUsersSummaryDto,
  ResendInvitationInput,
  UserSharingInvitationDto,
} from './invitations.js'
import { OrganizationUnitDto, OrganizationUnitWithDetailsDto } from './organization-unit-tree.js'

const path = '/api/identity/users'
const optionalText = (length: number) => z.string().trim().max(length).nullish()
const ids = z.array(guid()).max(1000)
const roleNames = z.array(z.string().max(256)).max(1000)

/** A user: what ABP's open-source and commercial interfaces read of one. */
export class IdentityUserDto extends EntityDto({
  tenantId: z.guid().nullable(),
  userName: z.string(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  phoneNumber: z.string().nullable(),
  phoneNumberConfirmed: z.boolean(),
  supportTwoFactor: z.boolean(),
  twoFactorEnabled: z.boolean(),
  isActive: z.boolean(),
  lockoutEnabled: z.boolean(),
  isLockedOut: z.boolean(),
  lockoutEnd: instant().nullable(),
  accessFailedCount: z.int(),
  shouldChangePasswordOnNextLogin: z.boolean(),
  isExternal: z.boolean(),
  /** Names of the roles given to the user, without those of organization units. */
  roleNames: z.array(z.string()),
  entityVersion: z.int(),
  lastPasswordChangeTime: instant().nullable(),
  lastSignInTime: instant().nullable(),
  concurrencyStamp: z.string(),
  extraProperties: z.record(z.string(), z.unknown()),
  creationTime: instant(),
  creatorId: z.guid().nullable(),
  lastModificationTime: instant().nullable(),
  lastModifierId: z.guid().nullable(),
  isDeleted: z.boolean(),
  deleterId: z.guid().nullable(),
  deletionTime: instant().nullable(),
}) {}

const writable = {
  /** Letters, digits and `-._@+`; unique in any case. */
  userName: z.string().trim().min(1).max(256),
  name: optionalText(64),
  surname: optionalText(64),
  /** Unique in any case. */
  email: z.email().max(256),
  phoneNumber: optionalText(16),
  isActive: z.boolean().nullish(),
  lockoutEnabled: z.boolean().nullish(),
  shouldChangePasswordOnNextLogin: z.boolean().nullish(),
  emailConfirmed: z.boolean().nullish(),
  phoneNumberConfirmed: z.boolean().nullish(),
  /** All roles the user is to have; none given means no change, or the default roles. Ignored without the permission to manage roles. */
  roleNames: roleNames.nullish(),
  /** All organization units the user is to be in. Ignored without the permission to manage them. */
  organizationUnitIds: ids.nullish(),
  extraProperties: extraProperties().nullish(),
}

/** A user to be. */
export class IdentityUserCreateDto extends Dto({ ...writable, password: z.string().min(1).max(128) }) {}

/** What a user is to be. What is not given stays; the stamp that was seen, or none for no check. */
export class IdentityUserUpdateDto extends Dto({
  ...writable,
  /** A new password; empty for the present one. */
  password: z.string().max(128).nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** All roles a user is to have. */
export class IdentityUserUpdateRolesDto extends Dto({ roleNames }) {}

/** Which users, in which order. */
export class GetIdentityUsersInput extends Dto({
  ...FilteredPagedInput.shape,
  roleId: guid().nullish(),
  organizationUnitId: guid().nullish(),
  id: guid().nullish(),
  userName: optionalText(256),
  phoneNumber: optionalText(16),
  emailAddress: optionalText(256),
  name: optionalText(64),
  surname: optionalText(64),
  isLockedOut: z.boolean().nullish(),
  notActive: z.boolean().nullish(),
  emailConfirmed: z.boolean().nullish(),
  isExternal: z.boolean().nullish(),
  maxCreationTime: instant().nullish(),
  minCreationTime: instant().nullish(),
  /** ABP's spelling. */
  maxModifitionTime: instant().nullish(),
  minModifitionTime: instant().nullish(),
}) {}

/** A claim of a user. */
export class IdentityUserClaimDto extends Dto({
  userId: guid().nullish(),
  claimType: z.string().min(1).max(256),
  claimValue: z.string().max(1024).nullable(),
}) {}

/** A new password, given by somebody else than the user. */
export class IdentityUserUpdatePasswordInput extends Dto({ newPassword: z.string().min(1).max(128) }) {}

/** A role to choose. */
export class IdentityRoleLookupDto extends EntityDto({ name: z.string() }) {}

/** An organization unit to choose. */
export class OrganizationUnitLookupDto extends EntityDto({ displayName: z.string() }) {}

const user = IdentityUserDto.schema

/** Users, by ABP's routes. */
export abstract class IdentityUserAppService extends AppService(Identity, 'IdentityUserAppService', {
  getAssignableRoles: op().returns(listResultOf(IdentityRoleDto)).at('GET', `${path}/assignable-roles`),
  getAvailableOrganizationUnits: op()
    .returns(listResultOf(OrganizationUnitWithDetailsDto))
    .at('GET', `${path}/available-organization-units`),
  getAllClaimTypes: op().returns(listOf(ClaimTypeDto)).at('GET', `${path}/all-claim-types`),
  getRoleLookup: op().returns(listOf(IdentityRoleLookupDto)).at('GET', `${path}/lookup/roles`),
  getOrganizationUnitLookup: op()
    .returns(listOf(OrganizationUnitLookupDto))
    .at('GET', `${path}/lookup/organization-units`),
  findByUsername: op(param('userName', z.string().max(256)))
    .returns(user.nullable())
    .at('GET', `${path}/by-username/{userName}`),
  findByEmail: op(param('email', z.string().max(256)))
    .returns(user.nullable())
    .at('GET', `${path}/by-email/{email}`),
  findById: op(id).returns(user.nullable()).at('GET', `${path}/by-id/{id}`),
  getPendingInvitations: op(GetPendingInvitationsInput)
    .returns(pageOf(UserSharingInvitationDto))
    .at('GET', `${path}/invitations`),
  /** Refuses an address that has an account with `IdentityErrors.DuplicateEmail`, and then invites nobody. */
  inviteUsers: op(InviteUsersInput).returns(InviteUsersSummaryDto).at('POST', `${path}/invitations`),
  resendInvitation: op(ResendInvitationInput).at('POST', `${path}/invitations/resend`),
  cancelInvitation: op(id).at('DELETE', `${path}/invitations/{id}`),
  cancelAllPendingInvitations: op().at('DELETE', `${path}/invitations`),
  getList: op(GetIdentityUsersInput).returns(pageOf(IdentityUserDto)).at('GET', path),
  get: op(id).returns(IdentityUserDto).at('GET', `${path}/{id}`),
  create: op(IdentityUserCreateDto).returns(IdentityUserDto).at('POST', path),
  update: op(id, IdentityUserUpdateDto).returns(IdentityUserDto).at('PUT', `${path}/{id}`),
  delete: op(id).at('DELETE', `${path}/{id}`),
  getRoles: op(id).returns(listResultOf(IdentityRoleDto)).at('GET', `${path}/{id}/roles`),
  updateRoles: op(id, IdentityUserUpdateRolesDto).at('PUT', `${path}/{id}/roles`),
  getClaims: op(id).returns(listOf(IdentityUserClaimDto)).at('GET', `${path}/{id}/claims`),
  updateClaims: op(id, param('input', listOf(IdentityUserClaimDto).max(1000))).at(
    'PUT',
    `${path}/{id}/claims`,
  ),
  getOrganizationUnits: op(id)
    .returns(listOf(OrganizationUnitDto))
    .at('GET', `${path}/{id}/organization-units`),
  updatePassword: op(id, IdentityUserUpdatePasswordInput).at('PUT', `${path}/{id}/change-password`),
  lock: op(id, param('lockoutEnd', instant())).at('PUT', `${path}/{id}/lock/{lockoutEnd}`),
  unlock: op(id).at('PUT', `${path}/{id}/unlock`),
  getTwoFactorEnabled: op(id).returns(z.boolean()).at('GET', `${path}/{id}/two-factor-enabled`),
  setTwoFactorEnabled: op(id, param('enabled', z.boolean())).at('PUT', `${path}/{id}/two-factor/{enabled}`),
}) {}
