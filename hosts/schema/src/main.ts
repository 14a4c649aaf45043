import { runSchema } from '@keel/migrator/schema'

await runSchema({
  caller: import.meta.url,
  load: async () => (await import('./modules.js')).schemaModules,
})
