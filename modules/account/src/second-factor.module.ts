import { KeelModule, Module, type ModuleContext, Settings, StartupError } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { MailModule } from '@keel/framework/mail'
import { DataProtectionModule } from '@keel/framework/security'
import { SmsModule, SmsSender } from '@keel/framework/sms'
import { TextsModule } from '@keel/framework/texts'
import { IdentityModule } from '@keel/identity'
import { SignInSettings } from '@keel/identity/contracts'
import { AccountMails } from './application/account-mails.js'
import { AccountNotices } from './application/account-notices.js'
import { ActingUsers } from './application/acting-users.js'
import { AttemptsOfAddresses } from './application/attempts-of-addresses.js'
import { PasswordRenewalService } from './application/password-renewal-service.js'
import { PurposeTokens } from './application/purpose-tokens.js'
import { ReauthenticationSettings, RecentProofs } from './application/recent-proofs.js'
import { SecondFactorService } from './application/second-factor-service.js'
import { SignInAttemptLimits, SignInLimits } from './application/sign-in-limits.js'
import { SmsCodes } from './application/sms-codes.js'
import { TwoFactor } from './application/two-factor.js'
import { UserConfirmationService } from './application/user-confirmation-service.js'
import { TwoFactorSettings } from './contracts/index.js'
import { AccountLimit, AccountSecret } from './domain/account-rows.js'
import { AccountMailTemplates, AccountSmsTemplates } from './domain/account-texts.js'
import { LinkUser } from './domain/link-user.js'
import { accountPersonalData } from './domain/personal-data.js'
import { UserDelegation } from './domain/user-delegation.js'
import { AccountSecrets } from './persistence/account-secrets.js'
import { AttemptLimits } from './persistence/attempt-limits.js'
import { LinkedUsers } from './persistence/linked-users.js'
import { StoredUserDelegations } from './persistence/stored-user-delegations.js'

/**
 * The part of the account module that the auth server needs, without any endpoint: the steps of a sign-in
 * after the password, linked accounts and delegations.
 */
@Module({
  name: 'SecondFactor',
  dependsOn: [DataModule, DataProtectionModule, MailModule, SmsModule, TextsModule, IdentityModule],
  entities: [AccountLimit, AccountSecret, LinkUser, UserDelegation],
  services: [
    AttemptLimits,
    SignInAttemptLimits,
    AttemptsOfAddresses,
    AccountSecrets,
    LinkedUsers,
    StoredUserDelegations,
    ActingUsers,
    AccountMails,
    AccountNotices,
    RecentProofs,
    PurposeTokens,
    SmsCodes,
    TwoFactor,
    SecondFactorService,
    PasswordRenewalService,
    UserConfirmationService,
  ],
  personalData: accountPersonalData,
  templates: [...Object.values(AccountMailTemplates), ...Object.values(AccountSmsTemplates)],
  settings: Object.values(TwoFactorSettings),
  configuration: [SignInLimits, ReauthenticationSettings],
  localization: new URL('../localization/', import.meta.url),
})
export class SecondFactorModule extends KeelModule {
  override onPreApplicationInitialization({ application }: ModuleContext): void {
    if (application.get(SmsSender).isAvailable) return
    const settings = application.get(Settings)
    const { EnablePhoneNumberConfirmation, RequireConfirmedPhoneNumber } = SignInSettings
    if (settings.statedValueOf(RequireConfirmedPhoneNumber.name) === 'True')
      throw new StartupError(
        `Settings:${RequireConfirmedPhoneNumber.name} is true, but this host sends no text messages that confirm a number: set Sms:WebhookUrl, or provide an SmsGateway`,
      )
    settings.withhold(EnablePhoneNumberConfirmation, false)
  }
}
