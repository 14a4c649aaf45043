import type { EnumScalar, Scalar, ScalarName } from '../../data/query/scalars.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { Literal } from '../syntax/syntax.js'

/** A literal in a type. Values are as constants have them: in PostgreSQL's text form, or a boolean. */
export type TypedLiteral =
  | { readonly kind: 'value'; readonly value: string | boolean }
  /** Greater (1) or less (-1) than every value of the type, or no number (0). */
  | { readonly kind: 'outside'; readonly side: 1 | -1 | 0 }
  /** Not a value of the type, but between this one and the next. */
  | { readonly kind: 'between'; readonly value: string }

const integerRanges: Readonly<Partial<Record<string, readonly [bigint, bigint]>>> = {
  Int16: [-(2n ** 15n), 2n ** 15n - 1n],
  Int32: [-(2n ** 31n), 2n ** 31n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
}
/** Beyond it a number counts as greater than all; PostgreSQL could hold it, at a price. */
const mostDigits = 400

/** A literal in the type it has by itself. */
export function naturalType(literal: Literal): ScalarName {
  switch (literal.type) {
    case 'boolean':
      return 'Boolean'
    case 'integer': {
      const value = integerOf(literal.text)
      if (value === undefined) return 'Decimal'
      return (['Int32', 'Int64'] as const).find((type) => isWithin(value, type)) ?? 'Decimal'
    }
    case 'number':
      return /[eEIN]/.test(literal.text) ? 'Double' : 'Decimal'
    case 'guid':
      return 'Guid'
    case 'date':
      return 'Date'
    case 'timeOfDay':
      return 'TimeOfDay'
    case 'dateTimeOffset':
      return 'DateTimeOffset'
    case 'duration':
      return 'Duration'
    case 'binary':
      return 'Binary'
    default:
      return 'String'
  }
}

/** A literal in a type; undefined when the type has no such literals. Throws for a malformed one. */
export function literalAs(
  literal: Literal,
  type: Scalar,
  enumName: (name: string) => string,
): TypedLiteral | undefined {
  if (typeof type !== 'string') return enumLiteral(literal, type, enumName)
  const { text } = literal
  const isText = literal.type === 'string'
  const number = isText && numericTypes.has(type) ? numberIn(literal) : undefined
  if (number) return literalAs(number, type, enumName)
  const isNumeric = literal.type === 'integer' || literal.type === 'number'
  switch (type) {
    case 'String':
      return isText ? typedValue(text) : undefined
    case 'Boolean':
      if (literal.type !== 'boolean' && !(isText && /^(true|false)$/i.test(text))) return undefined
      return typedValue(text.toLowerCase() === 'true')
    case 'Guid':
      if (literal.type !== 'guid' && !(isText && guid.test(text))) return undefined
      return typedValue(text.toLowerCase())
    case 'Int16':
    case 'Int32':
    case 'Int64':
      return isNumeric ? integerLiteral(text, type) : undefined
    case 'Decimal':
      return isNumeric ? decimalLiteral(text) : undefined
    case 'Single':
    case 'Double':
      return isNumeric ? doubleLiteral(text, type) : undefined
    case 'DateTimeOffset':
      if (literal.type !== 'dateTimeOffset' && literal.type !== 'date' && !isText) return undefined
      return instantLiteral(literal)
    case 'Date':
      if (literal.type !== 'date' && !isText) return undefined
      return dateLiteral(literal)
    case 'TimeOfDay':
      if (literal.type !== 'timeOfDay' && !isText) return undefined
      return timeOfDay.test(text) ? typedValue(text) : undefined
    case 'Duration':
      if (literal.type !== 'duration' && !isText) return undefined
      return durationLiteral(literal)
    case 'Binary':
      if (literal.type !== 'binary' && !isText) return undefined
      return binaryLiteral(literal)
  }
}

const numericTypes: ReadonlySet<Scalar> = new Set(['Int16', 'Int32', 'Int64', 'Decimal', 'Single', 'Double'])

/** The number that a text in quotes is, as if it stood there without them. */
export function numberIn(literal: Literal): Literal | undefined {
  if (literal.type !== 'string' || !/^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|-?INF|NaN)$/i.test(literal.text))
    return undefined
  return { ...literal, type: /^[+-]?\d+$/.test(literal.text) ? 'integer' : 'number' }
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/
const dateText = /^(-?\d{4,9})-(\d\d)-(\d\d)$/
const instantText = /^(-?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)$/i

function typedValue(value: string | boolean): TypedLiteral {
  return { kind: 'value', value }
}

function refuse(literal: Literal, what: string): never {
  throw ODataError.invalid(say`'${literal.text.slice(0, 50)}' is not ${what}.`, { at: literal.at })
}

function integerOf(text: string): bigint | undefined {
  return text.length <= mostDigits ? BigInt(text.replace(/^\+/, '')) : undefined
}

function isWithin(value: bigint, type: 'Int16' | 'Int32' | 'Int64'): boolean {
  const [least, most] = integerRanges[type] ?? [0n, 0n]
  return value >= least && value <= most
}

function integerLiteral(text: string, type: 'Int16' | 'Int32' | 'Int64'): TypedLiteral {
  const parts = numberParts(text)
  if (!parts) return { kind: 'outside', side: sideOf(text) }
  const { floor, isWhole } = parts
  if (!isWithin(floor, type)) return { kind: 'outside', side: floor < 0n ? -1 : 1 }
  return { kind: isWhole ? 'value' : 'between', value: String(floor) }
}

/** The whole part of a number, rounded down; undefined for what is not finite or has too many digits. */
function numberParts(text: string): { floor: bigint; isWhole: boolean } | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (!match) return undefined
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  const point = whole.length + shift - (whole.length + fraction.length - digits.length)
  if (/^0*$/.test(digits)) return { floor: 0n, isWhole: true }
  if (point > mostDigits || digits.length > mostDigits * 2) return undefined
  const left = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const right = point > 0 ? digits.slice(point) : digits
  const isWhole = /^0*$/.test(right)
  const absolute = BigInt(left || '0')
  if (sign !== '-') return { floor: absolute, isWhole }
  return { floor: isWhole ? -absolute : -absolute - 1n, isWhole }
}

function sideOf(text: string): 1 | -1 | 0 {
  if (text === 'NaN') return 0
  return text.startsWith('-') ? -1 : 1
}

function decimalLiteral(text: string): TypedLiteral {
  const parts = numberParts(text)
  const exponent = Number(/e([+-]?\d+)$/i.exec(text)?.[1] ?? 0)
  if (!parts) return { kind: 'outside', side: sideOf(text) }
  if (exponent < -mostDigits) return typedValue('0')
  return typedValue(text.replace(/^\+/, ''))
}

function doubleLiteral(text: string, type: 'Single' | 'Double'): TypedLiteral {
  if (text === 'NaN') return { kind: 'outside', side: 0 }
  if (/INF$/.test(text)) return typedValue(text.startsWith('-') ? '-Infinity' : 'Infinity')
  const value = type === 'Single' ? Math.fround(Number(text)) : Number(text)
  if (!Number.isFinite(value)) return { kind: 'outside', side: sideOf(text) }
  return typedValue(String(value))
}

const zoneText = /(Z|[+-]\d\d:\d\d)$/i

/** A time in its own offset, as if that were UTC. */
export function withoutOffset(literal: Literal): Literal {
  return { ...literal, text: literal.text.replace(zoneText, 'Z') }
}

/** How far the offset of a time is from UTC. */
export function offsetMinutes({ text }: Pick<Literal, 'text'>): number {
  const [, zone = 'Z'] = zoneText.exec(text) ?? []
  if (!/\d/.test(zone)) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  return zone.startsWith('-') ? -minutes : minutes
}

function instantLiteral(literal: Literal): TypedLiteral | undefined {
  const text = literal.type === 'date' ? `${literal.text}T00:00:00Z` : literal.text
  const match = instantText.exec(text)
  if (!match) return literal.type === 'string' ? undefined : refuse(literal, 'a timestamp')
  const [, year = '', month = '', day = '', hour, minute, second = '00', fraction = ''] = match
  if (!isDay(year, month, day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return refuse(literal, 'a timestamp')
  const outside = outsideOfYears(year)
  if (outside) return outside
  const base = Date.parse(`${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`)
  const utc = new Date(base - offsetMinutes({ text }) * 60_000)
  if (utc.getUTCFullYear() < 1) return { kind: 'outside', side: -1 }
  if (utc.getUTCFullYear() > 9999) return { kind: 'outside', side: 1 }
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  return typedValue(`${utc.toISOString().slice(0, 19)}.${micros}Z`)
}

function dateLiteral(literal: Literal): TypedLiteral | undefined {
  const match = dateText.exec(literal.text)
  if (!match) return undefined
  const [, year = '', month = '', day = ''] = match
  if (!isDay(year, month, day)) return refuse(literal, 'a date')
  return outsideOfYears(year) ?? typedValue(literal.text)
}

/** Says whether the calendar has such a day. */
export function isDay(year: string, month: string, day: string): boolean {
  const y = Number(year)
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1]
  return days !== undefined && Number(day) >= 1 && Number(day) <= days
}

/** Rows have dates of the years 1 to 9999. */
function outsideOfYears(year: string): TypedLiteral | undefined {
  const y = Number(year)
  if (y < 1) return { kind: 'outside', side: -1 }
  return y > 9999 ? { kind: 'outside', side: 1 } : undefined
}

const durationText = /^([+-])?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i

function durationLiteral(literal: Literal): TypedLiteral | undefined {
  const match = durationText.exec(literal.text)
  if (!match || /[PT]$/i.test(literal.text))
    return literal.type === 'string'
      ? undefined
      : refuse(literal, 'a duration of days, hours, minutes and seconds')
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0'] = match
  const whole = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  // 10,000 years: less than PostgreSQL's interval holds.
  if (whole > 315_576_000_000) return { kind: 'outside', side: sign === '-' ? -1 : 1 }
  return typedValue(`${sign === '-' ? '-' : ''}${whole.toFixed(6)} seconds`)
}

function binaryLiteral(literal: Literal): TypedLiteral | undefined {
  if (!/^[\w-]*={0,2}$/.test(literal.text))
    return literal.type === 'string' ? undefined : refuse(literal, 'base64url')
  return typedValue(`\\x${Buffer.from(literal.text, 'base64url').toString('hex')}`)
}

function enumLiteral(
  literal: Literal,
  type: EnumScalar,
  enumName: (name: string) => string,
): TypedLiteral | undefined {
  const { text } = literal
  if (literal.type === 'enum' && literal.typeName?.toLowerCase() !== enumName(type.name).toLowerCase())
    return undefined
  if (literal.type !== 'enum' && literal.type !== 'string' && literal.type !== 'integer') return undefined
  if (literal.type === 'integer' && type.stored === 'name') return undefined
  const names = text.split(',').map((name) => name.trim())
  const numbers = names.map((name) => (/^-?\d+$/.test(name) ? Number(name) : memberNumber(type, name)))
  if (numbers.some((number) => number === undefined))
    throw ODataError.invalid(
      say`The string '${text.slice(0, 100)}' is not a valid enumeration type constant.`,
      {
        at: literal.at,
      },
    )
  if (type.stored === 'name') {
    const name = [...type.members].find(([, value]) => value === numbers[0])?.[0]
    return name === undefined || numbers.length > 1 ? { kind: 'outside', side: 0 } : typedValue(name)
  }
  const number = (numbers as number[]).reduce((all, one) => all | one, 0)
  const value = numbers.length === 1 ? (numbers[0] as number) : number
  if (Math.abs(value) > 32_767) return { kind: 'outside', side: value < 0 ? -1 : 1 }
  return typedValue(String(value))
}

function memberNumber(type: EnumScalar, name: string): number | undefined {
  const exact = type.members.get(name)
  if (exact !== undefined) return exact
  const lower = name.toLowerCase()
  return [...type.members].find(([known]) => known.toLowerCase() === lower)?.[1]
}
