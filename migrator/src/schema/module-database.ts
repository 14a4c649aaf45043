import { type Application, type Constructor, type KeelModule, StartupError } from '@keel/framework'
import { type Database, Databases, type EntityClass, refuseUnusable } from '@keel/framework/data'

/** A module whose database is made by schema scripts. */
export interface ScriptedModule {
  readonly name: string
  readonly database: Database
  /** The folder of its scripts. */
  readonly scripts: URL
  readonly entities: readonly EntityClass[]
}

/** Opens the database of a module for `work`. Throws when it does not answer, or when the module has no schema scripts. */
export async function withDatabaseOf<T>(
  { modules, configuration, logger }: Application,
  module: Constructor<KeelModule>,
  work: (module: ScriptedModule) => Promise<T>,
): Promise<T> {
  const { options, name } = modules.find(({ type }) => type === module) ?? {}
  if (!options?.schema || !name) throw new StartupError(`${module.name} has no schema scripts`)
  const databases = new Databases(configuration, logger, [options])
  try {
    const database = databases.named(options.database ?? 'Default')
    await refuseUnusable(database, configuration.sourceOf(`ConnectionStrings:${database.name}`))
    return await work({
      name,
      database,
      scripts: options.schema,
      entities: (options.entities ?? []) as readonly EntityClass[],
    })
  } finally {
    await Promise.all(databases.all.map((database) => database.stop()))
  }
}
