import { FeatureAppService } from './features.js'

export * from './feature-management.js'
export * from './features.js'
export * from './stored-features.js'

/** Every contract of the module. */
export const featureServices = [FeatureAppService] as const
