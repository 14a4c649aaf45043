import { randomUUID } from 'node:crypto'
import type { Database } from '../data/connections/database.js'
import { type ColumnMeta, type EntityClass, type EntityMeta, entityMeta } from '../data/entities/entity.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { typeKey } from '../data/entities/text-columns.js'
import { identifier, join, type Sql, sql } from '../data/wire/sql.js'

/**
 * The id of a row that rows of a test can refer to: of one that is there and not deleted, else of a new one. The
 * new one has the simplest value in each column that must have one, and refers to rows that are found or made in
 * the same way. Rights and row rules play no part. Throws what the database says when its checks want other
 * values: the test then adds a row itself.
 * @example vehicleId = await someRow(app.host.get(Databases).named('Fleet'), 'FleetVehicles')
 */
export async function someRow(database: Database, table: string): Promise<string> {
  const entity = database.entities.find((one) => entityMeta(one).table === table)
  if (!entity) throw new Error(`No entity of the database ${database.name} has the table ${table}`)
  return rowOf(database, entity, {})
}

/** @param wanted the values that the row must have, by their attributes */
async function rowOf(
  database: Database,
  entity: EntityClass,
  wanted: Readonly<Record<string, string>>,
): Promise<string> {
  const meta = entityMeta(entity)
  const conditions = Object.entries(wanted).map(
    ([attribute, value]) => sql`${nameOf(meta, attribute)} = ${value}`,
  )
  if (meta.softDelete) conditions.push(sql`"IsDeleted" = false`)
  const where = conditions.length ? sql` where ${join(conditions, ' and ')}` : sql``
  const [found] = await database.query<{ id: string }>(
    sql`select "Id" as id from ${identifier(meta.table)}${where} limit 1`,
  )
  return found?.id ?? addRow(database, meta, wanted)
}

async function addRow(
  database: Database,
  meta: EntityMeta,
  wanted: Readonly<Record<string, string>>,
): Promise<string> {
  const id = sequentialGuid()
  const row: { name: Sql; value: Sql }[] = []
  for (const column of meta.columns.values()) {
    const value = column.primaryKey
      ? id
      : (wanted[column.attribute] ?? (await requiredValue(database, meta, column)))
    if (value !== undefined) row.push({ name: identifier(column.column), value: sql`${value}` })
  }
  const names = row.map(({ name }) => name)
  const values = row.map(({ value }) => value)
  await database.execute(
    sql`insert into ${identifier(meta.table)} (${join(names, ', ')}) values (${join(values, ', ')})`,
  )
  return id
}

/** Undefined for a column that may be left out. */
async function requiredValue(database: Database, meta: EntityMeta, column: ColumnMeta): Promise<unknown> {
  const { nullable, databaseDefault, defaultValue, references, referencesOnly = {}, enumeration } = column
  if (nullable || databaseDefault !== undefined) return undefined
  if (defaultValue !== undefined)
    return typeKey(column) === 'JSONB' ? JSON.stringify(defaultValue) : defaultValue
  if (references) return rowOf(database, references(), referencesOnly)
  if (enumeration) return firstMember(Object.values(enumeration)[0] ?? {})
  const simplest = simplestValues[typeKey(column)]
  if (!simplest)
    throw new Error(`${meta.table}.${column.column}: add a row in the test, its type has no simplest value`)
  return simplest(column)
}

/** Texts are different in each row, because they may have to be. */
const simplestValues: Readonly<Record<string, (column: ColumnMeta) => unknown>> = {
  UUID: () => randomUUID(),
  STRING: ({ type }) => randomUUID().replaceAll('-', '').toUpperCase().slice(0, lengthOf(type)),
  CHAR: ({ type }) => randomUUID().replaceAll('-', '').toUpperCase().slice(0, lengthOf(type)),
  TEXT: () => randomUUID(),
  CITEXT: () => randomUUID(),
  SMALLINT: () => 1,
  INTEGER: () => 1,
  BIGINT: () => 1,
  DECIMAL: () => '1',
  REAL: () => 1,
  'DOUBLE PRECISION': () => 1,
  BOOLEAN: () => false,
  DATE: () => new Date(),
  TIMESTAMP: () => new Date(),
  TIMESTAMPTZ: () => new Date(),
  DATEONLY: () => new Date().toISOString().slice(0, 10),
  JSON: () => '{}',
  JSONB: () => '{}',
}

/** The number of an enumeration's first member, or its name where members are texts. */
function firstMember(members: Readonly<Record<string, string | number>>): string | number | undefined {
  return Object.entries(members).find(([name]) => !/^\d/.test(name))?.[1]
}

function lengthOf(type: ColumnMeta['type']): number {
  return (type as { readonly _length?: number })._length ?? 255
}

function nameOf({ columns, table }: EntityMeta, attribute: string): Sql {
  const column = columns.get(attribute)
  if (!column) throw new Error(`${table} has no attribute ${attribute}`)
  return identifier(column.column)
}
