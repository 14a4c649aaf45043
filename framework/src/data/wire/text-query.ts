import type pg from 'pg'
import { InternalQuery, type Wire } from './pg-internals.js'
import type { Statement, TextRow } from './statement.js'

/** Each takes memory in the server: the oldest of a connection makes room. */
const mostPrepared = 200

/**
 * A query whose rows stay what PostgreSQL sent, column by column: pg's, without looking up a parser for every column and running it over
 * every value; a statement that the connection has prepared already is sent as one piece.
 */
export class RawQuery<Row> extends InternalQuery {
  readonly rawRows: Row[] = []

  constructor({ text, values, name }: Statement) {
    super(text, values)
    if (name !== undefined) this.name = name
  }

  override submit(connection: Wire): Error | null {
    const { name, text, values = [] } = this
    const isPrepared = name !== undefined && connection.parsedStatements[name] === text
    const message = isPrepared ? executeMessage(name, values) : undefined
    if (!message) return super.submit(connection)
    if (connection.stream.writable) connection.stream.write(message)
    return null
  }

  override prepare(connection: Wire): void {
    if (this.name && !this.hasBeenParsed(connection)) forgetOldest(connection)
    super.prepare(connection)
  }

  override handleRowDescription(): void {}

  override handleCommandComplete(): void {}

  override handleDataRow({ fields }: { readonly fields: unknown }): void {
    this.rawRows.push(fields as Row)
  }
}

/** A query whose rows are PostgreSQL's own text. */
export class TextQuery extends RawQuery<TextRow> {
  /** Runs it on a client or a pool. */
  runOn(target: pg.ClientBase | pg.Pool): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      this.sendOn(target, (error, rows = []) => (error ? reject(error) : resolve(rows)))
    })
  }

  /** The same, told as soon as the rows are there. */
  sendOn(
    target: pg.ClientBase | pg.Pool,
    done: (error: Error | null | undefined, rows?: TextRow[]) => void,
  ): void {
    const told = (error: Error | null) => done(error, this.rawRows)
    ;(target.query as (query: pg.Submittable, done: (error: Error | null) => void) => void).call(
      target,
      this as unknown as pg.Submittable,
      told,
    )
  }
}

function forgetOldest(connection: Wire): void {
  const names = Object.keys(connection.parsedStatements)
  const [oldest] = names
  if (oldest === undefined || names.length < mostPrepared) return
  connection.close({ type: 'S', name: oldest })
  delete connection.parsedStatements[oldest]
  delete connection.submittedNamedStatements?.[oldest]
}

/** Execute without a limit of rows, and Sync. */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
/** The text format for all columns of the result. */
const asText = 0

/**
 * Bind, Execute and Sync of PostgreSQL's protocol for a prepared statement, in one message. The columns need no description: who reads them
 * knows them. Undefined where a value is none that its text stands for.
 */
function executeMessage(name: string, values: readonly unknown[]): Buffer | undefined {
  const texts: (string | null)[] = []
  let size = 1 + 4 + 1 + name.length + 1 + 2 + 2 + 2
  for (const value of values) {
    const text = textOf(value)
    if (text === undefined) return undefined
    texts.push(text)
    size += 4 + (text === null ? 0 : Buffer.byteLength(text))
  }
  const message = Buffer.allocUnsafe(size + executeAndSync.length)
  message[0] = 0x42
  message.writeInt32BE(size - 1, 1)
  message[5] = 0
  let at = 6 + message.write(name, 6, 'latin1')
  message[at] = 0
  at = message.writeInt16BE(0, at + 1)
  at = message.writeInt16BE(texts.length, at)
  for (const text of texts) {
    const length = text === null ? -1 : message.write(text, at + 4)
    message.writeInt32BE(length, at)
    at += 4 + Math.max(length, 0)
  }
  at = message.writeInt16BE(asText, at)
  executeAndSync.copy(message, at)
  return message
}

function textOf(value: unknown): string | null | undefined {
  if (typeof value === 'string' || value === null) return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
