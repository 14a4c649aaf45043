import { KeelModule, Module } from '@keel/framework'
import { ClaimTypeService } from './application/claim-type-service.js'
import { IdentityRoleService } from './application/identity-role-service.js'
import { IdentityUserService } from './application/identity-user-service.js'
import { OrganizationUnitService } from './application/organization-unit-service.js'
import { SecurityLogService } from './application/security-log-service.js'
import { SessionService } from './application/session-service.js'
import { UserLookupService } from './application/user-lookup-service.js'
import { IdentityModule } from './identity.module.js'

/** Identity over HTTP, for hosts that check permissions. */
@Module({
  name: 'IdentityApi',
  dependsOn: [IdentityModule],
  services: [
    // First: its `users/lookup/roles` must not be read as an id of the lookup.
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
