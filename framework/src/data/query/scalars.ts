import type { AbstractDataType } from 'sequelize'
import { membersOf } from '../../contracts/scalars.js'
import type { ColumnMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { firstTime, lastTime } from '../entities/time-sql.js'

/** The plain types a query knows, by their names in OData's Edm. */
export type ScalarName =
  | 'Guid'
  | 'String'
  | 'Boolean'
  | 'Int16'
  | 'Int32'
  | 'Int64'
  | 'Decimal'
  | 'Single'
  | 'Double'
  | 'DateTimeOffset'
  | 'Date'
  | 'TimeOfDay'
  | 'Duration'
  | 'Binary'

/** The first instant that clients can hold: of the year 1, as in OData. */
export const firstInstant = firstTime.instant
/** The last instant that clients can hold: of the year 9999, as in OData. */
export const lastInstant = lastTime.instant

/** An enumeration: members by name, stored as their numbers or as their names. */
export interface EnumScalar {
  readonly kind: 'enum'
  readonly name: string
  readonly members: ReadonlyMap<string, number>
  readonly stored: 'number' | 'name'
  /** True when values are any number of members at a time: the sum of their numbers, each a power of two. */
  readonly flags: boolean
}

const scalarNames: ReadonlyMap<string, ScalarName> = new Map(
  (
    `Guid String Boolean Int16 Int32 Int64 Decimal Single Double DateTimeOffset Date TimeOfDay Duration Binary`.split(
      ' ',
    ) as ScalarName[]
  ).map((name) => [name.toLowerCase(), name]),
)

/** The plain type of this name, in any case. */
export function scalarNamed(name: string): ScalarName | undefined {
  return scalarNames.get(name.toLowerCase())
}

/** The type of a value in a query. */
export type Scalar = ScalarName | EnumScalar

const byKey: Readonly<Record<string, ScalarName>> = {
  UUID: 'Guid',
  STRING: 'String',
  TEXT: 'String',
  CHAR: 'String',
  CITEXT: 'String',
  BOOLEAN: 'Boolean',
  SMALLINT: 'Int16',
  INTEGER: 'Int32',
  BIGINT: 'Int64',
  DECIMAL: 'Decimal',
  REAL: 'Single',
  FLOAT: 'Double',
  'DOUBLE PRECISION': 'Double',
  DATE: 'DateTimeOffset',
  TIMESTAMP: 'DateTimeOffset',
  DATEONLY: 'Date',
  TIME: 'TimeOfDay',
  BLOB: 'Binary',
  INTERVAL: 'Duration',
}

/** By the members, which several columns may hold, and how they are held. */
const enums = new WeakMap<object, Map<string, EnumScalar>>()

/** The type of a column in queries; undefined for what queries do not know: arrays and JSON. */
export function scalarOf(column: ColumnMeta): Scalar | undefined {
  const plain = byKey[typeKey(column)]
  const { enumeration } = column
  if (!plain || !enumeration) return plain
  const [[name, values] = ['', {}]] = Object.entries(enumeration)
  const stored = plain === 'String' ? 'name' : 'number'
  const flags = column.flags === true
  const key = `${name} ${stored} ${flags}`
  const made = enums.get(values) ?? new Map<string, EnumScalar>()
  enums.set(values, made)
  const known = made.get(key)
  if (known) return known
  const members = new Map(Object.entries(membersOf(values)))
  const scalar: EnumScalar = { kind: 'enum', name, members, stored, flags }
  made.set(key, scalar)
  return scalar
}

/** Kinds of values that arrays of them can be published of. */
const listed: ReadonlySet<string> = new Set(
  `UUID STRING TEXT BOOLEAN SMALLINT INTEGER BIGINT DECIMAL REAL FLOAT DATE DATEONLY TIME`
    .split(' ')
    .concat('DOUBLE PRECISION'),
)

/** The type of each value of a column that is an array; undefined for others, and for arrays of what queries do not know. */
export function itemScalarOf(column: ColumnMeta): Scalar | undefined {
  if (typeKey(column) !== 'ARRAY') return undefined
  const item = { ...column, type: (column.type as unknown as { readonly type: ColumnMeta['type'] }).type }
  return listed.has(typeKey(item)) ? scalarOf(item) : undefined
}

/** The size of a column's values by its type. */
export interface ScalarSize {
  /** Characters of a text. */
  readonly maxLength?: number
  /** Digits of a decimal, and how many of them stand after the point. */
  readonly precision?: number
  readonly scale?: number
}

/** How large the values of a column may be. */
export function sizeOf(column: ColumnMeta): ScalarSize {
  const { _length, _precision, _scale } = (
    typeof column.type === 'function' ? new (column.type as unknown as new () => object)() : column.type
  ) as AbstractDataType & { _length?: number; _precision?: number; _scale?: number }
  switch (typeKey(column)) {
    case 'STRING':
    case 'CHAR':
      return { maxLength: _length ?? 255 }
    case 'DECIMAL':
      return _precision === undefined ? {} : { precision: _precision, scale: _scale ?? 0 }
    default:
      return {}
  }
}
