import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'

/**
 * The members of pg that its typings leave out and that we call, override or read. No other file names them; `pg-internals.test.ts` fails when an
 * upgrade of pg moves one.
 */
export interface ClientInternals extends pg.Client {
  /** The process of the server, as the server told it. */
  readonly processID: number
  readonly readyForQuery: boolean
  readonly _queryQueue: readonly QueuedQuery[]
  getStartupConf(): Record<string, string>
  _pulseQueryQueue(): void
  _handleParseComplete(): void
  _handleCommandComplete(message: unknown): void
  _handleReadyForQuery(message: unknown): void
  _handleErrorMessage(message: RefusalMessage): void
  _getActiveQuery(): ActiveQuery | null | undefined
}

/** A query that pg is about to send. */
export interface QueuedQuery {
  name?: string | undefined
  requiresPreparation?(): boolean
  /** Instead of a name, on our own queries of several statements. */
  withoutNames?(): void
  /** On our own queries: see `Statement`. */
  readonly keepsPlan?: boolean
}

/** The query whose answer comes in. */
export interface ActiveQuery {
  readonly text?: string | undefined
  /** Instead of pg's own handling, on our own queries of several statements. */
  handleParseComplete?(connection: Wire): void
}

/** PostgreSQL's message of an error. */
export interface RefusalMessage {
  position?: string
  statement?: string | undefined
}

/** A client's connection: it writes PostgreSQL's messages and reads them. */
export interface Wire {
  readonly stream: Socket
  /** The statements that the connection has prepared, in the order in which it did. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements?: Record<string, string>
  query(text: string): void
  parse(statement: { text: string }): void
  bind(values: object): void
  execute(portal: object): void
  close(what: { readonly type: 'S'; readonly name: string }): void
  endCopyFrom(): void
  attachListeners(stream: EventEmitter): void
  emit(event: 'dataRow', message: { readonly fields: unknown }): void
}

/** A query with the handlers that pg calls. */
export interface QueryInternals {
  name?: string
  readonly text: string
  readonly values?: readonly unknown[]
  hasBeenParsed(connection: Wire): boolean
  prepare(connection: Wire): void
  submit(connection: Wire): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: { readonly fields: unknown }): void
  handleCommandComplete(message: unknown): void
  handleCopyInResponse(connection: Wire): void
}

/** pg's client as a class to extend. */
export const InternalClient = pg.Client as unknown as new (
  config?: string | pg.ClientConfig,
) => ClientInternals

/** pg's query as a class to extend. */
export const InternalQuery = pg.Query as unknown as new (
  text: string,
  /** Values, or the callback for the end. */
  rest: readonly unknown[] | ((error: Error | null) => void),
) => QueryInternals

/** The connection of a client. */
export function wireOf(client: pg.ClientBase): Wire {
  return (client as unknown as { readonly connection: Wire }).connection
}

/** Ends a connection at once. A server that does not answer a statement does not answer a farewell either, and what it says later is unexpected. */
export function cutConnection(client: pg.ClientBase): void {
  wireOf(client).stream.destroy()
}
