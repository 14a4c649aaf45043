import type { RowValue } from '../connections/copy-rows.js'
import type { ColumnMeta, ColumnType } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { sqlType } from '../schema/model-snapshot.js'

/** A value that PostgreSQL would refuse in a column: the key of the text that says why. */
export class ValueFault {
  constructor(
    readonly code: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {}
}

/** Makes a value ready for `copy`, or says why its column cannot hold it. Null and undefined are not asked. */
export type ValueWriter = (value: unknown) => RowValue | ValueFault

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const decimal = /^[+-]?(?=\.?\d)(\d*)\.?\d*(e[+-]?\d{1,4})?$/i
/** PostgreSQL's first instant, in milliseconds: 4713 BC. */
const firstInstantMs = -210_866_803_200_000

/** How the values of a column are checked and written. */
export function valueWriter(column: Pick<ColumnMeta, 'type' | 'column'>): ValueWriter {
  const key = typeKey(column)
  if (key === 'ARRAY') return arrayWriter(column)
  const [length = Number.POSITIVE_INFINITY, scale = 0] = sizesOf(column)
  switch (key) {
    case 'UUID':
      return (value) => (guid.test(String(value)) ? String(value) : new ValueFault('Validation:NoSuchEntity'))
    case 'CHAR':
    case 'STRING':
    case 'TEXT':
    case 'CITEXT':
      return (value) => textValue(String(value), length)
    case 'BOOLEAN':
      return (value) => (typeof value === 'boolean' ? value : new ValueFault('Validation:Boolean'))
    case 'SMALLINT':
      return integerWriter(0x8000)
    case 'INTEGER':
      return integerWriter(0x8000_0000)
    case 'BIGINT':
      return bigInteger
    case 'REAL':
    case 'DOUBLE PRECISION':
      return (value) => (typeof value === 'number' ? value : new ValueFault('Validation:Number'))
    case 'DECIMAL':
      return (value) => decimalValue(String(value), length - scale)
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return instant
    case 'DATEONLY':
      return day
    case 'JSON':
    case 'JSONB':
      return json
    case 'BLOB':
      return (value) => value as Uint8Array
    default:
      throw new Error(`${column.column} can't be written for many rows at once: its type is ${key}`)
  }
}

/** The numbers in the parentheses of a type. */
function sizesOf({ type, column }: Pick<ColumnMeta, 'type' | 'column'>): number[] {
  const [, sizes] = /\((\d+(?:,\d+)?)\)/.exec(sqlType(type, column)) ?? []
  return sizes ? sizes.split(',').map(Number) : []
}

function arrayWriter({ type, column }: Pick<ColumnMeta, 'type' | 'column'>): ValueWriter {
  const element = valueWriter({ type: (type as unknown as { readonly type: ColumnType }).type, column })
  return (value) => {
    if (!Array.isArray(value)) return new ValueFault('Validation:OutOfRange')
    const written: RowValue[] = []
    for (const one of value) {
      const result = one === null || one === undefined ? null : element(one)
      if (result instanceof ValueFault) return result
      written.push(result)
    }
    return written
  }
}

function textValue(text: string, most: number): string | ValueFault {
  if (text.includes('\0')) return new ValueFault('Validation:Nul')
  // PostgreSQL counts code points, which are never more than JavaScript's.
  return text.length > most && [...text].length > most ? new ValueFault('Validation:Length', { most }) : text
}

function integerWriter(limit: number): ValueWriter {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit
      ? value
      : new ValueFault('Validation:OutOfRange')
}

function bigInteger(value: unknown): RowValue | ValueFault {
  if (!/^-?\d{1,19}$/.test(String(value))) return new ValueFault('Validation:OutOfRange')
  const whole = BigInt(String(value))
  return BigInt.asIntN(64, whole) === whole ? whole : new ValueFault('Validation:OutOfRange')
}

function decimalValue(text: string, digits: number): string | ValueFault {
  const [, whole, exponent] = decimal.exec(text) ?? []
  if (whole === undefined) return new ValueFault('Validation:Decimal')
  const isTooLong = exponent
    ? Math.abs(Number(text)) >= 10 ** digits
    : whole.replace(/^0+/, '').length > digits
  return isTooLong ? new ValueFault('Validation:Digits', { digits }) : text
}

function instant(value: unknown): Date | ValueFault {
  const date = value instanceof Date ? value : new Date(String(value))
  return date.getTime() >= firstInstantMs ? date : new ValueFault('Validation:Instant')
}

function day(value: unknown): string | ValueFault {
  const text = String(value)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : new ValueFault('Validation:CalendarDate')
}

function json(value: unknown): string | ValueFault {
  const text = JSON.stringify(value)
  if (text.includes('\\u0000')) return new ValueFault('Validation:Nul')
  return halfCharacter.test(text) ? new ValueFault('Validation:HalfCharacter') : text
}

/** A surrogate in JSON, which is escaped where it has no other half, behind backslashes that are texts. */
const halfCharacter = /(?<!\\)(?:\\\\)*\\ud[89a-f]/
