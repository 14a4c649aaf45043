import type { AbstractDataType } from 'sequelize'
import type { ColumnMeta } from './entity.js'

/** Writes a value, in PostgreSQL's text form, as JSON. Null is handled by the caller. */
export type TextToJson = (text: string) => string

const special = /["\\\u0000-\u001f]/

/** A text as a JSON string. */
export function jsonString(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`
}

const plain: TextToJson = (text) => text
const quoted: TextToJson = (text) => `"${text}"`
const boolean: TextToJson = (text) => (text === 't' || text === 'true' ? 'true' : 'false')
// `NaN` and `Infinity` have no JSON form.
const number: TextToJson = (text) => (/^-?(\d|\.)/.test(text) ? text : 'null')

/** What contracts and clients can hold: what is before or behind, infinite times too, is told as the first or the last, as .NET reads it. */
const firstTold = ['0001-01-01', '0001-01-01T00:00:00Z'] as const
const lastTold = ['9999-12-31', '9999-12-31T23:59:59.999999Z'] as const

/** Whether a text of PostgreSQL is a time of the years 1 to 9999. */
function isNear(text: string): boolean {
  return text[4] === '-' && !text.endsWith('C')
}

/** The nearest day and instant that can be told, of a text for which there is none. */
function nearestTold(text: string): readonly [day: string, instant: string] {
  return text.startsWith('-') || text.endsWith('C') ? firstTold : lastTold
}

/** The instant that stands for a timestamp of PostgreSQL that is not of the years 1 to 9999; undefined for all others. */
export function farInstant(text: string): Date | undefined {
  return isNear(text) ? undefined : new Date(nearestTold(text)[1])
}

const day: TextToJson = (text) => `"${isNear(text) ? text : nearestTold(text)[0]}"`

/** `2026-11-21 10:00:00.5+00` → `2026-11-21T10:00:00.5Z`; a session always runs in UTC, and a column without zone is UTC. */
const timestamp: TextToJson = (text) => {
  if (!isNear(text)) return `"${nearestTold(text)[1]}"`
  const end = text.endsWith('+00') ? text.length - 3 : text.length
  return `"${text.slice(0, 10)}T${text.slice(11, end)}Z"`
}

/** How a column's text becomes JSON. */
export function textToJson(column: ColumnMeta): TextToJson {
  switch (typeKey(column)) {
    case 'UUID':
      return quoted
    case 'DATEONLY':
      return day
    case 'BOOLEAN':
      return boolean
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'JSON':
    case 'JSONB':
      return plain
    case 'DECIMAL':
    case 'DOUBLE PRECISION':
    case 'FLOAT':
    case 'REAL':
      return number
    case 'DATE':
    case 'TIMESTAMP':
      return timestamp
    default:
      return jsonString
  }
}

/** The expression that selects a column inside a JSON object that PostgreSQL builds, in the form that {@link textToJson} would write. */
export function jsonExpression(column: ColumnMeta, reference: string): string {
  switch (typeKey(column)) {
    case 'DATE':
      return instantExpression(inUtc(reference))
    case 'TIMESTAMP':
      return instantExpression(reference)
    case 'DATEONLY':
      return `${clamped(reference, ['0001-01-01', '9999-12-31'])}::text`
    case 'CHAR':
    case 'STRING':
      return `${reference}::text`
    default:
      return reference
  }
}

/**
 * The expression for an instant without its zone, in UTC; and for the instant that a timestamp without zone, in UTC, is. By an interval, because
 * PostgreSQL looks the name of a zone up for each value.
 */
export function inUtc(reference: string): string {
  return `(${reference} at time zone interval '0')`
}

/** The expression for an instant in JSON. @param instant SQL of our own for a timestamp without zone, in UTC; it is written several times */
export function instantExpression(instant: string): string {
  const told = clamped(instant, ['0001-01-01', '9999-12-31T23:59:59.999999'])
  return `to_char(${told}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A time within limits; null stays, which `least` and `greatest` would not see. */
function clamped(time: string, [first, last]: readonly [string, string]): string {
  return `case when ${time} < '${first}' then '${first}' when ${time} > '${last}' then '${last}' else ${time} end`
}

/** Sequelize's name of a column's type. */
export function typeKey({ type }: ColumnMeta): string {
  return typeof type === 'string' ? type.toUpperCase() : ((type as AbstractDataType).key ?? String(type))
}
