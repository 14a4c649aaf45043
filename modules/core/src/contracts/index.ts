export * from './core.js'
export * from './permissions.js'
export * from './saved-views.js'
export * from './shipments.js'
