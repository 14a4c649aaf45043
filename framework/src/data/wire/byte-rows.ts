import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { type Wire, wireOf } from './pg-internals.js'
import { SessionClient, type SessionClientConfig } from './session-client.js'
import { RawQuery } from './text-query.js'

/** The value of a column as the bytes that PostgreSQL sent, in the pieces in which they came. */
export type Bytes = readonly Buffer[]

/** A row as PostgreSQL wrote it, column by column, and nothing made of it. */
export type ByteRow = readonly (Bytes | null)[]

/** A value's bytes as text. */
export function bytesText(bytes: Bytes): string {
  const [first, second] = bytes
  if (!first) return ''
  return second ? Buffer.concat(bytes).toString() : first.toString()
}

/** How many bytes the values of a row are together. */
export function byteRowSize(row: ByteRow): number {
  let size = 0
  for (const value of row) for (const piece of value ?? []) size += piece.length
  return size
}

/** The same row in memory of its own, to be kept: what came with it is let go. */
export function ownByteRow(row: ByteRow): ByteRow {
  return row.map((value) => value && [Buffer.concat(value)])
}

interface ByteConnection extends Wire {
  /** True when the rows of the query at hand are wanted as bytes. */
  takesBytes?: boolean
}

/** A query whose rows are {@link ByteRow}; for connections of a {@link ByteClient}. */
export class ByteQuery extends RawQuery<ByteRow> {
  private isOver = false

  private done: (error: Error | undefined, rows: readonly ByteRow[]) => void = () => undefined

  /** Runs it on a {@link ByteClient}. */
  sendOn(client: pg.ClientBase, done: (error: Error | undefined, rows: readonly ByteRow[]) => void): void {
    this.done = done
    client.query(this as unknown as pg.Submittable)
  }

  override submit(connection: ByteConnection): Error | null {
    connection.takesBytes = true
    return super.submit(connection)
  }

  handleReadyForQuery(connection: ByteConnection): void {
    this.end(connection, undefined, this.rawRows)
  }

  handleError(error: Error, connection: ByteConnection): void {
    this.end(connection, error, [])
  }

  private end(connection: ByteConnection, error: Error | undefined, rows: readonly ByteRow[]): void {
    connection.takesBytes = false
    // After an error of its own making pg tells of the end as well.
    if (this.isOver) return
    this.isOver = true
    this.done(error, rows)
  }
}

/**
 * pg's client, except that the rows of a {@link ByteQuery} are handed over as they came: text that is only passed on is neither decoded nor
 * encoded again. Everything but these rows is read by pg itself.
 */
export class ByteClient extends SessionClient {
  constructor(config?: string | SessionClientConfig) {
    super(config)
    const connection = wireOf(this) as ByteConnection
    const readByPg = connection.attachListeners
    connection.attachListeners = (stream) => {
      const others = new EventEmitter()
      readByPg.call(connection, others)
      const messages = new RowMessages({
        isWanted: () => connection.takesBytes === true,
        row: (fields) => connection.emit('dataRow', { fields }),
        other: (bytes) => void others.emit('data', bytes),
      })
      stream.on('data', (chunk: Buffer) => messages.take(chunk))
    }
  }
}

const headerLength = 5
const dataRow = 0x44

/** Picks the rows out of the stream of messages that PostgreSQL sends. */
export class RowMessages {
  /** The beginning of a message's header, cut by the end of a chunk. */
  private cut: Buffer | undefined
  /** Bytes still to come of the message at hand, of a row or another. */
  private rest = 0
  private row: Buffer[] | undefined

  constructor(
    private readonly to: {
      readonly isWanted: () => boolean
      readonly row: (fields: ByteRow) => void
      /** Bytes of other messages; where a message begins and ends does not matter to whoever reads them. */
      readonly other: (bytes: Buffer) => void
    },
  ) {}

  take(bytes: Buffer): void {
    const chunk = this.cut ? Buffer.concat([this.cut, bytes]) : bytes
    this.cut = undefined
    let at = 0
    let passed = 0
    const pass = (end: number): void => {
      if (end > passed) this.to.other(chunk.subarray(passed, end))
      passed = end
    }
    while (at < chunk.length) {
      if (this.rest === 0) {
        if (at + headerLength > chunk.length) {
          pass(at)
          this.cut = chunk.subarray(at)
          return
        }
        const length = chunk.readUInt32BE(at + 1) + 1
        this.rest = length
        if (chunk[at] === dataRow && this.to.isWanted()) {
          pass(at)
          this.row = []
          this.rest = length - headerLength
          at += headerLength
          passed = at
        }
      }
      const end = Math.min(at + this.rest, chunk.length)
      this.rest -= end - at
      if (this.row) {
        if (end > at) this.row.push(chunk.subarray(at, end))
        passed = end
        if (this.rest === 0) {
          const fields = fieldsOf(this.row)
          this.row = undefined
          this.to.row(fields)
        }
      }
      at = end
    }
    pass(at)
  }
}

/** The columns of a row's message. */
function fieldsOf(pieces: readonly Buffer[]): ByteRow {
  const reader = new PieceReader(pieces)
  const fields: (Bytes | null)[] = []
  for (let left = reader.number(2); left > 0; left--) {
    const length = reader.number(4)
    fields.push(length === 0xffff_ffff ? null : reader.bytes(length))
  }
  return fields
}

class PieceReader {
  private piece = 0
  private at = 0

  constructor(private readonly pieces: readonly Buffer[]) {}

  number(size: 2 | 4): number {
    let value = 0
    for (let left = size as number; left > 0; left--) value = value * 256 + this.byte()
    return value
  }

  bytes(length: number): Buffer[] {
    const found: Buffer[] = []
    let left = length
    while (left > 0) {
      const piece = this.here()
      const taken = piece.subarray(this.at, this.at + left)
      found.push(taken)
      left -= taken.length
      this.at += taken.length
    }
    return found
  }

  private byte(): number {
    const piece = this.here()
    return piece[this.at++] as number
  }

  private here(): Buffer {
    let piece = this.pieces[this.piece]
    while (piece && this.at >= piece.length) {
      this.piece += 1
      this.at = 0
      piece = this.pieces[this.piece]
    }
    if (!piece) throw new Error('A row of PostgreSQL ends before its last column')
    return piece
  }
}
