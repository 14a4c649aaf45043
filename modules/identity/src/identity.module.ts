import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { entityEvents } from '@keel/framework/contracts'
import { DataModule } from '@keel/framework/data'
import { EventsModule } from '@keel/framework/events'
import { AuthorityAccounts } from './application/authority-accounts.js'
import { identityEntitySets } from './application/entity-sets.js'
import { HashingGate } from './application/hashing-gate.js'
import { HolderAnnouncer } from './application/holder-announcer.js'
import { InvitationAcceptance } from './application/invitation-acceptance.js'
import { InviterRights } from './application/inviter-rights.js'
import { Lockout } from './application/lockout.js'
import { PasswordService } from './application/password-service.js'
import { SignInService } from './application/sign-in-service.js'
import { StoredPersonAccounts } from './application/stored-person-accounts.js'
import { UserDirectoryService } from './application/user-directory-service.js'
import {
  identityPermissions,
  identitySettings,
  MembershipInvitationAcceptedEto,
  productRoles,
  UserEto,
} from './contracts/index.js'
import { ClaimType, RoleClaim } from './domain/claim-type.js'
import { UserInvitation } from './domain/invitation.js'
import { MembershipInvitation } from './domain/membership-invitation.js'
import { OrganizationUnit, OrganizationUnitRole, UserOrganizationUnit } from './domain/organization-unit.js'
import { identityPersonalData } from './domain/personal-data.js'
import { Role } from './domain/role.js'
import { SecurityLog } from './domain/security-log.js'
import { IdentitySession } from './domain/session.js'
import { User, UserRole } from './domain/user.js'
import { UserClaim, UserLogin, UserPasskey, UserPasswordHistory, UserToken } from './domain/user-parts.js'
import { Administrators } from './persistence/administrators.js'
import { ClaimTypeDiagnosis } from './persistence/claim-type-diagnosis.js'
import { Claims } from './persistence/claims.js'
import { DemoPeopleSeeder } from './persistence/demo-people-seeder.js'
import { IdleSessions } from './persistence/idle-sessions.js'
import { KnownAccounts } from './persistence/known-accounts.js'
import { LiveSessions } from './persistence/live-sessions.js'
import { Memberships } from './persistence/memberships.js'
import { OrganizationUnitSeeder } from './persistence/organization-unit-seeder.js'
import { OrganizationUnitTree } from './persistence/organization-unit-tree.js'
import { OrganizationUnitViews } from './persistence/organization-unit-views.js'
import { PasswordHistory } from './persistence/password-history.js'
import { IdentityRoleHolders, IdentityUserHolders } from './persistence/permission-holders.js'
import { RoleSeeder } from './persistence/role-seeder.js'
import { RoleViews } from './persistence/role-views.js'
import { SecurityLogWriter } from './persistence/security-log-writer.js'
import { SeededAdministrators } from './persistence/seeded-users.js'
import { SessionUses } from './persistence/session-uses.js'
import { StoredInvitations } from './persistence/stored-invitations.js'
import { StoredMembershipInvitations } from './persistence/stored-membership-invitations.js'
import { StoredSecurityLogs } from './persistence/stored-security-logs.js'
import { StoredSessions } from './persistence/stored-sessions.js'
import { StoredUserAudience } from './persistence/stored-user-audience.js'
import { StoredUserLogins } from './persistence/stored-user-logins.js'
import { StoredUserPasskeys } from './persistence/stored-user-passkeys.js'
import { StoredUserTokens } from './persistence/stored-user-tokens.js'
import { StoredUsers } from './persistence/stored-users.js'
import { ClaimTypeStore, OrganizationUnitStore, RoleStore, UserStore } from './persistence/stores.js'
import { UserAccounts } from './persistence/user-accounts.js'
import { UserRecords } from './persistence/user-records.js'
import { UserSeeder } from './persistence/user-seeder.js'

/** Users, roles, organization units and sign-in by password. `IdentityApiModule` (`./api`) serves HTTP. */
@Module({
  name: 'Identity',
  dependsOn: [DataModule, EventsModule],
  entities: [
    User,
    Role,
    UserRole,
    UserClaim,
    UserLogin,
    UserToken,
    UserPasswordHistory,
    UserPasskey,
    ClaimType,
    RoleClaim,
    OrganizationUnit,
    UserOrganizationUnit,
    OrganizationUnitRole,
    SecurityLog,
    IdentitySession,
    UserInvitation,
    MembershipInvitation,
  ],
  services: [
    UserStore,
    RoleStore,
    OrganizationUnitStore,
    ClaimTypeStore,
    Administrators,
    Memberships,
    OrganizationUnitTree,
    Claims,
    RoleViews,
    OrganizationUnitViews,
    StoredSecurityLogs,
    StoredSessions,
    SessionUses,
    IdleSessions,
    StoredInvitations,
    StoredMembershipInvitations,
    InviterRights,
    InvitationAcceptance,
    UserAccounts,
    UserRecords,
    StoredUsers,
    KnownAccounts,
    LiveSessions,
    IdentityUserHolders,
    IdentityRoleHolders,
    StoredUserAudience,
    StoredUserLogins,
    StoredUserPasskeys,
    StoredUserTokens,
    PasswordHistory,
    SecurityLogWriter,
    HolderAnnouncer,
    StoredPersonAccounts,
    HashingGate,
    Lockout,
    PasswordService,
    UserDirectoryService,
    AuthorityAccounts,
    SignInService,
  ],
  personalData: identityPersonalData,
  events: [...entityEvents(UserEto), MembershipInvitationAcceptedEto],
  permissions: identityPermissions,
  roles: productRoles,
  settings: identitySettings,
  configuration: [SeededAdministrators],
  diagnoses: [ClaimTypeDiagnosis],
  odata: identityEntitySets,
  seeds: [RoleSeeder, OrganizationUnitSeeder, UserSeeder, DemoPeopleSeeder],
  localization: new URL('../localization/', import.meta.url),
})
export class IdentityModule extends KeelModule {
  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.get(SessionUses).stop()
  }
}

export { Role } from './domain/role.js'
export { IdentitySession } from './domain/session.js'
export { User, UserRole } from './domain/user.js'
export { administrators, demoUsers, type SeededUser, seededPassword } from './seeded-users/index.js'
