import { StartupError } from '@keel/framework'
import { schemaModules } from './modules.js'
import { asksForHelp, runCommand, wordsOf } from './program.js'
import { bringUp } from './schema-run.js'

/**
 * `node dist/main.js [hub] [pricing]`: brings up the databases of these modules, of all when none is named.
 */
await runCommand(import.meta.url, async (configuration) => {
  const names = wordsOf(process.argv.slice(2))
  if (asksForHelp(names)) {
    process.stdout.write(`usage: npm run schema [-- <module> …] [--Section:Key=value …]

Brings the databases of these modules up to their schema scripts, of all when none is named: ${Object.keys(schemaModules).join(', ')}.

example: npm run schema -- hub
`)
    return
  }
  const unknown = names.find((name) => !schemaModules[name])
  if (unknown)
    throw new StartupError(
      `There is no schema of ${unknown}, only of ${Object.keys(schemaModules).join(' and ')}. --help tells more.`,
    )
  for (const [name, module] of Object.entries(schemaModules)) {
    if (names.length === 0 || names.includes(name)) await bringUp(module, configuration)
  }
})
