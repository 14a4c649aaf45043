import { KeelModule, Module } from '@keel/framework'
import { BlobsModule } from '@keel/framework/blobs'
import { entitySet } from '@keel/framework/data'
import { PlatformSettings } from '@keel/framework/http'
import { JobsModule } from '@keel/framework/jobs'
import { IdentityModule } from '@keel/identity'
import { IdentityUserPermissions } from '@keel/identity/contracts'
import { AccountService } from './application/account-service.js'
import { CurrentAccount } from './application/current-account.js'
import { DynamicClaimsService } from './application/dynamic-claims-service.js'
import { ExternalLoginService } from './application/external-login-service.js'
import { LinkMails } from './application/link-mails.js'
import { LinkUserService } from './application/link-user-service.js'
import { MailedInvitations } from './application/mailed-invitations.js'
import { OwnPasskeys } from './application/own-passkeys.js'
import {
  AccountSecurityLogService,
  AccountSessionService,
  OwnSessionService,
} from './application/own-security-services.js'
import { OwnTimeZone } from './application/own-time-zone.js'
import { PhoneConfirmations } from './application/phone-confirmations.js'
import { ProfilePictureService } from './application/profile-picture-service.js'
import { ProfileService } from './application/profile-service.js'
import { QueuedAskedMails } from './application/queued-asked-mails.js'
import { ReauthenticationService } from './application/reauthentication-service.js'
import { TwoFactorService } from './application/two-factor-service.js'
import { UserDelegationService } from './application/user-delegation-service.js'
import { AccountModuleSettings, LinkUserDto, PasskeySettings, UserDelegationDto } from './contracts/index.js'
import { LinkUser } from './domain/link-user.js'
import { accountFiles } from './domain/personal-data.js'
import { UserDelegation } from './domain/user-delegation.js'
import { SecondFactorModule } from './second-factor.module.js'

/** Self-service: registering, forgotten passwords, confirmations, profile, second factor, linked accounts. */
@Module({
  name: 'Account',
  dependsOn: [BlobsModule, JobsModule, IdentityModule, SecondFactorModule],
  services: [
    CurrentAccount,
    OwnTimeZone,
    LinkMails,
    MailedInvitations,
    QueuedAskedMails,
    PhoneConfirmations,
    AccountService,
    ProfileService,
    ProfilePictureService,
    TwoFactorService,
    ReauthenticationService,
    LinkUserService,
    UserDelegationService,
    ExternalLoginService,
    OwnPasskeys,
    AccountSecurityLogService,
    AccountSessionService,
    OwnSessionService,
    DynamicClaimsService,
  ],
  personalData: accountFiles,
  // A profile tells the time zone in hosts without ABP's endpoints, too.
  settings: [
    ...Object.values(AccountModuleSettings),
    ...Object.values(PasskeySettings),
    PlatformSettings.TimeZone,
  ],
  odata: [
    entitySet('LinkUsers', LinkUser, IdentityUserPermissions.ViewDetails, {
      dto: LinkUserDto,
      also: ['sourceUserId'],
    }),
    entitySet('UserDelegations', UserDelegation, IdentityUserPermissions.ViewDetails, {
      dto: UserDelegationDto,
      also: ['sourceUserId', 'targetUserId'],
    }),
  ],
})
export class AccountModule extends KeelModule {}

export { AccountMailTemplates, AccountSmsTemplates } from './domain/account-texts.js'
export { SecondFactorModule } from './second-factor.module.js'
