import { LRUCache } from 'lru-cache'
import { atMost } from '../../modularity/at-most.js'
import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { type StatementShape, statementShapes } from '../query/statement-shapes.js'
import { sqlType } from '../schema/model-snapshot.js'
import { quote } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'

/** A column as rows are written to it. */
interface WrittenColumn {
  readonly attribute: string
  /** In quotes. */
  readonly name: string
  readonly meta: ColumnMeta
  readonly isInstant: boolean
  readonly isJson: boolean
  /** Stands for the column in the keys of {@link inserts}. */
  readonly letter: string
}

const written = new WeakMap<EntityMeta, readonly WrittenColumn[]>()

function writtenColumns(entity: EntityMeta): readonly WrittenColumn[] {
  let all = written.get(entity)
  if (!all) {
    all = [...entity.columns].map(([attribute, meta], index) => ({
      attribute,
      name: quote(meta.column),
      meta,
      isInstant: typeKey(meta) === 'DATE',
      isJson: isJson(meta),
      letter: String.fromCharCode(index),
    }))
    written.set(entity, all)
  }
  return all
}

/** The values of a new row by attribute: those given, and the defaults of columns without one. Instants that were given as texts are dates. */
export function completeRow(
  entity: EntityMeta,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { attribute, meta, isInstant } of writtenColumns(entity)) {
    const value = given[attribute] === undefined ? structuredDefault(meta) : given[attribute]
    if (value === undefined) continue
    values[attribute] = isInstant && typeof value === 'string' ? new Date(value) : value
  }
  return values
}

/** Each row has an object of its own. */
function structuredDefault({ defaultValue }: ColumnMeta): unknown {
  return typeof defaultValue === 'object' && defaultValue !== null
    ? structuredClone(defaultValue)
    : defaultValue
}

/** Callers choose which attributes a row has. */
const mostInserts = 200

/** The statements that insert one row, by the columns that they name: to put the text together takes longer than all else of a statement. */
const inserts = new WeakMap<EntityMeta, LRUCache<string, StatementShape>>()

function insertsOf(entity: EntityMeta): LRUCache<string, StatementShape> {
  let shapes = inserts.get(entity)
  if (!shapes) {
    shapes = new LRUCache(atMost(mostInserts))
    inserts.set(entity, shapes)
  }
  return shapes
}

/**
 * The statement that inserts one row: a parameter for each attribute that is not undefined. Its text depends on
 * these attributes alone, so that a connection plans it once.
 * @param values by attribute, as Sequelize's model holds them
 */
export function insertStatement(entity: EntityMeta, values: Readonly<Record<string, unknown>>): Statement {
  const parameters: unknown[] = []
  let key = ''
  for (const { attribute, isJson, letter } of writtenColumns(entity)) {
    const value = values[attribute]
    if (value === undefined) continue
    parameters.push(isJson && value !== null ? JSON.stringify(value) : parameterOf(value))
    key += letter
  }
  const shapes = insertsOf(entity)
  let shape = shapes.get(key)
  if (!shape) {
    const names = writtenColumns(entity).flatMap(({ name, letter }) => (key.includes(letter) ? name : []))
    const places = parameters.map((_value, index) => `$${index + 1}`)
    shape = statementShapes.of(
      `insert into ${quote(entity.table)} (${names.join(', ')}) values (${places.join(', ')})`,
    )
    shapes.set(key, shape)
  }
  return shape.statement(parameters)
}

/**
 * The statement that inserts several rows: a parameter for each attribute that one of them has, with the values of all rows. Its text depends on these
 * attributes alone, not on the number of rows. A row without such an attribute has null in it.
 * @param rows by attribute, as Sequelize's model holds them
 */
export function insertRowsStatement(
  entity: EntityMeta,
  rows: readonly Readonly<Record<string, unknown>>[],
): Statement {
  const columns = writtenColumns(entity).filter(({ attribute }) =>
    rows.some((values) => values[attribute] !== undefined),
  )
  const parameters = columns.map(({ attribute, meta }) =>
    parameterOf(rows.map((values) => columnValue(meta, values[attribute] ?? null))),
  )
  const names = columns.map(({ name }) => name).join(', ')
  const values = columns.map(({ name, meta }) => `r.${name}${castFromText(meta)}`).join(', ')
  const places = columns.map((_column, index) => `$${index + 1}::text[]`).join(', ')
  const text = `insert into ${quote(entity.table)} (${names}) select ${values} from unnest(${places}) as r (${names})`
  return statementShapes.of(text).statement(parameters)
}

/** Makes a value of a column of its text. Empty where PostgreSQL does so by itself, and refuses texts that are too long. */
function castFromText(column: ColumnMeta): string {
  if (['CHAR', 'STRING', 'TEXT', 'CITEXT'].includes(typeKey(column))) return ''
  // Without its size: the insert rounds and refuses as it does for one row.
  return `::${sqlType(column.type, column.column).replace(/\(.*\)/, '')}`
}

/**
 * The statement that changes the row that has some values, and answers a row where there is one. Its text depends on the attributes of
 * both alone.
 * @param values by attribute; undefined clears, as null does
 */
export function updateStatement(
  { table, columns }: EntityMeta,
  values: Readonly<Record<string, unknown>>,
  where: Readonly<Record<string, unknown>>,
): Statement {
  const parameters: unknown[] = []
  const equations = (all: Readonly<Record<string, unknown>>): string[] =>
    Object.entries(all).flatMap(([attribute, value]) => {
      const meta = columns.get(attribute)
      if (!meta) return []
      return `${quote(meta.column)} = $${parameters.push(columnValue(meta, value ?? null))}`
    })
  const [sets, conditions] = [equations(values), equations(where)]
  const text = `update ${quote(table)} set ${sets.join(', ')} where ${conditions.join(' and ')} returning 1`
  return statementShapes.of(text).statement(parameters)
}

/** A value of a column as PostgreSQL reads it. */
function columnValue(meta: ColumnMeta, value: unknown): unknown {
  return isJson(meta) && value !== null ? JSON.stringify(value) : parameterOf(value)
}

function isJson(meta: ColumnMeta): boolean {
  return typeKey(meta).startsWith('JSON')
}

/** The first instant that ISO 8601 writes with more than four digits of the year. */
const farMs = Date.UTC(10_000)

/** Arrays and dates as PostgreSQL reads them; other values are left to pg. */
function parameterOf(value: unknown): unknown {
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`
  const isNear = value instanceof Date && value.getTime() >= 0 && value.getTime() < farMs
  return isNear ? value.toISOString() : value
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`
  return `"${String(parameterOf(value)).replace(/[\\"]/g, '\\$&')}"`
}
