import { type Application, createApplication } from '@keel/framework'
import {
  type Drift,
  findDrift,
  frameworkScripts,
  modelSnapshot,
  pendingScripts,
  readSchemaHistory,
  readSchemaScripts,
} from '@keel/framework/data'
import { type PlannedMigration, planMigrations } from '../plan.js'
import { type ScriptedModule, withDatabaseOf } from './module-database.js'
import type { SchemaModules } from './schema-modules.js'
import { hostOf } from './schema-run.js'

/** The application of a run, and its modules with schema scripts. */
export interface ModulesOfRun {
  readonly application: Application
  readonly schemas: SchemaModules
}

/** The names of the schema scripts that a database lacks, for each module that lacks some. */
export function pendingOfModules(run: ModulesOfRun): Promise<readonly PendingScripts[]> {
  return ofEachModule(run, async (name, own) => {
    const scripts = await pendingOf(own)
    return scripts.length ? { name, scripts: scripts.map((script) => script.name) } : undefined
  })
}

/** What a module lacks. */
export interface PendingScripts {
  /** Of the module, on the command line. */
  readonly name: string
  readonly scripts: readonly string[]
}

/** The pending schema scripts of all modules, statement by statement, with what they meet in their databases. Reads only. */
export async function planModules(run: ModulesOfRun): Promise<readonly PlannedMigration[]> {
  const planned = await ofEachModule(run, async (name, own) => {
    const scripts = await pendingOf(own)
    const steps = scripts.map((script) => ({ name: `${name} ${script.name}`, up: script.text, down: '' }))
    return own.database.withConnection((session) => planMigrations(session, steps))
  })
  return planned.flat()
}

/** The differences between the tables of each module and its entity classes. */
export function driftOfModules(run: ModulesOfRun): Promise<readonly ModuleDrift[]> {
  return ofEachModule(run, async (name, { database, entities }) => ({
    ...(await database.withConnection((session) => findDrift(session, modelSnapshot(entities)))),
    name,
  }))
}

/** The drift of a module. */
export interface ModuleDrift extends Drift {
  readonly name: string
}

/** The framework's scripts come first where a database has none yet. */
async function pendingOf({ database, scripts }: ScriptedModule) {
  const history = await database.withConnection(readSchemaHistory)
  return [frameworkScripts, scripts].flatMap((folder) =>
    pendingScripts(readSchemaScripts(folder), history, database.name),
  )
}

async function ofEachModule<T>(
  { application, schemas }: ModulesOfRun,
  work: (name: string, module: ScriptedModule) => Promise<T | undefined>,
): Promise<T[]> {
  const results: T[] = []
  for (const [name, module] of Object.entries(schemas)) {
    const result = await withDatabaseOf(
      createApplication(hostOf(schemas), application.configuration),
      module,
      (own) => work(name, own),
    )
    if (result !== undefined) results.push(result)
  }
  return results
}
