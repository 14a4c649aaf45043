import type { AbstractDataType } from 'sequelize'
import type { ColumnMeta } from './entity.js'
import { daySql, firstTime, instantSql, lastTime } from './time-sql.js'

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

/** True when a text of PostgreSQL is a time of the years 1 to 9999. */
function isNear(text: string): boolean {
  return text[4] === '-' && !text.endsWith('C')
}

/** The first or the last time of the years 1 to 9999, for a text that is none of them. */
function nearestTime(text: string): typeof firstTime | typeof lastTime {
  return text.startsWith('-') || text.endsWith('C') ? firstTime : lastTime
}

/** The instant that stands for a timestamp of PostgreSQL that is not of the years 1 to 9999; undefined for all others. */
export function farInstant(text: string): Date | undefined {
  return isNear(text) ? undefined : new Date(nearestTime(text).instant)
}

const day: TextToJson = (text) => `"${isNear(text) ? text : nearestTime(text).day}"`

/** `2026-11-21 10:00:00.5+00` → `2026-11-21T10:00:00.5Z`; a session always runs in UTC, and a column without zone is UTC. */
const timestamp: TextToJson = (text) => {
  if (!isNear(text)) return `"${nearestTime(text).instant}"`
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
      return instantSql(reference, inUtc(reference))
    case 'TIMESTAMP':
      return instantSql(reference)
    case 'DATEONLY':
      return daySql(reference)
    case 'DECIMAL':
    case 'DOUBLE PRECISION':
    case 'FLOAT':
    case 'REAL':
      // `NaN`, which PostgreSQL sorts behind all others, and infinity have no JSON form.
      return `case when ${reference} > '-Infinity' and ${reference} < 'Infinity' then ${reference} end`
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

/** Sequelize's name of a column's type. */
export function typeKey({ type }: Pick<ColumnMeta, 'type'>): string {
  return typeof type === 'string' ? type.toUpperCase() : ((type as AbstractDataType).key ?? String(type))
}
