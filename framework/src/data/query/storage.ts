import type { ColumnMeta } from '../entities/entity.js'
import { inUtc, typeKey } from '../entities/text-columns.js'
import { daySql, instantSql } from '../entities/time-sql.js'
import type { Scalar, ScalarName } from './scalars.js'

const byScalar: Readonly<Record<ScalarName, string>> = {
  Guid: 'uuid',
  String: 'text',
  Boolean: 'boolean',
  Int16: 'smallint',
  Int32: 'integer',
  Int64: 'bigint',
  Decimal: 'numeric',
  Single: 'real',
  Double: 'double precision',
  DateTimeOffset: 'timestamptz',
  Date: 'date',
  TimeOfDay: 'time',
  Duration: 'interval',
  Binary: 'bytea',
}

/** The type of PostgreSQL that values of a type are computed in. */
export function computedType(type: Scalar): string {
  if (typeof type === 'string') return byScalar[type]
  return type.stored === 'name' ? 'text' : 'integer'
}

const byKey: Readonly<Record<string, string>> = {
  CHAR: 'bpchar',
  TIMESTAMP: 'timestamp',
  SMALLINT: 'smallint',
  INTEGER: 'integer',
  BIGINT: 'bigint',
}

/** The type of PostgreSQL that a column is compared in: its own, so that its indexes serve. */
export function storedType(column: ColumnMeta, type: Scalar): string {
  return byKey[typeKey(column)] ?? computedType(type)
}

/** The value of a column, given as SQL, in the type that values of its type are computed in. */
export function asComputed(column: ColumnMeta, reference: string): string {
  switch (typeKey(column)) {
    case 'CHAR':
      return `${reference}::text`
    case 'TIMESTAMP':
      return inUtc(reference)
    default:
      return reference
  }
}

/** A text as a constant in SQL. Only for constants and names of our own code. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** How values that JSON can't hold exactly, and annotations, are written. */
export interface JsonStyle {
  /** Numbers that a double does not hold are texts. */
  readonly ieee754: boolean
  /** Members that are null are left out. */
  readonly omitNulls?: boolean | undefined
}

/** The SQL that gives a value, of its computed type, the form that `row_to_json` and `to_json` then write. */
export function jsonForm(type: Scalar, sql: string, { ieee754 }: JsonStyle): string {
  if (typeof type !== 'string') {
    if (type.stored === 'name') return sql
    return type.flags ? flagNames(type.members, sql) : enumName(type.members, sql)
  }
  switch (type) {
    case 'DateTimeOffset':
      return instantSql(sql, inUtc(sql), 'exact')
    case 'Date':
      return daySql(sql, 'exact')
    case 'Int64':
      return ieee754 ? `${sql}::text` : sql
    case 'Decimal':
      return ieee754 ? `replace(${sql}::text, 'Infinity', 'INF')` : sql
    case 'Single':
    case 'Double':
      return `case when ${sql} in ('Infinity', '-Infinity') then to_json(replace(${sql}::text, 'Infinity', 'INF')) else to_json(${sql}) end`
    case 'Binary':
      return `translate(encode(${sql}, 'base64'), E'+/\\n', '-_')`
    case 'Duration':
      return duration(sql)
    default:
      return sql
  }
}

/** The form of a column: as {@link jsonForm}, but without detours. */
export function columnJsonForm(
  column: ColumnMeta,
  type: Scalar,
  reference: string,
  style: JsonStyle,
): string {
  if (typeKey(column) === 'TIMESTAMP') return instantSql(reference, reference, 'exact')
  return jsonForm(type, asComputed(column, reference), style)
}

/** The values of an array as a JSON array: that of none where there is no array. */
export function listJsonForm(type: Scalar, reference: string, style: JsonStyle): string {
  const item = jsonForm(type, 'u.c0', style)
  const all =
    item === 'u.c0'
      ? `to_json(${reference})`
      : `(select json_agg(${item} order by u.n) from unnest(${reference}) with ordinality u(c0, n))`
  return `coalesce(${all}, '[]'::json)`
}

/** The name of an enumeration's number; the number as text where it has no name. */
function enumName(members: ReadonlyMap<string, number>, sql: string): string {
  const names = [...members]
  const isDense = names.every(([, value], index) => value === index)
  if (!isDense) {
    const branches = names.map(([name, value]) => `when ${value} then ${literal(name)}`).join(' ')
    return `case ${sql} ${branches} else ${sql}::text end`
  }
  const array = names.map(([name]) => name).join(',')
  return `coalesce((${literal(`{${array}}`)}::text[])[${sql} + 1], ${sql}::text)`
}

/** The names of the members that a number is the sum of; the number as text where there is none for a part of it. */
function flagNames(members: ReadonlyMap<string, number>, sql: string): string {
  const bits = [...members].filter(([, value]) => value > 0 && (value & (value - 1)) === 0)
  const mask = bits.reduce((all, [, value]) => all | value, 0)
  const [none = '0'] = [...members].find(([, value]) => value === 0) ?? []
  const names = bits.map(([name, value]) => `case when ${sql} & ${value} <> 0 then ${literal(name)} end`)
  const known = `concat_ws(',', ${names.join(', ')})`
  return `case when ${sql} = 0 then ${literal(none)} when ${sql} & ~${mask} <> 0 then ${sql}::text when ${sql} is not null then ${known} end`
}

/** ISO 8601 without months and years: `P1DT2H3M4.5S`. */
function duration(sql: string): string {
  const seconds = `extract(epoch from ${sql})`
  const part = (value: string, unit: string) =>
    `case when ${value} <> 0 then (${value})::text || '${unit}' else '' end`
  const days = `trunc(abs(${seconds}) / 86400)`
  const hours = `trunc(mod(abs(${seconds}), 86400) / 3600)`
  const minutes = `trunc(mod(abs(${seconds}), 3600) / 60)`
  const rest = `trim_scale(mod(abs(${seconds}), 60))`
  const time = `${part(hours, 'H')} || ${part(minutes, 'M')} || ${part(rest, 'S')}`
  return `case when ${sql} is null then null when ${seconds} = 0 then 'PT0S' else case when ${seconds} < 0 then '-' else '' end || 'P' || ${part(days, 'D')} || case when mod(abs(${seconds}), 86400) <> 0 then 'T' || ${time} else '' end end`
}
