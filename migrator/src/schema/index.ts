export { type SchemaModules, schemaModulesOf } from './schema-modules.js'
export { asksForHelp, runCommand, runSchema, type SchemaProgram, wordsOf } from './schema-program.js'
export { bringUp, hostOf, type SchemaRun } from './schema-run.js'
