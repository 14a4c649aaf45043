import { createHash } from 'node:crypto'
import type { OrderKey } from '../../data/query/expression.js'
import type { Scalar } from '../../data/query/scalars.js'
import { ODataError } from '../syntax/odata-error.js'

/**
 * Signs a token, which then belongs to one query. The signature guards no secret: it finds tokens that were
 * cut, mistyped or meant for another query, and their content is checked like any input.
 */
function signature(query: string, keys: string): string {
  return createHash('sha256').update(`1 ${query}\n${keys}`).digest('base64url').slice(0, 12)
}

/**
 * A token for the page behind a row. @param query the text that must be the same for the next page @param
 * keys the row's values of the order's keys, as a JSON array of PostgreSQL's texts
 */
export function writeSkipToken(query: string, keys: string): string {
  return `${signature(query, keys)}.${Buffer.from(keys).toString('base64url')}`
}

/** The values of a token, one for each key of the order. Throws when it is of another query. */
export function readSkipToken(token: string, query: string, order: readonly OrderKey[]): (string | null)[] {
  const [signed, coded = ''] = token.split('.')
  const keys = Buffer.from(coded, 'base64url').toString()
  if (signed !== signature(query, keys)) throw refusal()
  let values: unknown
  try {
    values = JSON.parse(keys)
  } catch {
    throw refusal()
  }
  if (!Array.isArray(values) || values.length !== order.length) throw refusal()
  return values.map((value: unknown, index): string | null => {
    const type = order[index]?.value.type
    if (value !== null && (typeof value !== 'string' || !isText(value, type))) throw refusal()
    return value as string | null
  })
}

function refusal(): ODataError {
  return ODataError.invalid('The $skiptoken does not belong to this query.', { target: '$skiptoken' })
}

const number = /^-?(\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,3})?|Infinity)$|^NaN$/
const texts: Readonly<Partial<Record<string, RegExp>>> = {
  Guid: /^[0-9a-f-]{36}$/,
  Boolean: /^(t|f|true|false)$/,
  Int16: /^-?\d{1,5}$/,
  Int32: /^-?\d{1,10}$/,
  Int64: /^-?\d{1,19}$/,
  Decimal: number,
  Single: number,
  Double: number,
  DateTimeOffset: /^(-?infinity|\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?(\+00)?( BC)?)$/,
  Date: /^(-?infinity|\d{4,7}-\d\d-\d\d( BC)?)$/,
  TimeOfDay: /^\d\d:\d\d:\d\d(\.\d{1,6})?$/,
  Duration: /^[\w :.-]{1,60}$/,
  Binary: /^\\x[0-9a-f]*$/,
}

/** Says whether a text has the form in which PostgreSQL writes values of a type. */
function isText(text: string, type: Scalar | undefined): boolean {
  if (type === undefined || text.includes('\0')) return false
  if (typeof type !== 'string') return type.stored === 'name' || /^-?\d{1,5}$/.test(text)
  return texts[type]?.test(text) ?? true
}
