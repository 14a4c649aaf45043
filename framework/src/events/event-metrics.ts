import type { Database } from '../data/connections/database.js'
import { sql } from '../data/wire/sql.js'
import type { Telemetry } from '../telemetry/telemetry.js'

interface BoxCounts {
  readonly pending: number
  readonly discarded: number
  /** Seconds. */
  readonly oldest: number | null
}

/** How a handler's attempt at an event ended. */
export type EventOutcome = 'handled' | 'failed' | 'discarded'

/** Measures the outboxes and inboxes of a host, and what this process does with them. */
export class EventMetrics {
  private readonly dispatches
  private readonly durations

  constructor({ meter }: Telemetry, outboxes: readonly Database[], inboxes: readonly Database[]) {
    this.dispatches = meter.createCounter('keel.outbox.dispatched', {
      description: 'Events that this process sent.',
    })
    this.durations = meter.createHistogram('keel.inbox.duration', {
      unit: 's',
      description: 'Duration of attempts at events by their outcome.',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30] },
    })
    const gauge = (name: string, description: string, unit?: string) =>
      meter.createObservableGauge(name, { description, ...(unit && { unit }) })
    const outbox = {
      pending: gauge('keel.outbox.pending', 'Events that wait to be sent.'),
      oldest: gauge(
        'keel.outbox.oldest',
        'Age of the event that waits to be sent for the longest time.',
        's',
      ),
    }
    const inbox = {
      pending: gauge('keel.inbox.pending', 'Events that wait to be handled.'),
      oldest: gauge(
        'keel.inbox.oldest',
        'Age of the event that waits to be handled for the longest time.',
        's',
      ),
      discarded: gauge('keel.inbox.dead_letters', 'Events that were given up.'),
    }
    meter.addBatchObservableCallback(
      async (result) => {
        const at = ({ name }: Database) => ({ 'keel.database': name })
        await Promise.all([
          ...outboxes.map(async (database) => {
            const counts = await inOutbox(database)
            if (!counts) return
            result.observe(outbox.pending, counts.pending, at(database))
            result.observe(outbox.oldest, counts.oldest ?? 0, at(database))
          }),
          ...inboxes.map(async (database) => {
            const counts = await inInbox(database)
            if (!counts) return
            result.observe(inbox.pending, counts.pending, at(database))
            result.observe(inbox.oldest, counts.oldest ?? 0, at(database))
            result.observe(inbox.discarded, counts.discarded, at(database))
          }),
        ])
      },
      [...Object.values(outbox), ...Object.values(inbox)],
    )
  }

  dispatched({ name }: Database, count: number): void {
    this.dispatches.add(count, { 'keel.database': name })
  }

  /** An attempt begins. The answer is called when it is over. */
  begin(consumer: string): (outcome: EventOutcome) => void {
    const before = performance.now()
    return (outcome) =>
      this.durations.record((performance.now() - before) / 1000, {
        'keel.event.consumer': consumer,
        'keel.event.outcome': outcome,
      })
  }
}

/** Undefined while the database is away: all other metrics are reported. */
async function inOutbox(database: Database): Promise<BoxCounts | undefined> {
  const [counts] = await database
    .query<BoxCounts>(
      sql`select count(*)::int as pending, 0 as discarded,
          extract(epoch from (now() at time zone 'utc') - min("CreationTime"))::float8 as oldest from "AbpEventOutbox"`,
    )
    .catch(() => [])
  return counts
}

async function inInbox(database: Database): Promise<BoxCounts | undefined> {
  const [counts] = await database
    .query<BoxCounts>(sql`
      select count(*) filter (where "Status" = 0)::int as pending, count(*) filter (where "Status" = 1)::int as discarded,
        extract(epoch from (now() at time zone 'utc') - min("CreationTime") filter (where "Status" = 0))::float8 as oldest
      from "AbpEventInbox" where "Status" in (0, 1)`)
    .catch(() => [])
  return counts
}
