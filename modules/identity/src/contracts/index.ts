import { IdentityClaimTypeAppService } from './claim-types.js'
import { IdentityExternalUserAppService } from './external-users.js'
import { IdentityRoleAppService } from './identity-roles.js'
import { IdentityUserAppService } from './identity-users.js'
import { OrganizationUnitAppService } from './organization-units.js'
import { IdentitySecurityLogAppService } from './security-logs.js'
import { IdentitySessionAppService } from './sessions.js'
import { IdentityUserFileAppService } from './user-files.js'
import { IdentityUserLookupAppService } from './user-lookup.js'

export * from './claim-types.js'
export * from './errors.js'
export * from './external-users.js'
export * from './holders.js'
export * from './identity.js'
export * from './identity-roles.js'
export * from './identity-users.js'
export * from './invitations.js'
export * from './normalized-name.js'
export * from './organization-unit-tree.js'
export * from './organization-units.js'
export * from './password-authority.js'
export * from './passwords.js'
export * from './permissions.js'
export * from './reauthentication.js'
export * from './roles.js'
export * from './security-events.js'
export * from './security-logs.js'
export * from './sessions.js'
export * from './settings.js'
export * from './sign-in.js'
export * from './sign-in-guard.js'
export * from './user-directory.js'
export * from './user-events.js'
export * from './user-files.js'
export * from './user-logins.js'
export * from './user-lookup.js'
export * from './user-notices.js'
export * from './user-passkeys.js'
export * from './user-tokens.js'

/** Every contract of identity. */
export const identityServices = [
  IdentityUserFileAppService,
  IdentityExternalUserAppService,
  IdentityUserAppService,
  IdentityUserLookupAppService,
  IdentityRoleAppService,
  OrganizationUnitAppService,
  IdentityClaimTypeAppService,
  IdentitySecurityLogAppService,
  IdentitySessionAppService,
] as const
