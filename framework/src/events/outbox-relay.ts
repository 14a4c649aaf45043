import type { Database } from '../data/connections/database.js'
import { inTransaction, tryAdvisoryLock } from '../data/wire/session.js'
import { sql } from '../data/wire/sql.js'
import { outboxTable } from './event-boxes.js'
import type { EventMetrics } from './event-metrics.js'
import { type EventMessage, type EventTransport, run } from './event-transport.js'

const batch = 200

interface OutboxRow {
  readonly id: string
  readonly eventName: string
  readonly data: Buffer
  readonly creationTime: string
  readonly properties: string
}

/**
 * Sends what is in the outbox of a database, in its order: one process at a time, so that nothing overtakes,
 * and whichever is there. What was sent is deleted in the same transaction; a process that dies in between
 * sends it again, and the inbox knows it.
 */
export async function relayOutbox(
  database: Database,
  transport: EventTransport,
  metrics?: EventMetrics,
): Promise<boolean> {
  const sent = await database.withConnection((session) =>
    inTransaction(session, async () => {
      if (!(await tryAdvisoryLock(session, `keel:${outboxTable}`))) return 0
      const rows = await run<OutboxRow>(
        session,
        sql`select "Id" as id, "EventName" as "eventName", "EventData" as data, "CreationTime"::text as "creationTime",
            "ExtraProperties" as properties
          from "AbpEventOutbox" order by "CreationTime", "Id" limit ${batch}`,
      )
      if (rows.length === 0) return 0
      await transport.send(database, session, rows.map(messageOf))
      await run(
        session,
        sql`delete from "AbpEventOutbox" where "Id" = any(${rows.map(({ id }) => id)}::uuid[])`,
      )
      return rows.length
    }),
  )
  if (sent) metrics?.dispatched(database, sent)
  return sent === batch
}

function messageOf({ properties, ...row }: OutboxRow): EventMessage {
  const {
    Key: key,
    'X-Correlation-Id': correlationId,
    traceparent,
    tracestate,
  } = JSON.parse(properties || '{}') as Record<string, string | undefined>
  return { ...row, key, correlationId, ...(traceparent && { trace: { traceparent, tracestate } }) }
}
