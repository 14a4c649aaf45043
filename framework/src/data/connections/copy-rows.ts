import type pg from 'pg'
import { type ColumnMeta, type ColumnType, type EntityClass, entityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { InternalQuery, type Wire } from '../wire/pg-internals.js'
import { quote } from '../wire/sql.js'

/**
 * The value of a column of a copied row: ids as text or as their sixteen bytes, JSON as its text, exact
 * decimals and big integers as texts or numbers, days as `2026-11-23`. Undefined is null.
 */
export type RowValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | readonly RowValue[]
  | null
  | undefined

/** A column of the rows, in the order of their values. */
export type CopiedColumn = Pick<ColumnMeta, 'column' | 'type'>

/** Rows of one table, as the bytes that `copy` takes. */
export interface CopiedRows {
  readonly statement: string
  readonly bytes: Uint8Array
}

/** How a column is written. */
enum Kind {
  Text,
  Guid,
  Instant,
  Integer,
  SmallInteger,
  BigInteger,
  Boolean,
  Real,
  Double,
  Decimal,
  Day,
  JsonBinary,
  Bytes,
}

const kinds: Readonly<Record<string, Kind>> = {
  UUID: Kind.Guid,
  TIMESTAMP: Kind.Instant,
  DATE: Kind.Instant,
  INTEGER: Kind.Integer,
  SMALLINT: Kind.SmallInteger,
  TIMESTAMPTZ: Kind.Instant,
  CHAR: Kind.Text,
  STRING: Kind.Text,
  TEXT: Kind.Text,
  CITEXT: Kind.Text,
  JSON: Kind.Text,
  BIGINT: Kind.BigInteger,
  BOOLEAN: Kind.Boolean,
  REAL: Kind.Real,
  'DOUBLE PRECISION': Kind.Double,
  DECIMAL: Kind.Decimal,
  DATEONLY: Kind.Day,
  JSONB: Kind.JsonBinary,
  BLOB: Kind.Bytes,
}

/** PostgreSQL's numbers of the types that arrays hold. */
const elementTypes: Readonly<Record<string, number>> = {
  BOOLEAN: 16,
  BIGINT: 20,
  SMALLINT: 21,
  INTEGER: 23,
  TEXT: 25,
  CHAR: 1042,
  STRING: 1043,
  DATEONLY: 1082,
  TIMESTAMP: 1114,
  DATE: 1184,
  TIMESTAMPTZ: 1184,
  UUID: 2950,
}

/** How the values of a column are written; of an array, how its elements are. */
interface Field {
  readonly kind: Kind
  /** PostgreSQL's number of the type of the elements; undefined for a single value. */
  readonly elementType: number | undefined
}

/** The most bytes of a field that is not a text, with its length prefix. */
const longestPlain = 20
/** Longer texts are written faster by Node's own code, which takes longer to call. */
const longestShort = 100

/**
 * Rows of a table on their way into `copy`, kept as bytes in PostgreSQL's binary form from the moment they
 * are added: nothing is left to do when they are sent, neither here nor in the server, which need not parse
 * them. NUL, which PostgreSQL refuses in texts, is left out.
 */
export class CopyBuffer {
  readonly statement: string
  private readonly fields: readonly Field[]
  private bytes = Buffer.allocUnsafeSlow(4096)
  private used = 0

  constructor(table: string, columns: readonly CopiedColumn[]) {
    this.fields = columns.map(fieldOf)
    const names = columns.map(({ column }) => quote(column)).join(', ')
    this.statement = `copy ${quote(table)} (${names}) from stdin with (format binary)`
  }

  /**
   * For rows of an entity. `attributes` in the order in which their values will be given; other columns get
   * null, or their default.
   */
  static of(entity: EntityClass, attributes: readonly string[]): CopyBuffer {
    const { table, columns } = entityMeta(entity)
    const named = attributes.map((attribute) => {
      const column = columns.get(attribute)
      if (!column) throw new Error(`${entity.name} has no column ${attribute}`)
      return column
    })
    return new CopyBuffer(table, named)
  }

  /** Bytes of the rows so far. */
  get length(): number {
    return this.used
  }

  /** Bytes of memory that they take. */
  get capacity(): number {
    return this.bytes.length
  }

  /** Adds a row. Throws for a value that its column can't hold; the row is then not added. */
  add(values: readonly RowValue[]): void {
    const before = this.used
    const { fields } = this
    this.reserve(2 + fields.length * longestPlain)
    this.bytes[this.used++] = fields.length >> 8
    this.bytes[this.used++] = fields.length
    try {
      for (let index = 0; index < fields.length; index++) {
        const { kind, elementType } = fields[index] as Field
        if (elementType === undefined) this.field(kind, values[index])
        else this.array(kind, elementType, values[index] as readonly RowValue[] | null | undefined)
      }
    } catch (error) {
      this.used = before
      throw error
    }
  }

  /** The rows that were added between two lengths. */
  rows(from: number, to: number): CopiedRows {
    return { statement: this.statement, bytes: this.bytes.subarray(from, to) }
  }

  /** Removes the rows that were added since it had this length. */
  cut(length: number): void {
    this.used = length
  }

  private field(kind: Kind, value: RowValue): void {
    if (value === null || value === undefined) this.int32(-1)
    else if (kind === Kind.Text) this.text(value as string)
    else if (kind === Kind.Guid) this.guid(value as string | Uint8Array)
    else if (kind === Kind.Instant) this.instant(value as Date)
    else if (kind === Kind.Integer) {
      this.int32(4)
      this.int32(value as number)
    } else if (kind === Kind.SmallInteger) {
      this.int32(2)
      this.int16(value as number)
    } else this.rarerField(kind, value)
  }

  private rarerField(kind: Kind, value: NonNullable<RowValue>): void {
    if (kind === Kind.Boolean) {
      this.int32(1)
      this.bytes[this.used++] = value ? 1 : 0
    } else if (kind === Kind.Double) {
      this.int32(8)
      this.used = this.bytes.writeDoubleBE(Number(value), this.used)
    } else if (kind === Kind.Real) {
      this.int32(4)
      this.used = this.bytes.writeFloatBE(Number(value), this.used)
    } else if (kind === Kind.BigInteger) {
      this.int32(8)
      this.used = this.bytes.writeBigInt64BE(BigInt(value as string), this.used)
    } else if (kind === Kind.Decimal) this.decimal(String(value))
    else if (kind === Kind.Day) this.day(value as string)
    else if (kind === Kind.JsonBinary) this.jsonBinary(value as string)
    else this.binary(value as Uint8Array)
  }

  /** One dimension, without nulls' bitmap: an element that is null has the length -1. */
  private array(kind: Kind, elementType: number, values: readonly RowValue[] | null | undefined): void {
    if (!values) {
      this.int32(-1)
      return
    }
    const start = this.used
    this.reserve((values.length + this.fields.length + 2) * longestPlain)
    this.used += 4
    this.int32(values.length ? 1 : 0)
    this.int32(values.includes(null) || values.includes(undefined) ? 1 : 0)
    this.int32(elementType)
    if (values.length) {
      this.int32(values.length)
      this.int32(1)
    }
    for (const value of values) this.field(kind, value)
    this.bytes.writeInt32BE(this.used - start - 4, start)
    this.reserve((this.fields.length + 1) * longestPlain)
  }

  /**
   * PostgreSQL's form: groups of four digits, the place of the first, the sign, and the digits behind the
   * point.
   */
  private decimal(text: string): void {
    const { isNegative, weight, scale, groups } = decimalGroups(text)
    this.reserve((groups.length + this.fields.length + 1) * longestPlain)
    this.int32(8 + groups.length * 2)
    this.int16(groups.length)
    this.int16(weight)
    this.int16(isNegative ? 0x4000 : 0)
    this.int16(scale)
    for (const group of groups) this.int16(group)
  }

  /** Days since 2000. */
  private day(value: string): void {
    const days = (Date.parse(`${value}T00:00:00Z`) - epoch) / 86_400_000
    if (!Number.isInteger(days)) throw new Error(`${value} is no day`)
    this.int32(4)
    this.int32(days)
  }

  /** A version, and the text. */
  private jsonBinary(text: string): void {
    const bytes = Buffer.from(text)
    this.reserve(bytes.length + (this.fields.length + 1) * longestPlain)
    this.int32(bytes.length + 1)
    this.bytes[this.used++] = 1
    bytes.copy(this.bytes, this.used)
    this.used += bytes.length
  }

  private binary(value: Uint8Array): void {
    this.reserve(value.length + (this.fields.length + 1) * longestPlain)
    this.int32(value.length)
    this.bytes.set(value, this.used)
    this.used += value.length
  }

  private text(value: string): void {
    // The rest of the row still has its place behind it.
    this.reserve(value.length * 3 + (this.fields.length + 1) * longestPlain)
    const start = this.used + 4
    let length = value.length > longestShort ? -1 : shortAscii(this.bytes, start, value)
    if (length < 0)
      length = this.bytes.write(value.includes('\0') ? value.replaceAll('\0', '') : value, start, 'utf8')
    this.int32(length)
    this.used += length
  }

  private guid(value: string | Uint8Array): void {
    this.int32(16)
    const { bytes, used } = this
    if (typeof value !== 'string') {
      for (let index = 0; index < 16; index++) bytes[used + index] = value[index] as number
      this.used += 16
      return
    }
    let faults = value.length === 36 ? 0 : 0x80
    for (let index = 0, at = 0; index < 16; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) at++
      const high = hexadecimal[value.charCodeAt(at++)] ?? 0x80
      const low = hexadecimal[value.charCodeAt(at++)] ?? 0x80
      faults |= high | low
      bytes[used + index] = (high << 4) | low
    }
    if (faults & 0x80) throw new Error(`${value} is no UUID`)
    this.used += 16
  }

  /** Microseconds since 2000. */
  private instant(value: Date): void {
    const microseconds = (value.getTime() - epoch) * 1000
    if (!Number.isFinite(microseconds)) throw new Error('an instant is no date')
    const high = Math.floor(microseconds / 0x1_0000_0000)
    this.int32(8)
    this.int32(high)
    this.int32(microseconds - high * 0x1_0000_0000)
  }

  private int16(value: number): void {
    const { bytes, used } = this
    bytes[used] = value >> 8
    bytes[used + 1] = value
    this.used = used + 2
  }

  private int32(value: number): void {
    const { bytes, used } = this
    bytes[used] = value >>> 24
    bytes[used + 1] = value >>> 16
    bytes[used + 2] = value >>> 8
    bytes[used + 3] = value
    this.used = used + 4
  }

  private reserve(count: number): void {
    if (this.used + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.used + count))
    this.bytes.copy(larger, 0, 0, this.used)
    this.bytes = larger
  }
}

const epoch = Date.UTC(2000, 0, 1)

/** The value of a hexadecimal digit by its character code; 0x80 where it is none. */
const hexadecimal = Uint8Array.from({ length: 128 }, (_unused, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? 0x80 : value
})

function fieldOf(column: CopiedColumn): Field {
  const key = typeKey(column)
  const element = key === 'ARRAY' ? typeKey({ ...column, type: elementOf(column) }) : undefined
  const kind = kinds[element ?? key]
  const elementType = element === undefined ? undefined : elementTypes[element]
  if (kind === undefined || (element !== undefined && elementType === undefined))
    throw new Error(`${column.column} can't be copied: ${element ?? key} has no binary form here`)
  return { kind, elementType }
}

/** The type of the elements of an array column. */
function elementOf({ type }: CopiedColumn): ColumnType {
  return (type as unknown as { readonly type: ColumnType }).type
}

interface Decimal {
  readonly isNegative: boolean
  /** The place of the first group: 0 for units, 1 for tens of thousands. */
  readonly weight: number
  readonly scale: number
  readonly groups: readonly number[]
}

/** An exact decimal in groups of four digits. Throws for a text that is no decimal. */
function decimalGroups(text: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(text) ?? []
  if (!whole && !fraction) throw new Error(`${text} is no decimal`)
  const places = Number(exponent)
  const digits = whole + fraction
  const point = whole.length + places
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : ''
  const behind = point > 0 ? digits.slice(point) : digits.padStart(digits.length - point, '0')
  const first = before.padStart(Math.ceil(before.length / 4) * 4, '0')
  const padded = first + behind.padEnd(Math.ceil(behind.length / 4) * 4, '0')
  const groups = Array.from({ length: padded.length / 4 }, (_, index) =>
    Number(padded.slice(index * 4, index * 4 + 4)),
  )
  return { isNegative: sign === '-', weight: first.length / 4 - 1, scale: behind.length, groups }
}

/** Writes a text of plain ASCII and answers its length; -1 when it is not. */
function shortAscii(bytes: Buffer, start: number, text: string): number {
  const { length } = text
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0 || code > 0x7f) return -1
    bytes[start + index] = code
  }
  return length
}

/** Rows into tables by `copy`, in one transaction: the way that costs the server and us the least. */
export function copyRows(client: pg.ClientBase, tables: readonly CopiedRows[]): Promise<void> {
  const filled = tables.filter(({ bytes }) => bytes.length > 0)
  if (filled.length === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    // Statements that are sent together are a transaction.
    const text = filled.map(({ statement }) => statement).join('; ')
    const query = new CopyQuery(text, [])
    query.data = filled.map(({ bytes }) => bytes)
    const done = (error: Error | null) => (error ? reject(error) : resolve())
    ;(client.query as (query: pg.Submittable, done: (error: Error | null) => void) => void).call(
      client,
      query as unknown as pg.Submittable,
      done,
    )
  })
}

/** The signature of the form, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])
/** Of PostgreSQL's message CopyData: its type, and its length without the type. */
const copyData = 0x64
const lengthBytes = 4

class CopyQuery extends InternalQuery {
  /** The buffers to send, in the order of the statements. */
  data: Uint8Array[] = []

  override handleCopyInResponse(connection: Wire): void {
    const rows = this.data.shift()
    if (rows) {
      const begin = Buffer.allocUnsafe(1 + lengthBytes + header.length)
      begin[0] = copyData
      begin.writeInt32BE(lengthBytes + header.length + rows.length + trailer.length, 1)
      header.copy(begin, 1 + lengthBytes)
      // As they are: pg would copy them into a message of its own.
      connection.stream.cork()
      for (const piece of [begin, rows, trailer]) connection.stream.write(piece)
      connection.stream.uncork()
    }
    connection.endCopyFrom()
  }
}
