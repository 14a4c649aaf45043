import {
  Configuration,
  type Constructor,
  createApplication,
  KeelModule,
  type LoadedModule,
  Module,
  StartupError,
} from '@keel/framework'
import { type EntityClass, entityMeta } from '@keel/framework/data'
import type { LoadedProgram } from './command.js'
import { migrations, snapshot } from './migrations/index.js'
import { PlatformDatabase } from './platform-database.js'
import { schemaModulesOf } from './schema/schema-modules.js'

/**
 * The migrator of a solution, made of what the modules of its API host list: the platform's tables in the Default database, the schema scripts of
 * every other module on the database that it names, all seeders, and the permissions that roles are granted. A module that is added to the host
 * needs no entry elsewhere. Throws when a module has tables that nothing makes.
 * @example
 * await runMigrator({
 *   caller: import.meta.url,
 *   load: async () => migratorOf((await import('@acme/api-host')).ApiHost),
 * })
 */
export function migratorOf(host: Constructor<KeelModule>): LoadedProgram {
  const platform = new Set(modulesOf(PlatformDatabase).map(({ type }) => type))
  const others = modulesOf(host).filter(({ type }) => !platform.has(type))
  refuseUnscripted(others)
  const lists = others.map(({ options }) => options)
  class SolutionMigrator extends KeelModule {}
  Module({
    dependsOn: [PlatformDatabase],
    permissions: lists.flatMap(({ permissions = [] }) => permissions),
    resourcePermissions: lists.flatMap(({ resourcePermissions = [] }) => resourcePermissions),
    roles: lists.flatMap(({ roles = [] }) => roles),
    settings: lists.flatMap(({ settings = [] }) => settings),
    features: lists.flatMap(({ features = [] }) => features),
  })(SolutionMigrator)
  return { host: SolutionMigrator, set: { migrations, snapshot }, schemas: schemaModulesOf(host) }
}

const modulesOf = (root: Constructor<KeelModule>): readonly LoadedModule[] =>
  createApplication(root, new Configuration()).modules

/** A table that neither a migration nor a script makes would only be missed by the first request. */
function refuseUnscripted(modules: readonly LoadedModule[]): void {
  const made = new Set(snapshot.tables.map(({ name }) => name))
  const faults = modules.flatMap(({ name, options: { schema, entities = [] } }) => {
    const tables = (entities as readonly EntityClass[]).map((entity) => entityMeta(entity).table)
    const missing = schema ? [] : tables.filter((table) => !made.has(table))
    return missing.length ? [`${name}: ${missing.join(', ')}`] : []
  })
  if (faults.length)
    throw new StartupError(
      `Nothing makes these tables:\n  ${faults.join('\n  ')}\nA module with tables lists the folder of its schema scripts: schema: new URL('../schema/', import.meta.url). \`npm run schema -- add <module> tables\` then writes the script.`,
    )
}
