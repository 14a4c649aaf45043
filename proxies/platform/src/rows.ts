// The rows of entity sets whose columns are not the members of the DTO that services answer with.
import { LinkUserDto, UserDelegationDto } from '@keel/account/contracts'
import { ApiKeyDto, ApiKeyPermissionUsageDto } from '@keel/api-keys/contracts'
import { BackgroundJobDto } from '@keel/background-work/contracts'
import { Dto, EntityDto, instant, listOf, z } from '@keel/framework/contracts'
import {
  ClaimTypeDto,
  IdentityRoleClaimDto,
  IdentityRoleDto,
  IdentitySessionDto,
  IdentityUserClaimDto,
  IdentityUserDto,
  OrganizationUnitDto,
} from '@keel/identity/contracts'
import { ApplicationDto, ScopeDto } from '@keel/openid/contracts'
import { EditionDto, SaasTenantDto } from '@keel/saas/contracts'

const text = z.string().nullable()
const optionalId = z.guid().nullable()

/** An assignment of a role to a user. */
export class UserRoleRow extends Dto({ userId: z.guid(), roleId: z.guid() }) {}

/** A claim that a user was given. */
export class UserClaimRow extends Dto({ id: z.guid(), ...IdentityUserClaimDto.shape }) {}

/** An external provider that a user signs in with. */
export class UserLoginRow extends Dto({
  userId: z.guid(),
  loginProvider: z.string(),
  providerDisplayName: text,
}) {}

/** An assignment of a user: which user belongs to which organization unit. */
export class UserOrganizationUnitRow extends Dto({
  userId: z.guid(),
  organizationUnitId: z.guid(),
  creationTime: instant(),
}) {}

/** Which role the members of an organization unit have. */
export class OrganizationUnitRoleRow extends Dto({
  roleId: z.guid(),
  organizationUnitId: z.guid(),
  creationTime: instant(),
}) {}

/** A user, with what can be expanded. */
export class UserRow extends Dto({
  ...IdentityUserDto.schema.omit({
    supportTwoFactor: true,
    isLockedOut: true,
    roleNames: true,
    extraProperties: true,
    isDeleted: true,
    deleterId: true,
    deletionTime: true,
  }).shape,
  roles: listOf(UserRoleRow),
  claims: listOf(UserClaimRow),
  logins: listOf(UserLoginRow),
  organizationUnits: listOf(UserOrganizationUnitRow),
}) {}

/** A claim that everybody with a role has. */
export class RoleClaimRow extends Dto({ id: z.guid(), ...IdentityRoleClaimDto.shape }) {}

/** A role, with what can be expanded. */
export class RoleRow extends Dto({
  ...IdentityRoleDto.schema.omit({ userCount: true, extraProperties: true }).shape,
  users: listOf(UserRoleRow),
  claims: listOf(RoleClaimRow),
}) {}

/** A kind of claims. */
export class ClaimTypeRow extends Dto(
  ClaimTypeDto.schema.omit({ valueTypeAsString: true, extraProperties: true }).shape,
) {}

const organizationUnit = OrganizationUnitDto.schema.omit({
  roles: true,
  extraProperties: true,
  isDeleted: true,
  deleterId: true,
  deletionTime: true,
}).shape

/** An organization unit as others name it. */
export class RelatedOrganizationUnitRow extends Dto(organizationUnit) {}

/** An organization unit, with what can be expanded. */
export class OrganizationUnitRow extends Dto({
  ...organizationUnit,
  parent: RelatedOrganizationUnitRow.schema.nullable(),
  children: listOf(RelatedOrganizationUnitRow),
  members: listOf(UserOrganizationUnitRow),
  roles: listOf(OrganizationUnitRoleRow),
}) {}

/** A sign-in that has not ended. */
export class SessionRow extends Dto(
  IdentitySessionDto.schema.omit({
    isCurrent: true,
    tenantName: true,
    userName: true,
    extraProperties: true,
  }).shape,
) {}

/** Two users of one person. */
export class LinkUserRow extends EntityDto({
  sourceUserId: z.guid(),
  ...LinkUserDto.schema.omit({ targetUserName: true, targetTenantName: true, directlyLinked: true }).shape,
}) {}

/** A permission of one user to act as another, for a time. */
export class UserDelegationRow extends Dto({
  ...UserDelegationDto.schema.omit({ userName: true }).shape,
  sourceUserId: z.guid(),
  targetUserId: z.guid(),
}) {}

const grant = { name: z.string(), providerName: z.string(), providerKey: z.string() }

/** A permission that a user, a role or a client was given, or that is forbidden to them. */
export class PermissionGrantRow extends EntityDto(grant) {}

/** A permission on one thing. */
export class ResourcePermissionGrantRow extends EntityDto({
  ...grant,
  resourceName: z.string(),
  resourceKey: z.string(),
}) {}

/** How often an API key was used for a permission. */
export class ApiKeyUsageRow extends Dto({
  apiKeyId: z.guid(),
  permissionName: z.string(),
  ...ApiKeyPermissionUsageDto.schema.omit({ name: true }).shape,
}) {}

/** An API key, with what can be expanded. */
export class ApiKeyRow extends Dto({ ...ApiKeyDto.shape, usages: listOf(ApiKeyUsageRow) }) {}

/** The value of a feature for an edition or a tenant. */
export class FeatureValueRow extends EntityDto({
  name: z.string(),
  value: z.string(),
  providerName: text,
  providerKey: text,
}) {}

/** A database that a tenant has of its own; how it is reached is not published. */
export class TenantConnectionStringRow extends Dto({ tenantId: z.guid(), name: z.string() }) {}

const edition = EditionDto.schema.omit({ planName: true, tenantCount: true, extraProperties: true }).shape
const tenant = SaasTenantDto.schema.omit({
  editionName: true,
  hasDefaultConnectionString: true,
  extraProperties: true,
}).shape

/** An edition as a tenant has it. */
export class RelatedEditionRow extends Dto(edition) {}

/** A tenant as an edition has it. */
export class RelatedTenantRow extends Dto(tenant) {}

/** An edition, with what can be expanded. */
export class EditionRow extends Dto({ ...edition, tenants: listOf(RelatedTenantRow) }) {}

/** A tenant, with what can be expanded. */
export class TenantRow extends Dto({
  ...tenant,
  edition: RelatedEditionRow.schema.nullable(),
  connectionStrings: listOf(TenantConnectionStringRow),
}) {}

/** A background job. */
export class BackgroundJobRow extends Dto({
  ...BackgroundJobDto.schema.omit({ state: true, isRecurring: true, userId: true, correlationId: true })
    .shape,
  isAbandoned: z.boolean(),
  isCancelled: z.boolean(),
  lockedUntil: instant().nullable(),
  recurringName: text,
}) {}

/** Which host listens to which event. */
export class EventSubscriptionRow extends EntityDto({
  eventName: z.string(),
  consumer: z.string(),
  database: z.string(),
  host: z.string(),
  seenTime: instant(),
}) {}

/** A token that a client was given; never its text. */
export class OpenIddictTokenRow extends EntityDto({
  applicationId: optionalId,
  authorizationId: optionalId,
  creationDate: instant().nullable(),
  expirationDate: instant().nullable(),
  redemptionDate: instant().nullable(),
  status: text,
  subject: text,
  type: text,
}) {}

/** A consent of a user to a client. */
export class OpenIddictAuthorizationRow extends EntityDto({
  applicationId: optionalId,
  creationDate: instant().nullable(),
  scopes: text,
  status: text,
  subject: text,
  type: text,
  tokens: listOf(OpenIddictTokenRow),
}) {}

/** A client of the authorization server; its lists are JSON texts, as OpenIddict keeps them. */
export class OpenIddictApplicationRow extends Dto({
  ...ApplicationDto.schema.pick({
    id: true,
    concurrencyStamp: true,
    applicationType: true,
    clientId: true,
    clientType: true,
    consentType: true,
    displayName: true,
    frontChannelLogoutUri: true,
    clientUri: true,
    logoUri: true,
  }).shape,
  permissions: text,
  requirements: text,
  redirectUris: text,
  postLogoutRedirectUris: text,
  authorizations: listOf(OpenIddictAuthorizationRow),
}) {}

/** A scope; its resources are a JSON text, as OpenIddict keeps them. */
export class OpenIddictScopeRow extends Dto({
  ...ScopeDto.schema.omit({ buildIn: true, resources: true, extraProperties: true }).shape,
  resources: text,
}) {}
