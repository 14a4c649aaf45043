import { type DatabaseSession, readLiveSchema } from '@keel/framework/data'
import { type AnalysedStatement, analyseStatements } from './analysis/analyse.js'
import { blockedBy, lockModes, type TableLock } from './analysis/lock-modes.js'
import type { Migration } from './migration.js'

/** The effects of a migration, statement by statement. */
export interface PlannedMigration {
  readonly name: string
  readonly statements: readonly PlannedStatement[]
}

/** A statement with what it meets in this database. */
export interface PlannedStatement extends Omit<AnalysedStatement, 'locks'> {
  readonly locks: readonly PlannedLock[]
}

/** A lock on a table that is there, with who has to wait and how much there is to read or write. */
export interface PlannedLock extends TableLock {
  readonly blocks: ReturnType<typeof blockedBy>
  /** About how many rows; null where PostgreSQL has not counted yet. */
  readonly estimatedRows: number | null
}

/** Computes the effects of pending migrations on a database. Reads it only. */
export async function planMigrations(
  session: DatabaseSession,
  pending: readonly Migration[],
): Promise<PlannedMigration[]> {
  if (pending.length === 0) return []
  const { model } = await readLiveSchema(session)
  const rows = await readEstimates(session)
  const fresh = new Set<string>()
  const planned: PlannedMigration[] = []
  for (const { name, up } of pending) {
    const statements = await analyseStatements(up, { model, fresh })
    planned.push({
      name,
      statements: statements.map((statement) => planStatement(statement, rows)),
    })
  }
  return planned
}

/** A statement with those who have to wait for it. `rows` are estimates by table, where a database was asked. */
export function planStatement(
  statement: AnalysedStatement,
  rows: ReadonlyMap<string, number> = new Map(),
): PlannedStatement {
  const locks = statement.locks.map((lock) => ({
    ...lock,
    blocks: blockedBy(lock.mode),
    estimatedRows: rows.get(lock.table) ?? null,
  }))
  return { ...statement, locks }
}

/** True when others would have to wait for a lock of these migrations, however short. */
export function keepsOthersWaiting(planned: readonly PlannedMigration[]): boolean {
  return planned.some(({ statements }) =>
    statements.some(({ locks }) =>
      locks.some(({ mode }) => lockModes.indexOf(mode) >= lockModes.indexOf('ShareLock')),
    ),
  )
}

async function readEstimates(session: DatabaseSession): Promise<Map<string, number>> {
  const { rows } = await session.query<{ table: string; estimate: string }>(
    `select c.relname as "table", coalesce(nullif(c.reltuples, -1)::bigint, s.n_live_tup, 0) as estimate
       from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm')`,
  )
  return new Map(rows.map(({ table, estimate }) => [table, Number(estimate)]))
}
