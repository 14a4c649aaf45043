import { StartupError } from '@keel/framework'
import { schemaModules } from './modules.js'
import { runCommand, wordsOf } from './program.js'
import { bringUp } from './schema-run.js'

/** `node dist/main.js [hub] [pricing]`: brings up the databases of these modules, of all when none is named. */
await runCommand(import.meta.url, async (configuration) => {
  const names = wordsOf(process.argv.slice(2))
  const unknown = names.find((name) => !schemaModules[name])
  if (unknown)
    throw new StartupError(
      `There is no schema of ${unknown}, only of ${Object.keys(schemaModules).join(' and ')}`,
    )
  for (const [name, module] of Object.entries(schemaModules)) {
    if (names.length === 0 || names.includes(name)) await bringUp(module, configuration)
  }
})
