import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { MailModule } from '@keel/framework/mail'
import { IdentityModule } from '@keel/identity'
import { AccountMails } from './application/account-mails.js'
import { AccountService } from './application/account-service.js'
import { CurrentAccount } from './application/current-account.js'
import { DynamicClaimsService } from './application/dynamic-claims-service.js'
import { LinkUserService } from './application/link-user-service.js'
import { ProfileService } from './application/profile-service.js'
import { PurposeTokens } from './application/purpose-tokens.js'
import { TwoFactor } from './application/two-factor.js'
import { TwoFactorService } from './application/two-factor-service.js'
import { AccountModuleSettings, TwoFactorSettings } from './contracts/index.js'
import { AccountKey, AccountLimit, AccountSecret } from './domain/account-rows.js'
import { AppUrls } from './domain/app-urls.js'
import { LinkUser } from './domain/link-user.js'
import { AccountSecrets } from './persistence/account-secrets.js'
import { AttemptLimits } from './persistence/attempt-limits.js'
import { LinkedUsers } from './persistence/linked-users.js'
import { TokenKeys } from './persistence/token-keys.js'
import { UserLocks } from './persistence/user-locks.js'

/** What people do with their own accounts: registering, forgotten passwords, confirmations, profile, second factor, linked accounts. */
@Module({
  name: 'Account',
  dependsOn: [DataModule, MailModule, IdentityModule],
  entities: [AccountKey, AccountLimit, AccountSecret, LinkUser],
  services: [
    TokenKeys,
    AttemptLimits,
    AccountSecrets,
    UserLocks,
    LinkedUsers,
    AccountMails,
    PurposeTokens,
    TwoFactor,
    CurrentAccount,
    AccountService,
    ProfileService,
    TwoFactorService,
    LinkUserService,
    DynamicClaimsService,
  ],
  settings: [...Object.values(AccountModuleSettings), ...Object.values(TwoFactorSettings)],
  configuration: [AppUrls],
  localization: new URL('../localization/', import.meta.url),
})
export class AccountModule extends KeelModule {}
