import { raw, type Sql, sql } from '../wire/sql.js'
import { firstInstant, lastInstant, type Scalar, type ScalarName } from './scalars.js'
import { computedType, jsonForm } from './storage.js'

/** A value in another type. What has no value there becomes null, and nothing fails. @param x is written several times */
export function castSql(to: Scalar, from: Scalar, x: Sql): Sql {
  if (to === 'String') {
    if (from === 'Single' || from === 'Double') return sql`replace(${x}::text, 'Infinity', 'INF')`
    const text = isNumber(from) ? '#::text' : jsonForm(from, '#', { ieee754: false })
    return sql`(${splice(text, x)})::text`
  }
  if (typeof to !== 'string') throw new Error('Casts to enumerations are written as cases')
  if (from === 'String') return readers[to](x)
  if (from === 'DateTimeOffset' && to !== 'DateTimeOffset')
    return sql`(${x} at time zone 'UTC')::${raw(to === 'Date' ? 'date' : 'time')}`
  if (from === 'Date') return sql`(${x}::timestamp at time zone 'UTC')`
  const isDouble = from === 'Single' || from === 'Double'
  const whole = integerLimits[to]
  if (whole && from !== 'Int16') {
    const fits = sql`trunc(${x}::numeric) between ${raw(whole)}`
    return sql`(case when ${finite(x, isDouble)} then case when ${fits} then trunc(${x}::numeric)::${typeOf(to)} end end)`
  }
  if (to === 'Decimal' && isDouble) return sql`(case when ${finite(x, true)} then ${x}::numeric end)`
  if (to === 'Single' || (to === 'Double' && !isDouble)) return asDouble(to, from, x)
  return sql`${x}::${typeOf(to)}`
}

/** Numbers that are not finite have no whole part, and PostgreSQL fails to make a numeric of infinite ones before version 14. */
function finite(x: Sql, isDouble: boolean): Sql {
  return isDouble ? sql`${x} not in ('NaN', 'Infinity', '-Infinity')` : raw('true')
}

/** Beyond the greatest number there is null; what is nearer to 0 than the least is 0. */
function asDouble(to: 'Single' | 'Double', from: Scalar, x: Sql): Sql {
  const [least, most] = to === 'Single' ? ['1.2e-38', '3.4028234e38'] : ['2.3e-308', '1.7976931348623157e308']
  const within = sql`(case when abs(${x}) <= ${raw(most)} then (case when abs(${x}) < ${raw(least)} then 0 else ${x} end)::${typeOf(to)} end)`
  if (from !== 'Double' && from !== 'Single') return within
  return sql`(case when ${finite(x, true)} then ${within} else ${x}::${typeOf(to)} end)`
}

const integerLimits: Readonly<Record<string, string>> = {
  Int16: '-32768 and 32767',
  Int32: '-2147483648 and 2147483647',
  Int64: '-9223372036854775808 and 9223372036854775807',
}

const day = String.raw`(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
const time = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,12})?)?`

/** How texts are read as values of a type; what is no literal of it is null. */
const readers: Readonly<Record<ScalarName, (x: Sql) => Sql>> = {
  String: (x) => x,
  Guid: (x) => ifMatches(x, '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}', sql`${x}::uuid`),
  Boolean: (x) => sql`(case lower(${x}) when 'true' then true when 'false' then false end)`,
  Int16: wholeNumber('Int16'),
  Int32: wholeNumber('Int32'),
  Int64: wholeNumber('Int64'),
  Decimal: (x) => ifNumber(x, sql`${x}::numeric`),
  Single: float('Single'),
  Double: float('Double'),
  DateTimeOffset: (x) => {
    const instant = sql`upper(${x})::timestamptz`
    const within = sql`(case when ${instant} between ${raw(`'${firstInstant}'`)} and ${raw(`'${lastInstant}'`)} then ${instant} end)`
    return ifMatches(x, String.raw`${day}[Tt]${time}([Zz]|[+-](0\d|1[0-4]):[0-5]\d)`, ifDay(x, within))
  },
  Date: (x) => ifMatches(x, day, ifDay(x, sql`${x}::date`)),
  // More digits would round to 24:00.
  TimeOfDay: (x) => ifMatches(x, time, sql`left(${x}, 15)::time`),
  Duration: (x) => {
    const pattern = String.raw`[+-]?P(?=.)(\d{1,7}D)?(T(?=.)(\d{1,7}H)?(\d{1,7}M)?(\d{1,9}(\.\d{1,12})?S)?)?`
    const positive = sql`ltrim(${x}, '+-')::interval`
    return ifMatches(x, pattern, sql`(case when left(${x}, 1) = '-' then - ${positive} else ${positive} end)`)
  },
  Binary: (x) => {
    const bare = sql`translate(${x}, '-_=', '+/')`
    const padded = sql`rpad(${bare}, (length(${bare}) + 3) / 4 * 4, '=')`
    const decoded = sql`(case when length(${bare}) % 4 <> 1 then decode(${padded}, 'base64') end)`
    return ifMatches(x, '[A-Za-z0-9_-]*={0,2}', decoded)
  },
}

/** A number of a length that is no trouble. */
function ifNumber(x: Sql, then: Sql): Sql {
  return sql`(case when length(${x}) <= 400 then ${ifMatches(x, String.raw`[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?`, then)} end)`
}

function wholeNumber(to: 'Int16' | 'Int32' | 'Int64'): (x: Sql) => Sql {
  return (x) => ifMatches(x, String.raw`[+-]?\d{1,30}`, castSql(to, 'Decimal', sql`${x}::numeric`))
}

function float(to: 'Single' | 'Double'): (x: Sql) => Sql {
  return (x) => {
    const special = sql`when ${x} in ('NaN', 'INF', '-INF') then replace(${x}, 'INF', 'Infinity')::${typeOf(to)}`
    const read = asDouble(to, 'Decimal', sql`${x}::numeric`)
    return sql`(case ${special} else ${ifNumber(x, read)} end)`
  }
}

/** Patterns are our own. */
function ifMatches(x: Sql, pattern: string, then: Sql): Sql {
  return sql`(case when ${x} ~ ${raw(`'^(?:${pattern})$'`)} then ${then} end)`
}

/** True when there is such a day: a text that begins as a date can name one that its month does not have. */
function ifDay(x: Sql, then: Sql): Sql {
  const last = sql`(left(${x}, 7) || '-01')::date + interval '1 month' - interval '1 day'`
  return sql`(case when substr(${x}, 9, 2)::integer <= extract(day from ${last}) then ${then} end)`
}

function typeOf(type: ScalarName): Sql {
  return raw(computedType(type))
}

/** True when values of a type are numbers. */
export function isNumber(type: Scalar): boolean {
  return typeof type === 'string' && ['Int16', 'Int32', 'Int64', 'Decimal', 'Single', 'Double'].includes(type)
}

/** Our own text with SQL in the places of `#`. */
function splice(text: string, x: Sql): Sql {
  const [first = '', ...rest] = text.split('#')
  return rest.reduce((all, next) => sql`${all}${x}${raw(next)}`, raw(first))
}
