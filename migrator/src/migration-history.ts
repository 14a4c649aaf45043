import { type DatabaseSession, migrationHistory, quote } from '@keel/framework/data'
import type { MigrationParams, Umzug, UmzugStorage } from 'umzug'
import type { Migration } from './migration.js'

/** ABP's own table. */
export const historyTable = migrationHistory
/** The product version of our migrations in the history table. */
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

/** The migrations that were applied to a database, in no order; empty while there is no history table. */
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

/** The migrations of a set that a database lacks, oldest first. */
export async function pendingMigrations(
  session: DatabaseSession,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const umzug = await openHistory(session, migrations, async () => undefined)
  const pending = new Set((await umzug.pending()).map(({ name }) => name))
  return migrations.filter(({ name }) => pending.has(name))
}

/**
 * Umzug over migrations and the history in their database.
 * @param run sends the SQL of a migration
 */
export async function openHistory(
  session: DatabaseSession,
  migrations: readonly Migration[],
  run: (migration: Migration, sql: string) => Promise<void>,
): Promise<Umzug<DatabaseSession>> {
  // Loaded when it is needed: commands that only look need no migrations.
  const { Umzug } = await import('umzug')
  return new Umzug<DatabaseSession>({
    context: session,
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => run(migration, migration.up),
      down: () => run(migration, migration.down),
    })),
    storage: historyStorage,
    logger: undefined,
  })
}

/** Umzug's storage in ABP's table. What is written belongs to the transaction at hand, which is the migration's own. */
const historyStorage: UmzugStorage<DatabaseSession> = {
  executed: async ({ context }) => (await readHistory(context)).map(({ name }) => name),
  logMigration: async ({ name, context }: MigrationParams<DatabaseSession>) => {
    await context.query(createHistory)
    const insert = `insert into ${quote(historyTable)} ("MigrationId", "ProductVersion") values ($1, $2)`
    await context.query(insert, [name, productVersion])
  },
  unlogMigration: async ({ name, context }: MigrationParams<DatabaseSession>) => {
    await context.query(`delete from ${quote(historyTable)} where "MigrationId" = $1`, [name])
  },
}
