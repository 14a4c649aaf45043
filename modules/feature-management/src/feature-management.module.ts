import { KeelModule, Module } from '@keel/framework'
import { CachingModule } from '@keel/framework/caching'
import { DataModule, entitySet } from '@keel/framework/data'
import { FeatureService } from './application/feature-service.js'
import { FeatureManagementPermissions } from './contracts/index.js'
import { FeatureValue } from './domain/feature-value.js'
import { CachedFeatures } from './persistence/cached-features.js'
import { FeatureTable } from './persistence/feature-table.js'

/** Features that are switched while the system runs, and ABP's dialog to switch them. */
@Module({
  name: 'FeatureManagement',
  dependsOn: [DataModule, CachingModule],
  entities: [FeatureValue],
  services: [FeatureTable, CachedFeatures, FeatureService],
  permissions: [FeatureManagementPermissions],
  odata: [
    entitySet('FeatureValues', FeatureValue, FeatureManagementPermissions.ManageHostFeatures, {
      also: ['name', 'value', 'providerName', 'providerKey'],
    }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class FeatureManagementModule extends KeelModule {}

export { FeatureValue } from './domain/feature-value.js'
