import pg from 'pg'
import type { Statement, TextRow } from './connections.js'

/** pg's own query, with the handlers that its typings leave out. */
interface QueryInternals {
  handleRowDescription(message: unknown): void
  handleDataRow(message: { readonly fields: TextRow }): void
}
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
