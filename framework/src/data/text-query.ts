import pg from 'pg'
import type { Statement, TextRow } from './connections.js'

/** pg's own query, with the handlers that its typings leave out. */
interface QueryInternals {
  readonly name?: string
  hasBeenParsed(connection: StatementConnection): boolean
  prepare(connection: StatementConnection): void
  handleRowDescription(message: unknown): void
  handleDataRow(message: { readonly fields: TextRow }): void
}
/** What pg knows of the statements that a connection has prepared, in the order in which it did. */
interface StatementConnection {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements?: Record<string, string>
  close(what: { readonly type: 'S'; readonly name: string }): void
}

/** Each takes memory in the server: the oldest of a connection makes room. */
const mostPrepared = 200

const Query = pg.Query as unknown as new (config: object) => QueryInternals & pg.Submittable

/**
 * A query whose rows stay what PostgreSQL sent, column by column: pg's, without looking up a parser for every column and running it over
 * every value.
 */
export class TextQuery extends Query {
  readonly textRows: TextRow[] = []

  constructor({ text, values, name }: Statement) {
    super({ text, values: [...values], name, rowMode: 'array' })
  }

  override prepare(connection: StatementConnection): void {
    if (this.name && !this.hasBeenParsed(connection)) forgetOldest(connection)
    super.prepare(connection)
  }

  override handleRowDescription(): void {}

  override handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.textRows.push(fields)
  }

  /** Runs it on a client or a pool. */
  runOn(target: pg.ClientBase | pg.Pool): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null) => (error ? reject(error) : resolve(this.textRows))
      ;(target.query as (query: pg.Submittable, done: (error: Error | null) => void) => void).call(
        target,
        this,
        done,
      )
    })
  }
}

function forgetOldest(connection: StatementConnection): void {
  const names = Object.keys(connection.parsedStatements)
  const [oldest] = names
  if (oldest === undefined || names.length < mostPrepared) return
  connection.close({ type: 'S', name: oldest })
  delete connection.parsedStatements[oldest]
  delete connection.submittedNamedStatements?.[oldest]
}
