import { type DatabaseSession, inTransaction, runSqlScript } from '@keel/framework/data'
import { Refusal } from './exit-codes.js'
import type { Migration } from './migration.js'
import { openHistory } from './migration-history.js'
import { lockNotAvailable, type RunLock, waitForTheDeadSql } from './run-lock.js'
import { limitsSql, type RunLimits } from './run-settings.js'
import type { StatementWatch } from './statement-watch.js'
import type { Steps } from './steps.js'

/** The services and limits that migrations run with. */
export interface MigrationEngineOptions {
  readonly session: DatabaseSession
  readonly lock: RunLock
  readonly limits: RunLimits
  readonly steps: Steps
  /** Looks at what a statement that takes long waits for. */
  readonly watch: StatementWatch
}

/** Applies migrations in their order, each and its line in the history in one transaction. */
export function applyMigrations(
  migrations: readonly Migration[],
  options: MigrationEngineOptions,
): Promise<void> {
  return stepThrough(migrations, 'up', options)
}

/** Takes migrations back in the order given, each and its line in the history in one transaction. */
export function revertMigrations(
  migrations: readonly Migration[],
  options: MigrationEngineOptions,
): Promise<void> {
  return stepThrough(migrations, 'down', options)
}

async function stepThrough(
  migrations: readonly Migration[],
  direction: Direction,
  options: MigrationEngineOptions,
): Promise<void> {
  const kind = direction === 'up' ? 'migrate' : 'revert'
  for (const migration of migrations)
    await options.steps.run(kind, migration.name, () => step(options, direction, migration))
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

/** Umzug runs one migration and writes its line, in a transaction that is ours: neither is there without the other, whenever we end. */
async function takeStep(
  { session, lock, limits, watch }: MigrationEngineOptions,
  direction: Direction,
  migration: Migration,
): Promise<void> {
  const { name } = migration
  const umzug = await openHistory(session, [migration], (_migration, sql) =>
    watch.during(session, name, () => runSqlScript(session, name, sql)),
  )
  await inTransaction(session, async () => {
    const { lockTimeoutMs, statementTimeoutMs } = limits
    await session.query(limitsSql({ lock_timeout: lockTimeoutMs, statement_timeout: statementTimeoutMs }))
    await session.query(waitForTheDeadSql)
    // A migrator that died may have taken the step before it ended.
    await umzug[direction]({ migrations: [name], rerun: 'SKIP' }).catch(throwCause)
    lock.check()
  })
}

/** Umzug puts an error of its own around that of a migration. */
function throwCause(error: Error): never {
  throw error.name === 'MigrationError' ? error.cause : error
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
