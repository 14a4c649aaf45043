import { createApplication, readArguments, StartupError, showProgress } from '@keel/framework'
import { runSeeders } from '@keel/framework/data'
import { IdentityModule } from '@keel/identity'
import { asksForHelp, hostOf, runCommand } from '@keel/migrator/schema'
import { schemaModules } from './modules.js'

const usage = `usage: npm run seed:demo -- --shipments N [--seed S] [--reset]

Fills the databases with coherent demo data, the same for the same seed: people in Default, the rest in Hub and Pricing.

  --shipments N  how many, up to 1000000
  --seed S       a number that other data comes of
  --reset        remove the demo data that is there first
`

/**
 * `node dist/demo.js --shipments N [--seed S] [--reset]`: fills the databases with coherent demo data, the
 * same for the same seed.
 */
await runCommand(import.meta.url, (words) => {
  if (asksForHelp(words)) return async () => void process.stdout.write(usage)
  const options = readOptions(words)
  return async (configuration) => {
    const host = hostOf({ identity: IdentityModule, ...schemaModules })
    const application = createApplication(host, configuration)
    const progress = showProgress(process.stdout, (message) => application.logger.info({}, message))
    await application.start()
    try {
      const ran = await runSeeders(application, { kind: 'demo', options, progress })
      if (ran.length === 0) throw new StartupError('No module has a demo seeder')
    } finally {
      await application.stop()
    }
  }
})

/** The options as demo seeders read them: texts, and only those that were given. */
function readOptions(args: readonly string[]): Record<string, string> {
  const options = {
    shipments: { type: 'string' },
    seed: { type: 'string' },
    reset: { type: 'boolean' },
  } as const
  const { values } = readArguments({ args: [...args], options }, usage)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}
