export * from './feature-management.js'
export * from './features.js'
export * from './permissions.js'
export * from './stored-features.js'
