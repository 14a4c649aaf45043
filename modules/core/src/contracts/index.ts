export * from './core.js'
export * from './shipments.js'
