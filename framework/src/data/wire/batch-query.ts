import type pg from 'pg'
import { closeMessage, executeMessage, parseMessage, textValues } from './frontend-messages.js'
import type { Wire } from './pg-internals.js'
import type { Statement, TextRow } from './statement.js'
import { forgetOldest } from './text-query.js'

/** An error of one of the statements of a {@link BatchQuery}. */
export class BatchError extends Error {
  constructor(
    /** The place of the statement in the batch. */
    readonly place: number,
    override readonly cause: Error,
  ) {
    super(cause.message)
  }
}

/** True for a statement that may be part of a {@link BatchQuery}: every value has a text. */
export function mayBeBatched({ values }: Statement): boolean {
  return textValues(values) !== undefined
}

/**
 * Statements that go to PostgreSQL as one message. They run in their order. The first one that fails ends the batch: PostgreSQL skips those after
 * it. The rows of the last one are its result. For connections inside a transaction, or that begin one with the next statement: outside of one PostgreSQL
 * makes the batch a transaction.
 */
export class BatchQuery {
  /** Set by pg. */
  callback: ((error: Error | null) => void) | undefined
  private isNamed = true
  private answered = 0
  /** Statements whose Parse has not been answered. */
  private readonly parsing: Statement[] = []
  private readonly rows: TextRow[] = []

  /** @param statements of which each {@link mayBeBatched} */
  constructor(private readonly statements: readonly Statement[]) {}

  /** The text of the statement that is being answered. */
  get text(): string | undefined {
    return this.statements[this.answered]?.text
  }

  /** Runs it on a client. {@link BatchError} when a statement fails. */
  runOn(target: pg.ClientBase): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null) =>
        error ? reject(new BatchError(this.answered, error)) : resolve(this.rows)
      ;(target.query as (query: pg.Submittable, done: (error: Error | null) => void) => void).call(
        target,
        this as unknown as pg.Submittable,
        done,
      )
    })
  }

  /** Prepares nothing that outlives the batch: for sessions that serve other clients too. */
  withoutNames(): void {
    this.isNamed = false
  }

  requiresPreparation(): boolean {
    return true
  }

  submit(connection: Wire): Error | null {
    const messages = this.statements.flatMap((statement, index) => {
      const name = (this.isNamed && statement.name) || ''
      const texts = textValues(statement.values) ?? []
      return [
        ...this.prepare(connection, name, statement),
        executeMessage(name, texts, index === this.statements.length - 1),
      ]
    })
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages))
    return null
  }

  /** The messages that have a connection know a statement; none where it does. */
  private prepare(connection: Wire, name: string, { text, values }: Statement): Buffer[] {
    const isKnown =
      name !== '' &&
      (connection.parsedStatements[name] === text || this.parsing.some((other) => other.name === name))
    if (isKnown) return []
    this.parsing.push({ text, values, name })
    const oldest = name === '' ? undefined : forgetOldest(connection)
    return [...(oldest === undefined ? [] : [closeMessage(oldest)]), parseMessage(name, text)]
  }

  handleParseComplete(connection: Wire): void {
    const { name = '', text = '' } = this.parsing.shift() ?? {}
    if (name !== '') connection.parsedStatements[name] = text
  }

  handleDataRow({ fields }: { readonly fields: unknown }): void {
    if (this.answered === this.statements.length - 1) this.rows.push(fields as TextRow)
  }

  handleCommandComplete(): void {
    this.answered += 1
  }

  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }
}
