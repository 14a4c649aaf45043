export * from './entity-model.js'
