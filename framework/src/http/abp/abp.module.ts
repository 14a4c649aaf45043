import { KeelModule, Module } from '../../modularity/module.js'
import { PlatformFeatures, PlatformSettings } from '../../modularity/platform-settings.js'
import { SecurityModule } from '../../security/security.module.js'
import { HttpModule } from '../host/http.module.js'
import { ApplicationConfigurationService } from './application-configuration-service.js'
import { ApplicationLocalizationService } from './application-localization-service.js'
import { Build } from './build.js'
import { TenantService } from './tenant-service.js'

/**
 * Gives a host the endpoints under `/api/abp` that ABP's user interfaces start with: application
 * configuration, localization and the look-up of tenants.
 */
@Module({
  name: 'Abp',
  dependsOn: [HttpModule, SecurityModule],
  services: [ApplicationConfigurationService, ApplicationLocalizationService, TenantService],
  settings: Object.values(PlatformSettings),
  features: Object.values(PlatformFeatures),
  configuration: [Build],
})
export class AbpModule extends KeelModule {}
