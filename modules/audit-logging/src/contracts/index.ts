export * from './audit-logs.js'
export * from './features.js'
export * from './permissions.js'
export * from './settings.js'
