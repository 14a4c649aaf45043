export * from './api-keys.js'
export * from './permissions.js'
export * from './settings.js'
