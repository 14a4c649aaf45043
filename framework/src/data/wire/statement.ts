/** A statement ready to be sent. With a name it is prepared once per connection. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /**
   * True for a named statement that PostgreSQL plans once per connection, whatever its values are. It has no effect inside a transaction, and
   * where statements are not prepared.
   */
  readonly keepsPlan?: boolean
}

/** A row as PostgreSQL writes it, column by column. */
export type TextRow = readonly (string | null)[]

/** Sees the statements of a database. */
export interface StatementObserver {
  /** Runs a statement, and may look at how it went. */
  around<T>(text: string, run: () => Promise<T>): Promise<T>
  /** Hears of a statement that has been run. */
  took(text: string, ms: number): void
}
