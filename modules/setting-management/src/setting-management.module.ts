import { AccountModule } from '@keel/account'
import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { AbpModule } from '@keel/framework/http'
import { MailModule } from '@keel/framework/mail'
import { IdentityModule } from '@keel/identity'
import { AccountExternalProviderService } from './application/account-external-provider-service.js'
import { AccountSettingsService } from './application/account-settings-service.js'
import { EmailSettingsService } from './application/email-settings-service.js'
import { IdentitySettingsService } from './application/identity-settings-service.js'
import { RetentionSettingsService } from './application/retention-settings-service.js'
import { TimeZoneSettingsService } from './application/time-zone-settings-service.js'
import * as contracts from './contracts/index.js'
import { ExpiredRecords } from './persistence/expired-records.js'
import { StoredTimeZoneChoices } from './persistence/stored-time-zone-choices.js'
import { StoredSettingsModule } from './stored-settings.module.js'

/** Settings that are set while the system runs, and ABP's pages to change them. */
@Module({
  name: 'SettingManagement',
  dependsOn: [StoredSettingsModule, AbpModule, MailModule, IdentityModule, AccountModule],
  services: [
    StoredTimeZoneChoices,
    ExpiredRecords,
    EmailSettingsService,
    TimeZoneSettingsService,
    IdentitySettingsService,
    AccountSettingsService,
    AccountExternalProviderService,
    RetentionSettingsService,
  ],
  permissions: permissionsIn(contracts),
  localization: new URL('../localization/', import.meta.url),
})
export class SettingManagementModule extends KeelModule {}

export { Setting } from './domain/setting.js'
export { StoredSettingsModule } from './stored-settings.module.js'
