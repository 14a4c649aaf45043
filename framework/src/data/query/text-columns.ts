import type { AbstractDataType } from 'sequelize'
import type { ColumnMeta } from '../entity.js'

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

/** `2026-11-21 10:00:00.5+00` → `2026-11-21T10:00:00.5Z`; a session always runs in UTC, and a column without zone is UTC. */
const timestamp: TextToJson = (text) => {
  const end = text.endsWith('+00') ? text.length - 3 : text.length
  return `"${text.slice(0, 10)}T${text.slice(11, end)}Z"`
}

/** How a column's text becomes JSON. */
export function textToJson(column: ColumnMeta): TextToJson {
  switch (typeKey(column)) {
    case 'UUID':
    case 'DATEONLY':
      return quoted
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
      return `to_char(${reference} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    case 'TIMESTAMP':
      return `to_char(${reference}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    case 'CHAR':
    case 'STRING':
      return `${reference}::text`
    default:
      return reference
  }
}

/** Sequelize's name of a column's type. */
export function typeKey({ type }: ColumnMeta): string {
  return typeof type === 'string' ? type.toUpperCase() : ((type as AbstractDataType).key ?? String(type))
}
