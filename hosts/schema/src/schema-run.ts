import {
  type Application,
  type Configuration,
  type Constructor,
  createApplication,
  type KeelModule,
  StartupError,
} from '@keel/framework'
import { applySchemaScripts, Databases, refuseUnusable, runSeeders } from '@keel/framework/data'

/**
 * Brings the database of a module up to its schema scripts, and then writes the rows that the module can't do
 * without.
 */
export async function bringUp(module: Constructor<KeelModule>, configuration: Configuration): Promise<void> {
  const application = createApplication(module, configuration)
  await applySchema(application, module)
  await application.start()
  try {
    await runSeeders(application, { modules: [module] })
  } finally {
    await application.stop()
  }
}

/** Runs before the application starts: what a module does on its way up may need the tables. */
async function applySchema(
  { modules, configuration, logger }: Application,
  module: Constructor<KeelModule>,
): Promise<void> {
  const { options, name } = modules.find(({ type }) => type === module) ?? {}
  if (!options?.schema) throw new StartupError(`${module.name} has no schema scripts`)
  const databases = new Databases(configuration, logger, [options])
  try {
    const database = databases.named(options.database ?? 'Default')
    await refuseUnusable(database, configuration.sourceOf(`ConnectionStrings:${database.name}`))
    const applied = await applySchemaScripts(database, options.schema, (message) => logger.info({}, message))
    logger.info({ module: name, applied }, applied.length ? 'schema changed' : 'schema is up to date')
  } finally {
    await Promise.all(databases.all.map((database) => database.stop()))
  }
}
