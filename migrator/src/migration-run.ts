import type { Application, Logger, ModuleListing } from '@keel/framework'
import {
  compareModels,
  type Database,
  type DatabaseSession,
  Databases,
  describeChange,
  type EntityClass,
  type ModelSnapshot,
  modelSnapshot,
  parseConnectionString,
  runSeeders,
} from '@keel/framework/data'
import { demandConsent } from './consent.js'
import { meaningOf } from './error-text.js'
import { Refusal } from './exit-codes.js'
import { isForeign } from './foreign-database.js'
import type { Migration, MigrationSet } from './migration.js'
import { applyMigrations, type MigrationEngineOptions } from './migration-engine.js'
import { pendingMigrations, productVersion, readHistory } from './migration-history.js'
import { describeHolder, type RunLock, waitForTheDeadSql, withRunLock } from './run-lock.js'
import { limitsSql, RunSettings } from './run-settings.js'
import { scaffoldMigration } from './scaffold.js'
import type { SchemaModules } from './schema/schema-modules.js'
import { bringUp } from './schema/schema-run.js'
import { StatementWatch } from './statement-watch.js'
import type { Steps } from './steps.js'

/** The application, database and migrations of a run. */
export interface MigrationRun {
  /** Composed, not started: nothing of a module runs before the schema is right. */
  readonly application: Application
  readonly set: MigrationSet
  /** The modules whose tables schema scripts make, on whichever database. */
  readonly schemas: SchemaModules
  /** The folder of migration sources, where an initial migration goes. */
  readonly folder: string
  readonly steps: Steps
}

/**
 * Brings the Default database up to date: an initial migration when there is none at all, and then nothing more; else the check for pending
 * model changes, the pending migrations, the seeders, and the modules with schema scripts. One run at a time on a database, others wait for it.
 */
export async function migrateDatabase(
  run: MigrationRun,
  { allowDestructive }: { allowDestructive: boolean },
): Promise<void> {
  const { application, set, steps } = run
  const model = modelOf(application)
  if (set.migrations.length === 0) return scaffoldInitial(run, model)
  await steps.run('check', 'the model fits the migrations', () => refusePendingChanges(set, model))
  await withEngine(run, async (engine) => {
    await adoptForeign(run, engine)
    const pending = await findPending(engine.session, run)
    const { session } = engine
    await demandConsent({ migrations: pending, direction: 'up', allowDestructive, session })
    steps.expect(pending.length + application.modules.flatMap(({ options }) => options.seeds ?? []).length)
    if (pending.length) await applyMigrations(pending, engine)
    const message = pending.length ? 'the schema is migrated' : 'the schema is up to date'
    steps.tell({ step: 'schema', state: 'done', message, applied: pending.map(({ name }) => name) })
    await seed(run, engine.lock)
  })
  await bringUpModules(run)
}

/** Behind the platform's tables, which scripts in the Default database may refer to. */
async function bringUpModules({ application, schemas, steps }: MigrationRun): Promise<void> {
  for (const [name, module] of Object.entries(schemas))
    await steps.run('schema', name, async (details) => {
      const { applied, seeded, built } = await bringUp(module, schemas, application.configuration)
      Object.assign(details, { applied, seeded, built, log: [...applied, ...seeded, ...built] })
    })
}

/** A database of ABP becomes ours before anything is migrated: its tables are there already. */
async function adoptForeign(
  { set, steps }: MigrationRun,
  { session, limits }: MigrationEngineOptions,
): Promise<void> {
  if (!(await isForeign(session, set))) return
  await steps.run('adopt', 'the database comes from ABP', async (details) => {
    const { adoptDatabase } = await import('./adoption.js')
    const { changes } = await adoptDatabase(session, set, limits)
    Object.assign(details, { changes, log: changes })
  })
}

/** Checks without writing anything that a run would neither scaffold nor refuse nor apply; throws with names when it would. */
export async function validateMigrations(run: MigrationRun): Promise<void> {
  const { application, set, steps } = run
  if (set.migrations.length === 0)
    throw new Refusal(
      'noMigrations',
      'There are no migrations: an initial migration has to be generated and built',
    )
  await steps.run('check', 'the model fits the migrations', () =>
    refusePendingChanges(set, modelOf(application)),
  )
  await withDatabase(application, async (database) => {
    const pending = await withSession(database, (session) => findPending(session, run))
    if (pending.length)
      throw new Refusal(
        'notApplied',
        `Migrations are not applied: ${pending.map(({ name }) => name).join(', ')}`,
      )
  })
  const { pendingOfModules } = await import('./schema/module-schemas.js')
  const [lacking] = await pendingOfModules(run)
  if (lacking)
    throw new Refusal(
      'notApplied',
      `Schema scripts of ${lacking.name} are not applied: ${lacking.scripts.join(', ')}`,
    )
  steps.tell({ step: 'schema', state: 'done', message: 'the migrations are valid and applied' })
}

/** Does `work` as the only migrator on the Default database, with a connection for migrations. */
export async function withEngine(
  { application, steps }: MigrationRun,
  work: (engine: MigrationEngineOptions) => Promise<void>,
): Promise<void> {
  const limits = application.configuration.read(RunSettings)
  await withDatabase(application, (database) =>
    withRunLock(
      database,
      {
        waitTimeoutMs: limits.waitTimeoutMs,
        onWait: (holder) =>
          steps.tell({
            step: 'lock',
            state: 'waiting',
            message: `waiting for another migrator${holder ? `: ${describeHolder(holder)}` : ''}`,
            holder,
          }),
      },
      (lock) => {
        steps.tell({ step: 'lock', state: 'done', message: 'no other migrator is at work' })
        const watch = new StatementWatch(database, steps)
        return withSession(database, (session) => {
          // Ends the statement that it is at, which the server then takes back.
          lock.onLost(() => void (session as unknown as Closable).end().catch(() => undefined))
          return work({ session, lock, limits, steps, watch })
        })
      },
    ),
  )
}

/** A connection, which a session is, though it need not know. */
interface Closable {
  end(): Promise<void>
}

/** The schema that the entities of the modules on the Default database need. */
export function modelOf(application: Application): ModelSnapshot {
  return modelSnapshot(defaultModules(application).flatMap(({ entities = [] }) => entities as EntityClass[]))
}

const defaultModules = ({ modules }: Application): ModuleListing[] =>
  modules
    .map(({ options }) => options)
    .filter(({ database = 'Default', schema }) => database === 'Default' && !schema)

function scaffoldInitial({ application, set, folder, steps }: MigrationRun, model: ModelSnapshot): void {
  const name = scaffoldMigration({ title: 'initial', folder, set, model, today: new Date() })
  const message = `there were no migrations: wrote ${name}. Read it, build the migrator and run it again`
  steps.tell({ step: 'scaffold', state: 'done', message, name, folder })
  application.logger.debug({ name }, 'stopped early')
}

/** Throws when entities changed and no migration says so. */
export function refusePendingChanges(set: MigrationSet, model: ModelSnapshot): void {
  const changes = compareModels(set.snapshot, model).map((change) => `\n  ${describeChange(change)}`)
  if (changes.length)
    throw new Refusal(
      'pendingModelChanges',
      `Pending model changes found: write a migration with \`migrator add NAME\` for${changes.join('')}`,
    )
}

/** The migrations that the database lacks. Those of a later release that it has stay, and are named: this release can't take them back. */
export async function findPending(
  session: DatabaseSession,
  { set, steps }: MigrationRun,
): Promise<Migration[]> {
  const history = await readHistory(session)
  const known = new Set(set.migrations.map(({ name }) => name))
  const unknown = history.filter((entry) => entry.productVersion === productVersion && !known.has(entry.name))
  if (unknown.length) {
    const names = unknown.map(({ name }) => name)
    const message = `the database has migrations of another release: ${names.join(', ')}`
    steps.tell({ step: 'check', state: 'done', message, unknown: names })
  }
  return pendingMigrations(session, set.migrations)
}

const key = 'ConnectionStrings:Default'

/** Where a connection string leads, without user and password: `db.example.com:5432/keel`. */
function placeOf(text: string): string {
  const { connectionString, host, port, database } = parseConnectionString(text, key)
  if (!connectionString) return `${host}:${port}/${database}`
  const url = new URL(connectionString)
  return `${url.host}${url.pathname}`
}

/** The Default database before the application starts, which opens its own connections. */
export async function withDatabase<T>(
  application: Application,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { configuration, logger } = application
  const database = new Databases(configuration, logger, defaultModules(application)).named('Default')
  try {
    await database.probe().catch((cause: unknown) => {
      throw new Refusal(
        'databaseUnreachable',
        `The Default database does not answer, or does not let us in: ${key} leads to ${placeOf(configuration.get(key) ?? '')}`,
        { cause },
      )
    })
    return await work(database)
  } finally {
    await database.stop()
  }
}

function withSession<T>(database: Database, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  return database.withConnection(async (session) => {
    // Without a listener, a connection that breaks between two statements would end the process; the next statement tells.
    const ignore = (): void => undefined
    session.on('error', ignore)
    try {
      return await work(session)
    } finally {
      session.off('error', ignore)
    }
  })
}

async function seed({ application, steps }: MigrationRun, lock: RunLock): Promise<void> {
  await application.start()
  try {
    const { lockTimeoutMs, statementTimeoutMs } = application.configuration.read(RunSettings)
    const limits = limitsSql({ lock_timeout: lockTimeoutMs, statement_timeout: statementTimeoutMs })
    const database = application.get(Databases).named('Default')
    await runSeeders(application, {
      progress: (label, done, total) => steps.progress(label, done, total),
      begin: async () => {
        lock.check()
        await database.execute({ text: limits, values: [] })
        await database.execute({ text: waitForTheDeadSql, values: [] })
      },
      around: ({ module, name }, seed) =>
        steps
          .run('seed', `${module} ${name}`, (details) => {
            Object.assign(details, { module, name })
            return seed(collectingLogger(application.logger, details))
          })
          .catch((cause: unknown) => {
            throw cause instanceof Refusal
              ? cause
              : new Refusal(
                  'seedingFailed',
                  `${name} of ${module} failed, and nothing of it is left${meaningOf(cause, application.localization)}`,
                  { cause },
                )
          }),
    })
  } finally {
    await application.stop()
  }
}

/** A logger that adds information of a seeder to its step, and passes warnings on to the log. */
function collectingLogger(logger: Logger, details: Record<string, unknown>): Logger {
  const info = (values: object, message: string): void => {
    const text = [message, ...Object.entries(values).map(([key, value]) => `${key}=${String(value)}`)].join(
      ' ',
    )
    details.log = [...((details.log as string[] | undefined) ?? []), text]
  }
  return {
    debug: (values, message) => logger.debug(values, message),
    info,
    warn: (values, message) => logger.warn(values, message),
    error: (values, message) => logger.error(values, message),
    fatal: (values, message) => logger.fatal(values, message),
  }
}
