export * from './shipments.js'
