import { entitySet } from '@keel/framework/data'
import {
  IdentityClaimTypePermissions,
  IdentityPermissions,
  IdentityRolePermissions,
  IdentityUserPermissions,
  OrganizationUnitPermissions,
} from '../contracts/index.js'
import { ClaimType, RoleClaim } from '../domain/claim-type.js'
import { OrganizationUnit, OrganizationUnitRole, UserOrganizationUnit } from '../domain/organization-unit.js'
import { Role } from '../domain/role.js'
import { SecurityLog } from '../domain/security-log.js'
import { IdentitySession } from '../domain/session.js'
import { User, UserRole } from '../domain/user.js'
import { UserClaim, UserLogin } from '../domain/user-parts.js'

/** What Identity publishes to OData: nothing that a password, a stamp or a token could be made of. */
export const identityEntitySets = [
  entitySet('Users', User, IdentityUserPermissions.Default, {
    hidden: ['passwordHash', 'securityStamp', 'normalizedUserName', 'normalizedEmail', 'extraProperties'],
    searchable: ['userName', 'email', 'name', 'surname'],
    collections: {
      Roles: { entity: () => UserRole, by: 'userId' },
      Claims: { entity: () => UserClaim, by: 'userId' },
      Logins: { entity: () => UserLogin, by: 'userId' },
      OrganizationUnits: { entity: () => UserOrganizationUnit, by: 'userId' },
    },
  }),
  entitySet('UserRoles', UserRole, IdentityUserPermissions.Default),
  entitySet('UserClaims', UserClaim, IdentityUserPermissions.Default),
  entitySet('UserLogins', UserLogin, IdentityUserPermissions.ViewDetails, { hidden: ['providerKey'] }),
  entitySet('Roles', Role, IdentityRolePermissions.Default, {
    hidden: ['normalizedName', 'extraProperties'],
    searchable: ['name'],
    collections: {
      Users: { entity: () => UserRole, by: 'roleId' },
      Claims: { entity: () => RoleClaim, by: 'roleId' },
    },
  }),
  entitySet('RoleClaims', RoleClaim, IdentityRolePermissions.Default),
  entitySet('ClaimTypes', ClaimType, IdentityClaimTypePermissions.Default, {
    hidden: ['extraProperties'],
    searchable: ['name', 'description'],
  }),
  entitySet('OrganizationUnits', OrganizationUnit, OrganizationUnitPermissions.Default, {
    hidden: ['extraProperties'],
    searchable: ['displayName', 'code'],
    collections: {
      Children: { entity: () => OrganizationUnit, by: 'parentId' },
      Members: { entity: () => UserOrganizationUnit, by: 'organizationUnitId' },
      Roles: { entity: () => OrganizationUnitRole, by: 'organizationUnitId' },
    },
  }),
  entitySet('UserOrganizationUnits', UserOrganizationUnit, OrganizationUnitPermissions.Default),
  entitySet('OrganizationUnitRoles', OrganizationUnitRole, OrganizationUnitPermissions.Default),
  entitySet('SecurityLogs', SecurityLog, IdentityPermissions.SecurityLogs, {
    hidden: ['extraProperties'],
    searchable: ['userName', 'action', 'identity', 'clientIpAddress'],
  }),
  entitySet('Sessions', IdentitySession, IdentityPermissions.Sessions, { hidden: ['extraProperties'] }),
]
