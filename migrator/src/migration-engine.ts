import type { Logger } from '@keel/framework'
import { type DatabaseSession, inTransaction, runSqlScript } from '@keel/framework/data'
import { Umzug } from 'umzug'
import type { Migration } from './migration.js'

/**
 * Umzug over one session: `pending()` looks, `up()` applies what is pending, oldest first, each migration and its entry in the history in one
 * transaction. The history is ABP's own table, so a database that came from ABP keeps one history.
 */
export function createMigrationEngine(
  session: DatabaseSession,
  migrations: readonly Migration[],
  logger: Logger,
): Umzug<DatabaseSession> {
  // The entry is written with the migration: umzug writes its own only after the migration, when a crash could come between.
  const written = async (): Promise<void> => undefined
  return new Umzug<DatabaseSession>({
    context: session,
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => apply(session, migration),
    })),
    storage: { executed: () => readHistory(session), logMigration: written, unlogMigration: written },
    logger: {
      debug: ({ event, ...values }) => logger.debug(values, String(event)),
      info: ({ event, ...values }) => logger.info(values, String(event)),
      warn: ({ event, ...values }) => logger.warn(values, String(event)),
      error: ({ event, ...values }) => logger.error(values, String(event)),
    },
  })
}

async function apply(session: DatabaseSession, { name, up }: Migration): Promise<void> {
  await inTransaction(session, async () => {
    await session.query(createHistory)
    await runSqlScript(session, name, up)
    await session.query(
      'insert into "__EFMigrationsHistory" ("MigrationId", "ProductVersion") values ($1, $2)',
      [name, productVersion],
    )
  })
}

const productVersion = 'Keel'

const createHistory = `create table if not exists "__EFMigrationsHistory" (
  "MigrationId" varchar(150) not null,
  "ProductVersion" varchar(32) not null,
  constraint "PK___EFMigrationsHistory" primary key ("MigrationId")
)`

async function readHistory(session: DatabaseSession): Promise<string[]> {
  const { rows: exists } = await session.query(
    `select to_regclass('"__EFMigrationsHistory"') is not null as yes`,
  )
  if (!exists[0]?.yes) return []
  const { rows } = await session.query<{ MigrationId: string }>(
    'select "MigrationId" from "__EFMigrationsHistory"',
  )
  return rows.map((row) => row.MigrationId)
}
