import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { type EntityClass, entityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { and, identifier, join, raw, type Sql, sql } from '../wire/sql.js'

/** Rows that one statement deletes. */
const batch = 500

/**
 * Deletes the rows of an entity for good that were marked as deleted before an instant, in units of work of `batch` rows. Rows that
 * others refer to stay, unless the foreign key deletes these too. Writes neither events nor the audit log: the deletion
 * was told when the row was marked.
 * @param shown attributes of the rows that `gone` hears of
 * @param gone called with the rows of a unit of work that was committed, for what no database knows of, such as files
 * @returns the number of rows
 * @example await purgeDeleted(this.databases, Document, before, ['blobName'], (rows) => this.deleteFiles(rows))
 */
export async function purgeDeleted<A extends string = never>(
  databases: Databases,
  entity: EntityClass,
  before: Date,
  shown: readonly A[] = [],
  gone: (rows: readonly Readonly<Record<A, unknown>>[]) => Promise<void> = async () => undefined,
): Promise<number> {
  const meta = entityMeta(entity)
  const deletionTime = meta.columns.get('deletionTime')
  if (!meta.softDelete || !deletionTime) throw new Error(`${meta.name} has no time of deletion`)
  const database = databases.of(entity)
  const table = identifier(meta.table)
  const columns = shown.map((attribute) => {
    const column = meta.columns.get(attribute)
    if (!column) throw new Error(`${meta.name} has no ${attribute}`)
    return sql`, ${identifier(column.column)} as ${identifier(attribute)}`
  })
  const time =
    typeKey(deletionTime) === 'TIMESTAMP'
      ? sql`(t."DeletionTime" at time zone 'utc')`
      : raw('t."DeletionTime"')
  const isDue = and([
    sql`t."IsDeleted" and ${time} < ${before}`,
    ...(await notReferred(database, meta.table)),
  ])
  const statement = sql`
    delete from ${table} where "Id" in (select t."Id" from ${table} t where ${isDue} limit ${batch} for update skip locked)
    returning "Id" as id${join(columns, '')}`
  let count = 0
  for (;;) {
    const rows = await UnitOfWork.apart(() =>
      UnitOfWork.run(async () => {
        const deleted = await database.query<Record<A, unknown>>(statement)
        for (const changed of deleted.length ? [meta.table, ...database.deletedWith(meta.table)] : [])
          UnitOfWork.current?.changed(database, changed)
        return deleted
      }),
    )
    if (!rows.length) return count
    count += rows.length
    await gone(rows)
  }
}

/** The conditions that no row refers to the row `t` of a table by a foreign key that would refuse its deletion. */
async function notReferred(database: Database, table: string): Promise<Sql[]> {
  const keys = await database.query<{ table: string; column: string }>(sql`
    select c.relname as table, a.attname as column
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.confrelid = ${`"${table}"`}::regclass and k.confdeltype in ('a', 'r')`)
  return keys.map(
    (key) =>
      sql`not exists (select from ${identifier(key.table)} r where r.${identifier(key.column)} = t."Id")`,
  )
}
