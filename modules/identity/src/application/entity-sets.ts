import { DataType, entitySet } from '@keel/framework/data'
import {
  ClaimTypeDto,
  IdentityClaimTypePermissions,
  IdentityPermissions,
  IdentityRoleClaimDto,
  IdentityRoleDto,
  IdentityRolePermissions,
  IdentitySecurityLogDto,
  IdentitySessionDto,
  IdentityUserClaimDto,
  IdentityUserDto,
  IdentityUserPermissions,
  OrganizationUnitDto,
  OrganizationUnitPermissions,
} from '../contracts/index.js'
import { ClaimType, RoleClaim } from '../domain/claim-type.js'
import { OrganizationUnit, OrganizationUnitRole, UserOrganizationUnit } from '../domain/organization-unit.js'
import { Role } from '../domain/role.js'
import { SecurityLog } from '../domain/security-log.js'
import { IdentitySession } from '../domain/session.js'
import { User, UserRole } from '../domain/user.js'
import { UserClaim, UserLogin } from '../domain/user-parts.js'
import { parentNamesSql } from '../persistence/role-parents.js'

/** The entity sets that Identity publishes to OData. No password, stamp or token can be derived from them. */
export const identityEntitySets = [
  entitySet('Users', User, IdentityUserPermissions.Default, {
    dto: IdentityUserDto,
    searchable: ['userName', 'email', 'name', 'surname'],
    collections: {
      Roles: { entity: () => UserRole, by: 'userId' },
      Claims: { entity: () => UserClaim, by: 'userId' },
      Logins: { entity: () => UserLogin, by: 'userId' },
      OrganizationUnits: { entity: () => UserOrganizationUnit, by: 'userId' },
    },
  }),
  entitySet('UserRoles', UserRole, IdentityUserPermissions.Default, { also: ['userId', 'roleId'] }),
  entitySet('UserClaims', UserClaim, IdentityUserPermissions.Default, { dto: IdentityUserClaimDto }),
  entitySet('UserLogins', UserLogin, IdentityUserPermissions.ViewDetails, { also: ['providerDisplayName'] }),
  entitySet('Roles', Role, IdentityRolePermissions.Default, {
    dto: IdentityRoleDto,
    computed: {
      parentNames: {
        of: 'name',
        type: DataType.ARRAY(DataType.STRING(256)),
        sql: (reference, modules) =>
          parentNamesSql(
            modules.flatMap(({ options }) => options.roles ?? []),
            reference,
          ),
      },
    },
    searchable: ['name'],
    collections: {
      Users: { entity: () => UserRole, by: 'roleId' },
      Claims: { entity: () => RoleClaim, by: 'roleId' },
    },
  }),
  entitySet('RoleClaims', RoleClaim, IdentityRolePermissions.Default, { dto: IdentityRoleClaimDto }),
  entitySet('ClaimTypes', ClaimType, IdentityClaimTypePermissions.Default, {
    dto: ClaimTypeDto,
    searchable: ['name', 'description'],
  }),
  entitySet('OrganizationUnits', OrganizationUnit, OrganizationUnitPermissions.Default, {
    dto: OrganizationUnitDto,
    searchable: ['displayName', 'code'],
    collections: {
      Children: { entity: () => OrganizationUnit, by: 'parentId' },
      Members: { entity: () => UserOrganizationUnit, by: 'organizationUnitId' },
      Roles: { entity: () => OrganizationUnitRole, by: 'organizationUnitId' },
    },
  }),
  entitySet('UserOrganizationUnits', UserOrganizationUnit, OrganizationUnitPermissions.Default, {
    also: ['userId', 'organizationUnitId', 'creationTime'],
  }),
  entitySet('OrganizationUnitRoles', OrganizationUnitRole, OrganizationUnitPermissions.Default, {
    also: ['roleId', 'organizationUnitId', 'creationTime'],
  }),
  entitySet('SecurityLogs', SecurityLog, IdentityPermissions.SecurityLogs, {
    dto: IdentitySecurityLogDto,
    searchable: ['userName', 'action', 'identity', 'clientIpAddress'],
  }),
  entitySet('Sessions', IdentitySession, IdentityPermissions.Sessions, { dto: IdentitySessionDto }),
]
