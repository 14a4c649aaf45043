import type pg from 'pg'
import { executeMessage, textValues } from './frontend-messages.js'
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
  readonly keepsPlan: boolean

  constructor({ text, values, name, keepsPlan = false }: Statement) {
    super(text, values)
    if (name !== undefined) this.name = name
    this.keepsPlan = keepsPlan
  }

  override submit(connection: Wire): Error | null {
    const { name, text, values = [] } = this
    const isPrepared = name !== undefined && connection.parsedStatements[name] === text
    const texts = isPrepared ? textValues(values) : undefined
    if (!isPrepared || !texts) return super.submit(connection)
    if (connection.stream.writable) connection.stream.write(executeMessage(name, texts, true))
    return null
  }

  override prepare(connection: Wire): void {
    const oldest = this.name && !this.hasBeenParsed(connection) ? forgetOldest(connection) : undefined
    if (oldest !== undefined) connection.close({ type: 'S', name: oldest })
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

/** Takes the oldest statement from those that a connection has prepared when they are too many: the caller closes it. */
export function forgetOldest(connection: Wire): string | undefined {
  const names = Object.keys(connection.parsedStatements)
  const [oldest] = names
  if (oldest === undefined || names.length < mostPrepared) return undefined
  delete connection.parsedStatements[oldest]
  delete connection.submittedNamedStatements?.[oldest]
  return oldest
}
