import type pg from 'pg'
import { type ColumnMeta, type EntityClass, entityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import { InternalQuery, type Wire } from '../wire/pg-internals.js'
import { quote } from '../wire/sql.js'

/** What a column of a copied row may be given as: ids as text or as their sixteen bytes. What is undefined is null. */
export type RowValue = string | number | Date | Uint8Array | null | undefined

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
}

const kinds: Readonly<Record<string, Kind>> = {
  UUID: Kind.Guid,
  TIMESTAMP: Kind.Instant,
  DATE: Kind.Instant,
  INTEGER: Kind.Integer,
  SMALLINT: Kind.SmallInteger,
  CHAR: Kind.Text,
  STRING: Kind.Text,
  TEXT: Kind.Text,
}

/** The most bytes of a field that is no text, its length included. */
const longestPlain = 20
/** Longer texts are written faster by Node's own code, which takes longer to call. */
const longestShort = 100

/**
 * Rows of a table on their way into `copy`, kept as bytes in PostgreSQL's binary form from the moment they are added: nothing is left to do
 * when they are sent, neither here nor in the server, which need not parse them. NUL, which PostgreSQL refuses in texts, is left out.
 */
export class CopyBuffer {
  readonly statement: string
  private readonly kinds: readonly Kind[]
  private bytes = Buffer.allocUnsafeSlow(4096)
  private used = 0

  /** `attributes` in the order in which their values will be given; columns that are not named get null, or their default. */
  constructor(entity: EntityClass, attributes: readonly string[]) {
    const { table, columns } = entityMeta(entity)
    const named = attributes.map((attribute) => {
      const column = columns.get(attribute)
      if (!column) throw new Error(`${entity.name} has no column ${attribute}`)
      return column
    })
    this.kinds = named.map(kindOf)
    const names = named.map(({ column }) => quote(column)).join(', ')
    this.statement = `copy ${quote(table)} (${names}) from stdin with (format binary)`
  }

  /** Bytes of the rows so far. */
  get length(): number {
    return this.used
  }

  /** Bytes of memory that they take. */
  get capacity(): number {
    return this.bytes.length
  }

  /** Adds a row. Throws for a value that is none of its column; the row is then not there. */
  add(values: readonly RowValue[]): void {
    const before = this.used
    const { kinds } = this
    this.reserve(2 + kinds.length * longestPlain)
    this.bytes[this.used++] = kinds.length >> 8
    this.bytes[this.used++] = kinds.length
    try {
      for (let index = 0; index < kinds.length; index++) this.field(kinds[index] as Kind, values[index])
    } catch (error) {
      this.used = before
      throw error
    }
  }

  /** The rows that were added between two lengths. */
  rows(from: number, to: number): CopiedRows {
    return { statement: this.statement, bytes: this.bytes.subarray(from, to) }
  }

  /** Takes back what was added since it had this length. */
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
    } else {
      this.int32(2)
      this.bytes[this.used++] = (value as number) >> 8
      this.bytes[this.used++] = value as number
    }
  }

  private text(value: string): void {
    // The rest of the row still has its place behind it.
    this.reserve(value.length * 3 + (this.kinds.length + 1) * longestPlain)
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

function kindOf(column: ColumnMeta): Kind {
  const kind = kinds[typeKey(column)]
  if (kind === undefined)
    throw new Error(`${column.column} can't be copied: ${typeKey(column)} has no binary form here`)
  return kind
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
    const query = new CopyQuery(text, (error) => (error ? reject(error) : resolve()))
    query.data = filled.map(({ bytes }) => bytes)
    client.query(query as unknown as pg.Submittable)
  })
}

/** The signature of the form, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])
/** Of PostgreSQL's message CopyData: its type, and its length without the type. */
const copyData = 0x64
const lengthBytes = 4

class CopyQuery extends InternalQuery {
  /** What to send, in the order of the statements. */
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
