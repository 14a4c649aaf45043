import { AccountAppService, DynamicClaimsAppService } from './account.js'
import { AccountExternalLoginAppService } from './external-logins.js'
import { LinkUserAppService } from './link-users.js'
import { AccountSecurityLogAppService, AccountSessionAppService } from './own-security.js'
import { ProfileAppService } from './profile.js'
import { ProfilePictureAppService } from './profile-pictures.js'
import { ReauthenticationAppService } from './reauthentication.js'
import { TwoFactorAppService } from './two-factor.js'
import { UserDelegationAppService } from './user-delegations.js'

export * from './account.js'
export * from './address-limits.js'
export * from './asked-mails.js'
export * from './errors.js'
export * from './external-logins.js'
export * from './invitations.js'
export * from './link-users.js'
export * from './linked-accounts.js'
export * from './own-security.js'
export * from './passkeys.js'
export * from './password-renewal.js'
export * from './password-verified-logins.js'
export * from './profile.js'
export * from './profile-pictures.js'
export * from './reauthentication.js'
export * from './second-factor.js'
export * from './settings.js'
export * from './time-zones.js'
export * from './two-factor.js'
export * from './user-confirmations.js'
export * from './user-delegations.js'

/** Every service contract of the module. */
export const accountServices = [
  AccountAppService,
  ProfileAppService,
  ProfilePictureAppService,
  TwoFactorAppService,
  ReauthenticationAppService,
  LinkUserAppService,
  UserDelegationAppService,
  AccountExternalLoginAppService,
  AccountSecurityLogAppService,
  AccountSessionAppService,
  DynamicClaimsAppService,
] as const
