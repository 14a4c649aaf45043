export * from './import-settings.js'
export { ImportSweep } from './import-sweep.js'
export * from './imports.module.js'
