import { changeNotice } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { sequentialGuid } from '../data/entities/guid.js'
import type { DatabaseSession } from '../data/wire/session.js'
import { type Sql, sql, toStatement } from '../data/wire/sql.js'
import { inboxTable } from './event-boxes.js'

/** An event on its way. */
export interface EventMessage {
  /** A GUID. */
  readonly id: string
  readonly eventName: string
  /** JSON in UTF-8. */
  readonly data: Buffer
  /** When it was written, as PostgreSQL writes a time of UTC: to the microsecond. */
  readonly creationTime: string
  readonly correlationId?: string | undefined
  /** Events of one key keep their order. */
  readonly key?: string | undefined
  /** The trace that it belongs to, as the headers of W3C Trace Context. */
  readonly trace?: TraceHeaders | undefined
}

/** The headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** An event for one consumer. */
export interface Delivery {
  readonly message: EventMessage
  readonly consumer: string
}

/** Brings what is in an outbox to the inboxes of its consumers. */
export abstract class EventTransport {
  /** How it is going, for the health check; undefined when all is well. */
  abstract get problem(): string | undefined
  /** Starts to take in what comes for this process. */
  abstract start(): Promise<void>
  /**
   * Sends an outbox batch in order; the relay deletes it afterwards. `session`: the transaction that reads
   * it.
   */
  abstract send(source: Database, session: DatabaseSession, messages: readonly EventMessage[]): Promise<void>
  abstract stop(): Promise<void>
}

/** Puts events into the inbox of a database; one that is there already stays as it is. */
export async function putIntoInbox(session: DatabaseSession, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const messages = deliveries.map(({ message }) => message)
  await run(
    session,
    sql`
    insert into "AbpEventInbox" ("Id", "ExtraProperties", "MessageId", "EventName", "EventData", "CreationTime", "Status", "RetryCount",
      "Consumer", "OrderKey")
    select "Id", "ExtraProperties", "MessageId", "EventName", "EventData", "CreationTime", 0, 0, "Consumer", "OrderKey"
    from unnest(${deliveries.map(() => sequentialGuid())}::uuid[], ${messages.map(propertiesOf)}::text[], ${messages.map(({ id }) => id)}::text[],
      ${messages.map(({ eventName }) => eventName)}::text[], ${messages.map(({ data }) => data)}::bytea[],
      ${messages.map(({ creationTime }) => creationTime)}::timestamp[], ${deliveries.map(({ consumer }) => consumer)}::text[],
      ${messages.map(({ key }) => key ?? null)}::text[])
      as t("Id", "ExtraProperties", "MessageId", "EventName", "EventData", "CreationTime", "Consumer", "OrderKey")
    on conflict ("MessageId", "Consumer") do nothing`,
  )
  await run(session, sql`select ${changeNotice(inboxTable)}`)
}

const propertiesOf = ({ correlationId, trace }: EventMessage): string =>
  JSON.stringify({ ...(correlationId && { 'X-Correlation-Id': correlationId }), ...trace })

/** Runs a statement on a session. */
export async function run<R extends object>(session: DatabaseSession, statement: Sql): Promise<R[]> {
  const { text, values } = toStatement(statement)
  return (await session.query(text, values)).rows as R[]
}
