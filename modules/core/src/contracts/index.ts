import { ShipmentAppService } from './shipments.js'

export * from './core.js'
export * from './shipments.js'

/** Every contract of the core application. */
export const coreServices = [ShipmentAppService] as const
