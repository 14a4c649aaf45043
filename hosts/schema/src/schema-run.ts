import {
  type Application,
  type Configuration,
  type Constructor,
  createApplication,
  type KeelModule,
} from '@keel/framework'
import { applyOwnFieldIndexes, applySchemaScripts, Databases, runSeeders } from '@keel/framework/data'
import { withDatabaseOf } from './module-database.js'
import { SchemaHost } from './modules.js'

/**
 * Brings the database of a module up to its schema scripts, writes the rows that the module can't do without, and builds the indexes of the own
 * fields that the configuration declares.
 */
export async function bringUp(module: Constructor<KeelModule>, configuration: Configuration): Promise<void> {
  const application = createApplication(SchemaHost, configuration)
  await applySchema(application, module)
  await application.start()
  try {
    await runSeeders(application, { modules: [module] })
    const { database } = application.modules.find(({ type }) => type === module)?.options ?? {}
    const { built } = await applyOwnFieldIndexes(
      application,
      application.get(Databases).named(database ?? 'Default'),
    )
    if (built.length) application.logger.info({ built }, 'indexes of own fields were built')
  } finally {
    await application.stop()
  }
}

/** Runs before the application starts: what a module does on its way up may need the tables. */
async function applySchema(application: Application, module: Constructor<KeelModule>): Promise<void> {
  const { logger } = application
  await withDatabaseOf(application, module, async ({ name, database, scripts }) => {
    const applied = await applySchemaScripts(database, scripts, (message) => logger.info({}, message))
    logger.info({ module: name, applied }, applied.length ? 'schema changed' : 'schema is up to date')
  })
}
