export * from './entity-model.js'
export * from './entity-set.js'
