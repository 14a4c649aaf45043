import { type Application, type ModuleOptions, StartupError } from '@keel/framework'
import {
  type DatabaseSession,
  Databases,
  type EntityClass,
  type LockHolder,
  type ModelSnapshot,
  modelSnapshot,
  runSeeders,
  withAdvisoryLock,
} from '@keel/framework/data'
import type { MigrationSet } from './migration.js'
import { createMigrationEngine } from './migration-engine.js'
import { compareModels, describeChange } from './model-diff.js'
import { scaffoldMigration } from './scaffold.js'

/** What a run works on. */
export interface MigrationRun {
  /** Composed, not started: nothing of a module runs before the schema is right. */
  readonly application: Application
  readonly set: MigrationSet
  /** The folder of migration sources, where an initial migration goes. */
  readonly folder: string
}

/**
 * Brings the Default database up to date: an initial migration when there is none at all, and then nothing more; else the check for pending
 * model changes, the pending migrations, and the seeders. One run at a time on a database, others wait for it.
 */
export async function migrateDatabase(run: MigrationRun): Promise<void> {
  const { application, set } = run
  const { logger } = application
  const model = modelOf(application)
  if (set.migrations.length === 0) return scaffoldInitial(run, model)
  refusePendingChanges(set, model)
  await withSession(application, async (session) => {
    const onWait = (holder?: LockHolder): void =>
      logger.info({ holder }, 'waiting for another migrator to finish')
    await withAdvisoryLock(session, 'keel:migrator', onWait, async () => {
      const applied = await createMigrationEngine(session, set.migrations, logger).up()
      logger.info(
        { applied: applied.map(({ name }) => name) },
        applied.length ? 'schema migrated' : 'schema is up to date',
      )
      await seed(application)
    })
  })
}

/** Checks without writing anything that a run would neither scaffold nor refuse nor apply; throws with names when it would. */
export async function validateMigrations({ application, set }: MigrationRun): Promise<void> {
  if (set.migrations.length === 0)
    throw new StartupError('There are no migrations: an initial migration has to be generated and built')
  refusePendingChanges(set, modelOf(application))
  await withSession(application, async (session) => {
    const pending = await createMigrationEngine(session, set.migrations, application.logger).pending()
    if (pending.length)
      throw new StartupError(`Migrations are not applied: ${pending.map(({ name }) => name).join(', ')}`)
  })
  application.logger.info({ migrations: set.migrations.length }, 'migrations are valid')
}

/** What the entities of the modules on the Default database ask for. */
export function modelOf(application: Application): ModelSnapshot {
  return modelSnapshot(defaultModules(application).flatMap(({ entities = [] }) => entities as EntityClass[]))
}

const defaultModules = ({ modules }: Application): ModuleOptions[] =>
  modules.map(({ options }) => options).filter(({ database = 'Default' }) => database === 'Default')

function scaffoldInitial({ application, set, folder }: MigrationRun, model: ModelSnapshot): void {
  const name = scaffoldMigration({ title: 'initial', folder, set, model, today: new Date() })
  application.logger.warn(
    { name, folder },
    'there were no migrations: an initial one was written. Read it, build the migrator and run it again',
  )
}

function refusePendingChanges(set: MigrationSet, model: ModelSnapshot): void {
  const changes = compareModels(set.snapshot, model).map((change) => `\n  ${describeChange(change)}`)
  if (changes.length)
    throw new StartupError(
      `Pending model changes found: write a migration with \`migrator add NAME\` for${changes.join('')}`,
    )
}

/** One connection to the Default database before the application starts, which opens its own. */
async function withSession(
  application: Application,
  work: (session: DatabaseSession) => Promise<void>,
): Promise<void> {
  const { configuration, logger } = application
  const database = new Databases(configuration, logger, defaultModules(application)).named('Default')
  try {
    await database.withConnection(async (session) => {
      await session.query(`set application_name to 'keel migrator'`)
      await work(session)
    })
  } finally {
    await database.stop()
  }
}

async function seed(application: Application): Promise<void> {
  await application.start()
  try {
    await runSeeders(application)
  } finally {
    await application.stop()
  }
}
