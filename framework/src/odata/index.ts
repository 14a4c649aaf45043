export * from './entity-model.js'
export * from './odata.module.js'
export { OData } from './odata-settings.js'
