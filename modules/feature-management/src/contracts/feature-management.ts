import { remoteService } from '@keel/framework/contracts'

/** Where the endpoints of ABP's feature-management module are. */
export const FeatureManagement = remoteService(
  'AbpFeatureManagement',
  'feature-management',
  'Volo.Abp.FeatureManagement',
  'featureManagement',
)

/** The permissions that it takes to see and change the features of others than the host. Other modules define them. */
export const featurePolicies = {
  T: 'AbpTenantManagement.Tenants.ManageFeatures',
  E: 'Saas.Editions.ManageFeatures',
} as const

/** The error codes of setting a feature. */
export const FeatureErrors = {
  /** The value is none that the feature can have. */
  InvalidFeatureValue: 'Volo.Abp.FeatureManagement:InvalidFeatureValue',
} as const
