import {
  type Application,
  type Configuration,
  type Constructor,
  createApplication,
  InputError,
  KeelModule,
  Module,
  type ModuleContext,
  StartupError,
} from '@keel/framework'
import type { AnyAppService } from '@keel/framework/contracts'
import { applyOwnFieldIndexes, applySchemaScripts, runSeeders } from '@keel/framework/data'
import { withDatabaseOf } from './module-database.js'
import type { SchemaModules } from './schema-modules.js'

/** What {@link bringUp} did. */
export interface SchemaRun {
  /** The scripts that it applied. */
  readonly applied: readonly string[]
  /** The seeders that it ran. */
  readonly seeded: readonly string[]
  /** The indexes of own fields that it built. */
  readonly built: readonly string[]
}

/**
 * Brings the database of a module up to its schema scripts, writes the rows that the module can't do without, and builds the indexes of the own
 * fields that the configuration declares.
 * @param modules those that are started for the seeders of the module: their services call each other. A module without seeders is not started
 */
export async function bringUp(
  module: Constructor<KeelModule>,
  modules: SchemaModules,
  configuration: Configuration,
): Promise<SchemaRun> {
  const application = createApplication(hostOf(modules), configuration)
  const applied = await applySchema(application, module)
  const seeded = await seed(application, module)
  return { applied, seeded, built: await buildIndexes(application, module) }
}

/** All of these modules in one host. They may ask for contracts of modules that are none of them. */
export function hostOf(modules: SchemaModules): Constructor<KeelModule> {
  class SchemaHost extends KeelModule {
    override postConfigureServices({ application }: ModuleContext): void {
      for (const contract of application.missingContracts) application.provide(contract, uncallable(contract))
    }
  }
  Module({ dependsOn: Object.values(modules) })(SchemaHost)
  return SchemaHost
}

/** A service that can be injected, and throws when a seeder calls it. */
function uncallable(contract: AnyAppService): object {
  const { service, operations } = contract.contract
  const refuse = (operation: string) => () => {
    throw new StartupError(
      `A seeder calls ${contract.name}.${operation}, and the module ${service.name} that implements it is not started here: it has no schema scripts, or runs in another host.`,
    )
  }
  return Object.fromEntries([...operations.keys()].map((operation) => [operation, refuse(operation)]))
}

/** Runs before the application starts: what a module does on its way up may need the tables. */
async function applySchema(
  application: Application,
  module: Constructor<KeelModule>,
): Promise<readonly string[]> {
  const { logger } = application
  return withDatabaseOf(application, module, async ({ name, database, scripts }) => {
    const applied = await applySchemaScripts(database, scripts, (message) => logger.info({}, message))
    logger.info({ module: name, applied }, applied.length ? 'schema changed' : 'schema is up to date')
    return applied
  })
}

async function seed(application: Application, module: Constructor<KeelModule>): Promise<readonly string[]> {
  const { options } = application.modules.find(({ type }) => type === module) ?? {}
  if (!options?.seeds?.length) return []
  await application.start()
  try {
    return await runSeeders(application, { modules: [module] })
  } finally {
    await application.stop()
  }
}

/** Runs behind the seeders: PostgreSQL then knows what values the expressions have. */
async function buildIndexes(
  application: Application,
  module: Constructor<KeelModule>,
): Promise<readonly string[]> {
  if (application.ownFields.all.length === 0) return []
  return withDatabaseOf(application, module, async ({ database }) => {
    const { built } = await applyOwnFieldIndexes(application, database)
    if (built.length) application.logger.info({ built }, 'indexes of own fields were built')
    return built
  })
}

/** The module of a name on the command line. Throws with the names that there are. */
export function moduleNamed(modules: SchemaModules, name: string): Constructor<KeelModule> {
  const module = Object.hasOwn(modules, name) ? modules[name] : undefined
  if (module) return module
  const known = Object.keys(modules)
  if (name.startsWith('-')) throw new InputError(`There is no option ${name}. --help tells more.`)
  throw new InputError(
    known.length
      ? `There is no schema of ${name}, only of ${new Intl.ListFormat('en').format(known)}. --help tells more.`
      : `There is no schema of ${name}: no module of this host has schema scripts.`,
  )
}
