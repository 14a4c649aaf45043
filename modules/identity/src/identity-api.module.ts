import { KeelModule, Module } from '@keel/framework'
import { ClaimTypeService } from './application/claim-type-service.js'
import { DownloadRights } from './application/download-rights.js'
import { ExternalUserService } from './application/external-user-service.js'
import { IdentityRoleService } from './application/identity-role-service.js'
import { IdentityUserService } from './application/identity-user-service.js'
import { MailedMembershipInvitations } from './application/mailed-membership-invitations.js'
import { OrganizationUnitService } from './application/organization-unit-service.js'
import { RoleAssignment } from './application/role-assignment.js'
import { SecurityLogService } from './application/security-log-service.js'
import { SessionService } from './application/session-service.js'
import { UserFileService } from './application/user-file-service.js'
import { UserInvitations } from './application/user-invitations.js'
import { UserLookupService } from './application/user-lookup-service.js'
import { IdentityModule } from './identity.module.js'
import { DownloadTokens } from './persistence/download-tokens.js'

/** Identity over HTTP, for hosts that check permissions. */
@Module({
  name: 'IdentityApi',
  dependsOn: [IdentityModule],
  services: [
    DownloadTokens,
    DownloadRights,
    RoleAssignment,
    UserInvitations,
    MailedMembershipInvitations,
    // First: their paths must not be read as ids of users, nor `users/lookup/roles` as an id of the lookup.
    UserFileService,
    ExternalUserService,
    IdentityUserService,
    UserLookupService,
    IdentityRoleService,
    OrganizationUnitService,
    ClaimTypeService,
    SecurityLogService,
    SessionService,
  ],
})
export class IdentityApiModule extends KeelModule {}
