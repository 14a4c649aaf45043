import {
  AppService,
  Dto,
  EntityDto,
  emailAddress,
  emailAddressOfUser,
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
import { auditedFields } from './audited-fields.js'
import { ClaimTypeDto } from './claim-types.js'
import { Identity, userOwnFields } from './identity.js'
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

  /** True when the user can use a second factor: it takes a confirmed address or an authenticator. */
  supportTwoFactor: z.boolean(),

  /** True when the user signs in with a second factor. */
  twoFactorEnabled: z.boolean(),
  isActive: z.boolean(),

  /** True when wrong passwords can lock the user out. */
  lockoutEnabled: z.boolean(),
  isLockedOut: z.boolean(),

  /** Until when the user is locked out; null when they are not. */
  lockoutEnd: instant().nullable(),

  /** Wrong passwords in a row since the last right one. */
  accessFailedCount: z.int(),
  shouldChangePasswordOnNextLogin: z.boolean(),

  /** True when the password is kept by another system. */
  isExternal: z.boolean(),
  /** Names of the roles given to the user, without those of organization units. */
  roleNames: z.array(z.string()),

  /** Counts the changes of the user. */
  entityVersion: z.int(),

  /** When the password was changed last; null when it never was. */
  lastPasswordChangeTime: instant().nullable(),

  /** When the user signed in last; null when they never did. */
  lastSignInTime: instant().nullable(),
  ...auditedFields,
  extraProperties: openOwnFields(userOwnFields, auditedFields.extraProperties),
}) {}

const writable = {
  /** Letters, digits and `-._@+`; unique in any case. */
  userName: z.string().trim().min(1).max(256),
  name: optionalText(64),
  surname: optionalText(64),
  phoneNumber: optionalText(16),
  isActive: z.boolean().nullish(),
  lockoutEnabled: z.boolean().nullish(),
  shouldChangePasswordOnNextLogin: z.boolean().nullish(),
  emailConfirmed: z.boolean().nullish(),
  phoneNumberConfirmed: z.boolean().nullish(),
  /** All roles of the user; absent: no change, or the default roles. Needs the permission to manage roles. */
  roleNames: roleNames.nullish(),
  /** All organization units the user is to be in. Ignored without the permission to manage them. */
  organizationUnitIds: ids.nullish(),
  extraProperties: openOwnFields(userOwnFields, extraProperties().nullish()),
}

/** A user to be. */
export class IdentityUserCreateDto extends Dto({
  ...writable,
  /** Unique in any case. */
  email: emailAddress,
  password: z.string().min(1).max(128),
}) {}

/**
 * The input for changing a user; absent members stay. The stamp is the one last seen; none means no check.
 */
export class IdentityUserUpdateDto extends Dto({
  ...writable,
  /** Unique in any case. Another one than before must be a bare address. */
  email: emailAddressOfUser,
  /** A new password; empty for the present one. */
  password: z.string().max(128).nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** All roles a user is to have. */
export class IdentityUserUpdateRolesDto extends Dto({ roleNames }) {}

/** Which users, in which order. */
export class GetIdentityUsersInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only users with this role. */
  roleId: guid().nullish(),

  /** Only members of this organization unit. */
  organizationUnitId: guid().nullish(),
  id: guid().nullish(),
  userName: optionalText(256),
  phoneNumber: optionalText(16),
  emailAddress: optionalText(256),
  name: optionalText(64),
  surname: optionalText(64),

  /** Only users who are locked out, or only those who are not. */
  isLockedOut: z.boolean().nullish(),

  /** True for users who are not active alone, false for those who are. */
  notActive: z.boolean().nullish(),
  emailConfirmed: z.boolean().nullish(),
  isExternal: z.boolean().nullish(),

  /** Only users who were created until then. */
  maxCreationTime: instant().nullish(),

  /** Only users who were created since then. */
  minCreationTime: instant().nullish(),
  /** Only users who were changed until then. The spelling is ABP's. */
  maxModifitionTime: instant().nullish(),

  /** Only users who were changed since then. The spelling is ABP's. */
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
  /** Lists the roles that can be assigned to users. */
  getAssignableRoles: op().returns(listResultOf(IdentityRoleDto)).at('GET', `${path}/assignable-roles`),
  /** Lists the organization units that users can be put in. */
  getAvailableOrganizationUnits: op()
    .returns(listResultOf(OrganizationUnitWithDetailsDto))
    .at('GET', `${path}/available-organization-units`),
  /** Lists the claim types that users can have. */
  getAllClaimTypes: op().returns(listOf(ClaimTypeDto)).at('GET', `${path}/all-claim-types`),
  /** Lists ids and names of all roles. */
  getRoleLookup: op().returns(listOf(IdentityRoleLookupDto)).at('GET', `${path}/lookup/roles`),
  /** Lists ids and names of all organization units. */
  getOrganizationUnitLookup: op()
    .returns(listOf(OrganizationUnitLookupDto))
    .at('GET', `${path}/lookup/organization-units`),
  /** Finds a user by user name. Answers 204 when there is none. */
  findByUsername: op(param('userName', z.string().max(256)))
    .returns(user.nullable())
    .at('GET', `${path}/by-username/{userName}`),
  /** Finds a user by e-mail address. Answers 204 when there is none. */
  findByEmail: op(param('email', z.string().max(256)))
    .returns(user.nullable())
    .at('GET', `${path}/by-email/{email}`),
  /** Finds a user by id. Answers 204 when there is none. */
  findById: op(id).returns(user.nullable()).at('GET', `${path}/by-id/{id}`),
  /** Lists invitations that are still open, in pages. */
  getPendingInvitations: op(GetPendingInvitationsInput)
    .returns(pageOf(UserSharingInvitationDto))
    .at('GET', `${path}/invitations`),
  /**
   * Invites people by mail. An address that has an account is refused with `IdentityErrors.DuplicateEmail`,
   * and then nobody is invited.
   */
  inviteUsers: op(InviteUsersInput).returns(InviteUsersSummaryDto).at('POST', `${path}/invitations`),
  /** Mails an invitation again. */
  resendInvitation: op(ResendInvitationInput).at('POST', `${path}/invitations/resend`),
  /** Cancels an invitation. */
  cancelInvitation: op(id).at('DELETE', `${path}/invitations/{id}`),
  /** Cancels all invitations that are still open. */
  cancelAllPendingInvitations: op().at('DELETE', `${path}/invitations`),
  /** Lists users, in pages. */
  getList: op(GetIdentityUsersInput).returns(pageOf(IdentityUserDto)).at('GET', path),
  /** Gets a user. */
  get: op(id).returns(IdentityUserDto).at('GET', `${path}/{id}`),
  /** Creates a user. */
  create: op(IdentityUserCreateDto).returns(IdentityUserDto).at('POST', path),
  /** Changes a user. Members that are not given stay. */
  update: op(id, IdentityUserUpdateDto).returns(IdentityUserDto).at('PUT', `${path}/{id}`),
  /** Deletes a user. */
  delete: op(id).at('DELETE', `${path}/{id}`),
  /** Lists the roles given to a user, without those of organization units. */
  getRoles: op(id).returns(listResultOf(IdentityRoleDto)).at('GET', `${path}/{id}/roles`),
  /** Replaces the roles given to a user. */
  updateRoles: op(id, IdentityUserUpdateRolesDto).at('PUT', `${path}/{id}/roles`),
  /** Lists the claims of a user. */
  getClaims: op(id).returns(listOf(IdentityUserClaimDto)).at('GET', `${path}/{id}/claims`),
  /** Replaces the claims of a user. */
  updateClaims: op(id, param('input', listOf(IdentityUserClaimDto).max(1000))).at(
    'PUT',
    `${path}/{id}/claims`,
  ),
  /** Lists the organization units that a user is a member of. */
  getOrganizationUnits: op(id)
    .returns(listOf(OrganizationUnitDto))
    .at('GET', `${path}/{id}/organization-units`),
  /** Sets a new password for a user. */
  updatePassword: op(id, IdentityUserUpdatePasswordInput).at('PUT', `${path}/{id}/change-password`),
  /**
   * Locks a user out until a time.
   * @param lockoutEnd When the lock-out ends.
   */
  lock: op(id, param('lockoutEnd', instant())).at('PUT', `${path}/{id}/lock/{lockoutEnd}`),
  /** Ends the lock-out of a user. */
  unlock: op(id).at('PUT', `${path}/{id}/unlock`),
  /** Tells whether a user signs in with a second factor. */
  getTwoFactorEnabled: op(id).returns(z.boolean()).at('GET', `${path}/{id}/two-factor-enabled`),
  /**
   * Switches the second factor of a user on or off.
   * @param enabled Whether it is to be on.
   */
  setTwoFactorEnabled: op(id, param('enabled', z.boolean())).at('PUT', `${path}/{id}/two-factor/{enabled}`),
}) {}
