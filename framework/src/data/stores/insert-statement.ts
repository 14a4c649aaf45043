import type { EntityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { statementShapes } from '../query/statement-shapes.js'
import { quote } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'

/**
 * The statement that inserts one row: a parameter for each attribute that is not undefined. Its text depends on
 * these attributes alone, so that a connection plans it once.
 * @param values by attribute, as Sequelize's model holds them
 */
export function insertStatement(
  { table, columns }: EntityMeta,
  values: Readonly<Record<string, unknown>>,
): Statement {
  const names: string[] = []
  const parameters: unknown[] = []
  for (const [attribute, meta] of columns) {
    const value = values[attribute]
    if (value === undefined) continue
    const isJson = typeKey(meta).startsWith('JSON')
    names.push(quote(meta.column))
    parameters.push(isJson && value !== null ? JSON.stringify(value) : parameterOf(value))
  }
  const places = names.map((_, index) => `$${index + 1}`)
  const text = `insert into ${quote(table)} (${names.join(', ')}) values (${places.join(', ')})`
  return statementShapes.of(text).statement(parameters)
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
