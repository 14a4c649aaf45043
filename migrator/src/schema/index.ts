export { type SchemaModules, schemaModulesOf } from './schema-modules.js'
export { asksForHelp, type CommandWork, runCommand, runSchema, type SchemaProgram } from './schema-program.js'
export { bringUp, hostOf, type SchemaRun } from './schema-run.js'
