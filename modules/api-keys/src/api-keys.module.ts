import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { entitySet } from '@keel/framework/data'
import { DataProtectionModule, SecurityModule } from '@keel/framework/security'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { apiKeyManagement } from './application/api-key-policy.js'
import { ApiKeyService } from './application/api-key-service.js'
import { KeyAuthority } from './application/key-authority.js'
import { ApiKeyDto, ApiKeyPermissions, ApiKeyPermissionUsageDto, ApiKeySettings } from './contracts/index.js'
import { ApiKey, ApiKeyUsage } from './domain/api-key.js'
import { ManagedKeys } from './domain/managed-keys.js'
import { apiKeyPersonalData } from './domain/personal-data.js'
import { StoredApiKeyHolders } from './persistence/api-key-holders.js'
import { ApiKeyUsages } from './persistence/api-key-usages.js'
import { StoredApiKeys } from './persistence/stored-api-keys.js'

/** API keys: machines that act as a user, with no more rights than they need. */
@Module({
  name: 'ApiKeys',
  dependsOn: [SecurityModule, DataProtectionModule, IdentityModule, PermissionManagementModule],
  entities: [ApiKey, ApiKeyUsage],
  services: [ManagedKeys, ApiKeyUsages, StoredApiKeys, StoredApiKeyHolders, KeyAuthority, ApiKeyService],
  personalData: apiKeyPersonalData,
  permissions: [ApiKeyPermissions],
  settings: Object.values(ApiKeySettings),
  policies: [apiKeyManagement],
  odata: [
    entitySet('ApiKeys', ApiKey, ApiKeyPermissions.ManageAll, {
      policy: apiKeyManagement,
      dto: ApiKeyDto,
      searchable: ['name', 'prefix'],
      collections: { Usages: { entity: () => ApiKeyUsage, by: 'apiKeyId' } },
    }),
    entitySet('ApiKeyUsages', ApiKeyUsage, ApiKeyPermissions.ManageAll, {
      dto: ApiKeyPermissionUsageDto,
      policy: apiKeyManagement,
    }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class ApiKeysModule extends KeelModule {
  /** Requests have ended, databases have not. */
  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.get(ApiKeyUsages).write()
  }
}

export { ApiKey, ApiKeyUsage } from './domain/api-key.js'
