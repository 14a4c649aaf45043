import type { Databases } from './connections.js'
import { type EntityClass, entityMeta } from './entity.js'
import { quote, raw, sql } from './sql.js'

/**
 * Adds those of the rows whose id or unique key is not there yet and answers how many that were, with one statement. For rows that a module
 * ships; rows that exist stay as people left them.
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
  return databases.of(entity).execute(sql`
    insert into ${raw(table)} (${raw(list)})
    select ${raw(list)} from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(named)}::json)
    on conflict do nothing`)
}
