import { createHash } from 'node:crypto'
import type { Application } from '../../modularity/application.js'
import type { Database } from '../connections/database.js'
import { entityMeta } from '../entities/entity.js'
import { ownColumn, ownFieldsEntity } from '../entities/own-columns.js'
import { type DatabaseSession, withoutStatementTimeout } from '../wire/session.js'
import { quote } from '../wire/sql.js'
import { ownIndexPrefix } from './live-schema.js'

/** PostgreSQL cuts longer names. */
const longestName = 63

/** The index of an own field that is declared as `indexed`. */
export interface OwnFieldIndex {
  /** Ends with a digest of its definition: an index of another definition has another name. */
  readonly name: string
  readonly table: string
  /** Module, entity and field. */
  readonly field: string
  /** The part of `create index` that follows the table. */
  readonly definition: string
}

/** The indexes that the own fields of an application need on a database. */
export function ownFieldIndexes({ modules, ownFields }: Application, database: Database): OwnFieldIndex[] {
  return ownFields.all.flatMap((field) => {
    const entity = ownFieldsEntity(modules, field.entity)
    if (!field.indexed || !entity || !database.entities.includes(entity)) return []
    const meta = entityMeta(entity)
    const { table, softDelete } = meta
    const { column, expression = quote } = ownColumn(field, meta)
    // As lists sort: rows without a value first, and the id decides between equal ones.
    const keys = `(${expression(quote(column))} nulls first, "Id")`
    const definition = softDelete ? `${keys} where "IsDeleted" = false` : keys
    const digest = createHash('sha256').update(`${table} ${definition}`).digest('hex').slice(0, 8)
    const begin = `${ownIndexPrefix}${table}_${field.name}`.slice(0, longestName - 1 - digest.length)
    return [{ name: `${begin}_${digest}`, table, field: `${field.entity}.${field.name}`, definition }]
  })
}

/** The indexes that were built and dropped. */
export interface OwnIndexChanges {
  readonly built: readonly string[]
  readonly dropped: readonly string[]
}

/**
 * Builds the indexes that own fields need and a database lacks, without keeping writers waiting (`create index concurrently`). An index whose build
 * was broken off is built again. An index that another run builds at the moment counts as present.
 * @param options `drop`: true drops the indexes that no field of the application needs. Only for an application that has all modules that declare
 * fields of this database.
 */
export async function applyOwnFieldIndexes(
  application: Application,
  database: Database,
  { drop = false }: { readonly drop?: boolean } = {},
): Promise<OwnIndexChanges> {
  const needed = ownFieldIndexes(application, database)
  // Without a lock of ours: a transaction that is open elsewhere would keep a concurrent build waiting for its end.
  return database.withConnection((session) =>
    withoutStatementTimeout(session, async () => {
      const present = await presentIndexes(session)
      const useless = present.filter(
        ({ name, valid }) => !valid || (drop && needed.every((index) => index.name !== name)),
      )
      const isThere = new Set(present.filter(({ valid }) => valid).map(({ name }) => name))
      const missing = needed.filter(({ name }) => !isThere.has(name))
      for (const { name } of useless) await session.query(`drop index concurrently if exists ${quote(name)}`)
      for (const { name, table, definition } of missing)
        await session.query(
          `create index concurrently if not exists ${quote(name)} on ${quote(table)} ${definition}`,
        )
      // The planner knows the values of an expression only from here on.
      for (const table of new Set(missing.map((index) => index.table)))
        await session.query(`analyze ${quote(table)}`)
      return { built: missing.map(({ name }) => name), dropped: useless.map(({ name }) => name) }
    }),
  )
}

/** The indexes that own fields of an application need and a database lacks. */
export async function missingOwnFieldIndexes(
  application: Application,
  database: Database,
  session: DatabaseSession,
): Promise<OwnFieldIndex[]> {
  const needed = ownFieldIndexes(application, database)
  if (!needed.length) return []
  const present = await presentIndexes(session)
  return needed.filter(({ name }) => !present.some((index) => index.name === name && index.valid))
}

async function presentIndexes(
  session: DatabaseSession,
): Promise<readonly { readonly name: string; readonly valid: boolean }[]> {
  const { rows } = await session.query<{ name: string; valid: boolean }>(
    `select c.relname as name,
        i.indisvalid or exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as valid
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where starts_with(c.relname, $1) and pg_table_is_visible(i.indrelid)`,
    [ownIndexPrefix],
  )
  return rows
}
