import type { Databases } from '../connections/databases.js'
import { type EntityClass, entityMeta } from '../entities/entity.js'
import { quote, raw, sql } from '../wire/sql.js'

/**
 * Adds those of the rows whose id or unique key is not there yet and answers how many that were, with one statement; where every id is there,
 * none is sent that writes. For rows that a module ships; rows that exist stay as people left them.
 */
export async function insertMissing(
  databases: Databases,
  entity: EntityClass,
  rows: readonly object[],
): Promise<number> {
  const meta = entityMeta(entity)
  const [first] = rows
  if (!first) return 0
  const columns = Object.keys(first).map((attribute) => {
    const column = meta.columns.get(attribute)
    if (!column) throw new Error(`${meta.name} has no ${attribute}`)
    return column
  })
  const named = rows.map((row) =>
    Object.fromEntries(
      columns.map(({ attribute, column }) => [column, (row as Record<string, unknown>)[attribute]]),
    ),
  )
  const list = columns.map(({ column }) => quote(column)).join(', ')
  const table = quote(meta.table)
  const given = sql`json_populate_recordset(null::${raw(table)}, ${JSON.stringify(named)}::json) given`
  const database = databases.of(entity)
  // A statement that inserts no row still runs the triggers of the table, which count it as a change.
  const missing = await database.query(sql`
    select from ${given} where not exists (select from ${raw(table)} known where known."Id" = given."Id") limit 1`)
  if (missing.length === 0) return 0
  return database.execute(sql`
    insert into ${raw(table)} (${raw(list)}) select ${raw(list)} from ${given} on conflict do nothing`)
}
