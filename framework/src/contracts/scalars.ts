import { z } from 'zod'
import { type FileContent, isFileContent } from './files.js'

/** The wire format of a value where zod cannot tell; used by decoding, column reading and OpenAPI. */
export type WireKind =
  | { readonly kind: 'instant' }
  | { readonly kind: 'date' }
  | { readonly kind: 'decimal' }
  | { readonly kind: 'enum'; readonly name: string; readonly members: Readonly<Record<string, number>> }
  | { readonly kind: 'enumName'; readonly name: string; readonly members: Readonly<Record<string, number>> }
  | { readonly kind: 'file'; readonly mediaTypes: readonly string[] }

// Schemas never change, so members of the same form share one: contracts have some thousand members, and each schema takes a kilobyte.
const kinds = new WeakMap<z.ZodType, WireKind>()

/** The wire kind of a schema inside its optional, nullable and default wrappers; undefined for plain JSON. */
export function wireKind(schema: z.ZodType): WireKind | undefined {
  // `.meta()` and `.describe()` make a copy that names what it was made of.
  for (let known: z.core.$ZodType | undefined = unwrap(schema); known; known = known._zod.parent) {
    const kind = kinds.get(known as z.ZodType)
    if (kind) return kind
  }
  return undefined
}

const secrets = new WeakSet<z.ZodType>()

/** Marks a value that no log may show although its name does not say so. @example code: secret(z.string()) */
export function secret<S extends z.ZodType>(schema: S): S {
  // Of its own: the schema may be that of other members too.
  const marked = schema.clone() as S
  secrets.add(marked)
  return marked
}

/**
 * Says what a number is measured in, for OpenAPI (`x-unit`) and OData (`Measures.Unit`).
 * @example totalVolume: inUnit('m³', z.number().nullish())
 */
export function inUnit<S extends z.ZodType>(unit: string, schema: S): S {
  return schema.meta({ ...schema.meta(), 'x-unit': unit })
}

/**
 * Says which member of the same DTO holds the currency of an amount, for OpenAPI (`x-currency`) and OData
 * (`Measures.ISOCurrency`).
 * @example goodsValue: inCurrencyOf('goodsCurrencyCode', decimal(18, 2).nullish())
 */
export function inCurrencyOf<S extends z.ZodType>(member: string, schema: S): S {
  return schema.meta({ ...schema.meta(), 'x-currency': member })
}

/** True when a schema, or what it wraps, was marked with {@link secret}. */
export function isSecretSchema(schema: z.ZodType): boolean {
  const { innerType } = schema._zod.def as { innerType?: z.ZodType }
  return secrets.has(schema) || (innerType !== undefined && isSecretSchema(innerType))
}

/** A schema without its optional, nullable, default and read-only wrappers. */
export function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema
  while ('innerType' in inner._zod.def) inner = (inner._zod.def as { innerType: z.ZodType }).innerType
  return inner
}

/**
 * A point in time: a `Date` in code, ISO 8601 with `Z` on the wire. Input may carry any offset; without one
 * it is read as UTC, as ABP's unspecified kind is. A calendar date alone is its midnight, UTC.
 */
export function instant(): z.ZodType<Date, Date | string> {
  return anyInstant
}

const anyInstant = tagged(
  { kind: 'instant' },
  z.any().transform((value: unknown, context) => {
    const instant = toInstant(value)
    return (
      instant ??
      fault(context, 'Instant', 'Invalid date and time: expected ISO 8601, e.g. 2026-11-21T14:00:00Z')
    )
  }),
) as unknown as z.ZodType<Date, Date | string>

const isoInstant = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i

// The range that both .NET and PostgreSQL support: the years 1 to 9999, in UTC.
const earliestMs = Date.parse('0001-01-01T00:00:00Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

function toInstant(value: unknown): Date | undefined {
  const read = value instanceof Date ? value : readInstant(value)
  return read && read.getTime() >= earliestMs && read.getTime() <= latestMs ? read : undefined
}

function readInstant(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const [, day, time = '00:00:00', zone = 'Z'] = isoInstant.exec(value.trim()) ?? []
  if (!day || !isCalendarDate(day)) return undefined
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return new Date(`${day}T${time}${offset}`)
}

/** A calendar date without time or zone: the string `yyyy-MM-dd` in code and on the wire. */
export function calendarDate(): z.ZodType<string, string> {
  return anyCalendarDate
}

const anyCalendarDate = tagged(
  { kind: 'date' },
  z.string().refine(isCalendarDate, {
    message: 'Invalid date: expected a calendar date, e.g. 2026-11-21',
    params: { key: 'Validation:CalendarDate' },
  }),
) as unknown as z.ZodType<string, string>

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const read = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text)
}

/**
 * An exact decimal (`numeric` in the database): a string such as `"12.50"` in code, a JSON number on the
 * wire. Input may be a number or a string; a string keeps every digit where a JSON number read by JavaScript
 * keeps about 15.
 * @param precision all digits, @param scale digits behind the point: more of either is refused, never rounded
 * away
 */
export function decimal(
  precision: number,
  scale: number,
  range: { min?: number; max?: number } = {},
): z.ZodType<string, string | number> {
  const key = `${precision} ${scale} ${range.min} ${range.max}`
  const known = decimals.get(key) ?? newDecimal(precision, scale, range)
  decimals.set(key, known)
  return known
}

const decimals = new Map<string, z.ZodType<string, string | number>>()

function newDecimal(
  precision: number,
  scale: number,
  range: { min?: number; max?: number },
): z.ZodType<string, string | number> {
  return tagged(
    { kind: 'decimal' },
    z.any().transform((value: unknown, context) => {
      const text =
        typeof value === 'number' ? plainNumber(value) : typeof value === 'string' ? shortText(value) : ''
      const [, whole, fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? []
      if (whole === undefined) return fault(context, 'Decimal', 'Invalid input: expected a decimal number')
      const digits = whole.replace(/^0+(?=\d)/, '').length
      if (/[1-9]/.test(fraction.slice(scale)))
        return fault(context, 'Scale', `Too precise: at most ${scale} digits behind the point`, { scale })
      if (digits > precision - scale)
        return fault(context, 'Digits', `Too big: at most ${precision - scale} digits before the point`, {
          digits: precision - scale,
        })
      if (range.min !== undefined && Number(text) < range.min)
        return fault(context, 'Minimum', `Too small: expected number to be >=${range.min}`, {
          limit: range.min,
        })
      if (range.max !== undefined && Number(text) > range.max)
        return fault(context, 'Maximum', `Too big: expected number to be <=${range.max}`, {
          limit: range.max,
        })
      return text
    }),
  ) as unknown as z.ZodType<string, string | number>
}

/** Leading and trailing zeros do not count; PostgreSQL does not read any number of them either. */
const mostDecimalCharacters = 500

function shortText(value: string): string {
  return value.length <= mostDecimalCharacters ? value.trim() : ''
}

/** A number without exponent, with the digits JavaScript writes: `1.25e-7` → `0.000000125`. */
export function plainNumber(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const point = 1 + Number(exponent)
  const digits = whole + fraction
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`
}

/**
 * An enumeration: an integer on the wire (interface document, "Conventions for generated endpoints" 3); the
 * member's name is accepted on input too, in any case.
 * @example status: enumeration('ShipmentStatus', ShipmentStatus)
 */
export function enumeration<E extends Record<string, string | number>>(
  name: string,
  values: E,
): z.ZodType<E[keyof E] & number, (E[keyof E] & number) | string> {
  const members = membersOf(values)
  const read = memberReader(members)
  return tagged(
    { kind: 'enum', name, members },
    z.any().transform((value: unknown, context) => {
      const member = read(value)
      return member === undefined ? noSuchMember(context, members) : members[member]
    }),
  ) as unknown as z.ZodType<E[keyof E] & number, (E[keyof E] & number) | string>
}

/**
 * An enumeration that travels as the member's name (interface document, "Conventions for generated endpoints"
 * 3): the name in code, on the wire and in its column, which is text. Input may have the name in any case, or
 * the integer.
 * @example frequency: enumerationName('ExportFrequency', ExportFrequency) // 'Daily' | 'Weekly' | 'Monthly'
 */
export function enumerationName<E extends Record<string, string | number>>(
  name: string,
  values: E,
): z.ZodType<keyof E & string, string | (E[keyof E] & number)> {
  const members = membersOf(values)
  const read = memberReader(members)
  return tagged(
    { kind: 'enumName', name, members },
    z.any().transform((value: unknown, context) => read(value) ?? noSuchMember(context, members)),
  ) as unknown as z.ZodType<keyof E & string, string | (E[keyof E] & number)>
}

/**
 * A file. As a member of an input it makes the operation take `multipart/form-data`, with the other members
 * as fields; as a result it is streamed to the caller as it is.
 * @param mediaTypes what it may be, for the documents
 * @example upload: op(UploadInput).returns(DocumentDto), getContent: op(id).returns(file('application/pdf'))
 */
export function file(...mediaTypes: readonly string[]): z.ZodType<FileContent, FileContent> {
  return tagged(
    { kind: 'file', mediaTypes },
    z
      .any()
      .transform((value: unknown, context) =>
        isFileContent(value) ? value : fault(context, 'File', 'Invalid input: expected a file'),
      ),
  ) as unknown as z.ZodType<FileContent, FileContent>
}

/** Finds the member that a name in any case, an integer or an integer's digits stand for. */
function memberReader(members: Readonly<Record<string, number>>): (value: unknown) => string | undefined {
  const byName = new Map(Object.keys(members).map((member) => [member.toLowerCase(), member]))
  const byValue = new Map(Object.entries(members).map(([member, value]) => [value, member]))
  return (value) => {
    if (typeof value === 'number') return byValue.get(value)
    if (typeof value !== 'string') return undefined
    return /^-?\d+$/.test(value) ? byValue.get(Number(value)) : byName.get(value.toLowerCase())
  }
}

function noSuchMember(
  context: Parameters<typeof fault>[0],
  members: Readonly<Record<string, number>>,
): never {
  const options = Object.entries(members)
    .map(([member, value]) => `${value} (${member})`)
    .join(', ')
  return fault(context, 'Option', `Invalid option: expected one of ${options}`, { options })
}

/** The members of a TypeScript enum without its reverse mapping. */
export function membersOf(values: Record<string, string | number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}

/** The id of no row, .NET's `Guid.Empty`: smaller than all ids, and in answers the id of what is not stored. */
export const emptyGuid = '00000000-0000-0000-0000-000000000000'

/** A GUID, accepted in any case and written in lower case. */
export function guid(): z.ZodGUID {
  return anyGuid
}

const anyGuid = z.guid().toLowerCase() as z.ZodGUID

function tagged<S extends z.ZodType>(kind: WireKind, schema: S): S {
  kinds.set(schema, kind)
  return schema
}

/** Adds an issue to a value. The validation reads `params`: the text's key and its data. */
function fault(
  context: { issues: unknown[]; value: unknown },
  kind: string,
  message: string,
  data: Record<string, unknown> = {},
): never {
  const missing = context.value === undefined || context.value === null
  context.issues.push({
    code: 'custom',
    input: context.value,
    message: missing ? 'a value is required' : message,
    params: { key: `Validation:${missing ? 'Required' : kind}`, kind, data },
  })
  return z.NEVER
}
