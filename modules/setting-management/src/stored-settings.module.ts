import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { CachingModule } from '@keel/framework/caching'
import { DataModule } from '@keel/framework/data'
import { ExternalProviderSettings } from './contracts/index.js'
import { settingPersonalData } from './domain/personal-data.js'
import { Setting } from './domain/setting.js'
import { CachedSettings } from './persistence/cached-settings.js'
import {
  refusePublishedPassPhrase,
  SettingEncryption,
  StringEncryption,
} from './persistence/setting-encryption.js'
import { SettingTable } from './persistence/setting-table.js'
import { StoredExternalProviders } from './persistence/stored-external-providers.js'
import { StoredPasswordVerifiedLogins } from './persistence/stored-password-verified-logins.js'

/** Settings that are set while the system runs, for hosts that read them and have no pages to change them. */
@Module({
  name: 'StoredSettings',
  dependsOn: [DataModule, CachingModule],
  entities: [Setting],
  services: [
    SettingEncryption,
    SettingTable,
    CachedSettings,
    StoredExternalProviders,
    StoredPasswordVerifiedLogins,
  ],
  personalData: settingPersonalData,
  settings: [ExternalProviderSettings],
  configuration: [StringEncryption],
})
export class StoredSettingsModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    refusePublishedPassPhrase(application.configuration)
  }
}
