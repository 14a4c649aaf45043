import {
  type DatabaseSession,
  inTransaction,
  migrationHistory,
  quote,
  runSqlScript,
} from '@keel/framework/data'
import type { Umzug } from 'umzug'
import { Refusal } from './exit-codes.js'
import type { Migration } from './migration.js'
import { lockNotAvailable, type RunLock, waitForTheDeadSql } from './run-lock.js'
import { limitsSql, type RunLimits } from './run-settings.js'
import type { StatementWatch } from './statement-watch.js'
import type { Steps } from './steps.js'

/** ABP's own table. */
export const historyTable = migrationHistory
/** What the history says of migrations of ours. */
export const productVersion = 'Keel'
export const createHistory = `create table if not exists ${quote(historyTable)} (
  "MigrationId" varchar(150) not null,
  "ProductVersion" varchar(32) not null,
  constraint "PK___EFMigrationsHistory" primary key ("MigrationId")
)`

/** A line of the history. */
export interface AppliedMigration {
  readonly name: string
  /** {@link productVersion}, or the version of Entity Framework where ABP applied it. */
  readonly productVersion: string
}

/** What was applied to a database, in no order; nothing where there is no history yet. */
export async function readHistory(session: DatabaseSession): Promise<AppliedMigration[]> {
  const { rows: exists } = await session.query(`select to_regclass($1) is not null as yes`, [
    quote(historyTable),
  ])
  if (!exists[0]?.yes) return []
  const { rows } = await session.query<AppliedMigration>(
    `select "MigrationId" as name, "ProductVersion" as "productVersion" from ${quote(historyTable)}`,
  )
  return rows
}

/** What migrations are run with. */
export interface MigrationEngineOptions {
  readonly session: DatabaseSession
  readonly lock: RunLock
  readonly limits: RunLimits
  readonly steps: Steps
  /** Looks at what a statement that takes long waits for. */
  readonly watch: StatementWatch
}

/** Applies migrations in their order, each and its line in the history in one transaction. */
export async function applyMigrations(
  migrations: readonly Migration[],
  options: MigrationEngineOptions,
): Promise<void> {
  const umzug = await createUmzug(migrations, options)
  await umzug.up({ migrations: migrations.map(({ name }) => name) }).catch(throwOurs)
}

/** Takes migrations back in the order given, each and its line in the history in one transaction. */
export async function revertMigrations(
  migrations: readonly Migration[],
  options: MigrationEngineOptions,
): Promise<void> {
  const umzug = await createUmzug(migrations, options)
  await umzug.down({ migrations: migrations.map(({ name }) => name) }).catch(throwOurs)
}

/** Umzug puts an error of its own around ours. */
function throwOurs(error: Error): never {
  throw error.cause instanceof Refusal ? error.cause : error
}

/** Loaded when there is something to do: it is a tenth of the start of a run that has nothing to do. */
async function createUmzug(
  migrations: readonly Migration[],
  options: MigrationEngineOptions,
): Promise<Umzug<DatabaseSession>> {
  const { Umzug } = await import('umzug')
  // The entry is written with the migration: umzug writes its own only after the migration, when a crash could come between.
  const written = async (): Promise<void> => undefined
  const { session, steps } = options
  return new Umzug<DatabaseSession>({
    context: session,
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => steps.run('migrate', migration.name, () => step(options, 'up', migration)),
      down: () => steps.run('revert', migration.name, () => step(options, 'down', migration)),
    })),
    storage: {
      executed: async () => (await readHistory(session)).map(({ name }) => name),
      logMigration: written,
      unlogMigration: written,
    },
    logger: undefined,
  })
}

type Direction = 'up' | 'down'

async function step(
  options: MigrationEngineOptions,
  direction: Direction,
  migration: Migration,
): Promise<void> {
  const { limits, steps } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeStep(options, direction, migration)
    } catch (error) {
      const refusal = refusalOf(error, migration, options)
      if (refusal.reason !== 'timedOut' || !isLockTimeout(error) || attempt >= limits.lockAttempts)
        throw refusal
      steps.tell({
        step: direction === 'up' ? 'migrate' : 'revert',
        state: 'waiting',
        message: `${refusal.message}; attempt ${attempt} of ${limits.lockAttempts}`,
        name: migration.name,
      })
    }
  }
}

async function takeStep(
  { session, lock, limits, watch }: MigrationEngineOptions,
  direction: Direction,
  migration: Migration,
): Promise<void> {
  const { name } = migration
  await inTransaction(session, async () => {
    const { lockTimeoutMs, statementTimeoutMs } = limits
    await session.query(limitsSql({ lock_timeout: lockTimeoutMs, statement_timeout: statementTimeoutMs }))
    await session.query(waitForTheDeadSql)
    const isApplied = (await readHistory(session)).some((applied) => applied.name === name)
    if (isApplied === (direction === 'up')) return
    await watch.during(session, name, () => runSqlScript(session, name, migration[direction]))
    await (direction === 'up' ? enter(session, name) : strike(session, name))
    lock.check()
  })
}

async function enter(session: DatabaseSession, name: string): Promise<void> {
  await session.query(createHistory)
  await session.query(
    `insert into ${quote(historyTable)} ("MigrationId", "ProductVersion") values ($1, $2)`,
    [name, productVersion],
  )
}

async function strike(session: DatabaseSession, name: string): Promise<void> {
  await session.query(`delete from ${quote(historyTable)} where "MigrationId" = $1`, [name])
}

const queryCanceled = '57014'

function refusalOf(error: unknown, { name }: Migration, { watch, limits }: MigrationEngineOptions): Refusal {
  if (error instanceof Refusal) return error
  const options = { cause: error }
  const code = codeOf(error)
  if (code === lockNotAvailable)
    return new Refusal(
      'timedOut',
      `${name} got no lock in ${limits.lockTimeoutMs} ms (Migrator:LockTimeoutMs)${watch.blockedBy ? `: ${watch.blockedBy} is in the way` : ''}`,
      options,
    )
  if (code === queryCanceled)
    return new Refusal(
      'timedOut',
      `A statement of ${name} took longer than ${limits.statementTimeoutMs} ms (Migrator:StatementTimeoutMs)`,
      options,
    )
  return new Refusal('migrationFailed', `${name} failed, and nothing of it is left`, options)
}

const isLockTimeout = (error: unknown): boolean => codeOf(error) === lockNotAvailable

/** PostgreSQL's code of an error or of what caused it. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code
}
