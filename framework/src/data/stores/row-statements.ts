import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { statementShapes } from '../query/statement-shapes.js'
import { quote } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'

/** A column as rows are written to it. */
interface WrittenColumn {
  readonly attribute: string
  /** In quotes. */
  readonly name: string
  readonly meta: ColumnMeta
  readonly isInstant: boolean
}

const written = new WeakMap<EntityMeta, readonly WrittenColumn[]>()

function writtenColumns(entity: EntityMeta): readonly WrittenColumn[] {
  let all = written.get(entity)
  if (!all) {
    all = [...entity.columns].map(([attribute, meta]) => ({
      attribute,
      name: quote(meta.column),
      meta,
      isInstant: typeKey(meta) === 'DATE',
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

/**
 * The statement that inserts one row: a parameter for each attribute that is not undefined. Its text depends on
 * these attributes alone, so that a connection plans it once.
 * @param values by attribute, as Sequelize's model holds them
 */
export function insertStatement(entity: EntityMeta, values: Readonly<Record<string, unknown>>): Statement {
  const parameters: unknown[] = []
  let names = ''
  let places = ''
  for (const { attribute, name, meta } of writtenColumns(entity)) {
    const value = values[attribute]
    if (value === undefined) continue
    const place = parameters.push(columnValue(meta, value))
    names += place === 1 ? name : `, ${name}`
    places += place === 1 ? '$1' : `, $${place}`
  }
  const text = `insert into ${quote(entity.table)} (${names}) values (${places})`
  return statementShapes.of(text).statement(parameters)
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
  return typeKey(meta).startsWith('JSON') && value !== null ? JSON.stringify(value) : parameterOf(value)
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
  return `"${String(parameterOf(value)).replace(/[\\"]/g, '\\$&')}"`
}
