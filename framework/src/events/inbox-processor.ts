import { randomUUID } from 'node:crypto'
import type { Database } from '../data/connections/database.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { sql } from '../data/wire/sql.js'
import { withAmbient } from '../modularity/ambient.js'
import { type Logger, maskSecrets } from '../modularity/logging.js'
import { system } from '../modularity/principal.js'
import { contextOf, traceIdOf } from '../modularity/trace-header.js'
import type { Telemetry } from '../telemetry/telemetry.js'
import { type EventConsumers, readEvent } from './event-consumers.js'
import type { EventMetrics, EventOutcome } from './event-metrics.js'

const longestRetryMs = 600_000
const longestError = 1000

interface InboxRow {
  readonly id: string
  readonly messageId: string
  readonly eventName: string
  readonly data: Buffer
  readonly creationTime: Date
  readonly retryCount: number
  readonly consumer: string
  readonly properties: string
}

/** How failures are met. */
export interface RetryOptions {
  readonly maxRetries: number
  readonly firstRetryMs: number
}

class HandlerFailed extends Error {
  constructor(
    readonly row: InboxRow,
    cause: unknown,
  ) {
    super('a handler of an event failed', { cause })
  }
}

/** Handles the events in a database's inbox one after the other. Any number of processors may run at once. */
export class InboxProcessor {
  private readonly names: readonly string[]
  /** Rows whose failure is being written down: they are free already, and not due again yet. */
  private readonly failing = new Set<string>()

  constructor(
    private readonly database: Database,
    private readonly consumers: EventConsumers,
    private readonly options: RetryOptions,
    private readonly logger: Logger,
    private readonly telemetry: Telemetry | undefined,
    private readonly metrics: EventMetrics | undefined,
  ) {
    this.names = consumers.all.filter((consumer) => consumer.database === database).map(({ name }) => name)
  }

  /**
   * Handles the next event. Its row is marked in the transaction of what the handler writes, so both are
   * there or neither; others pass the row by while it is locked. Answers false when there is nothing to do.
   */
  async handleNext(): Promise<boolean> {
    let ended: ((outcome: EventOutcome) => void) | undefined
    try {
      const isMore = await UnitOfWork.run(async () => {
        const row = await this.claim()
        if (!row) return false
        // It failed elsewhere in this process after we had asked, and is free until that is written down.
        if (this.failing.has(row.id)) return true
        ended = this.metrics?.begin(row.consumer)
        await this.handle(row).catch((error: unknown) => {
          this.failing.add(row.id)
          throw new HandlerFailed(row, error)
        })
        await this.database.execute(sql`
          update "AbpEventInbox" set "Status" = 2, "HandledTime" = now() at time zone 'utc', "EventData" = '', "LastError" = null
          where "Id" = ${row.id}`)
        return true
      })
      ended?.('handled')
      return isMore
    } catch (error) {
      if (!(error instanceof HandlerFailed)) throw error
      ended?.(this.isLast(error.row) ? 'discarded' : 'failed')
      await this.failed(error.row, error.cause as Error).finally(() => this.failing.delete(error.row.id))
      return true
    }
  }

  /** The oldest event that is due, unless an older one of the same key and consumer still waits. */
  private async claim(): Promise<InboxRow | undefined> {
    const [row] = await this.database.query<InboxRow>(sql`
      select i."Id" as id, i."MessageId" as "messageId", i."EventName" as "eventName", i."EventData" as data,
        i."CreationTime" as "creationTime", i."RetryCount" as "retryCount", i."Consumer" as consumer, i."ExtraProperties" as properties
      from "AbpEventInbox" i
      where i."Status" = 0 and i."Consumer" = any(${this.names}) and i."Id" <> all(${[...this.failing]}::uuid[])
        and (i."NextRetryTime" is null or i."NextRetryTime" <= now() at time zone 'utc')
        and (i."OrderKey" is null or not exists (
          select from "AbpEventInbox" e where e."Status" = 0 and e."Consumer" = i."Consumer" and e."OrderKey" = i."OrderKey"
            and (e."CreationTime", e."Id") < (i."CreationTime", i."Id")))
      order by i."CreationTime", i."Id" limit 1 for update of i skip locked`)
    return row
  }

  private async handle(row: InboxRow): Promise<void> {
    const consumer = this.consumers.named(row.consumer)
    if (!consumer) throw new Error(`${row.consumer} is not in this host`)
    const properties = propertiesOf(row)
    const correlationId = properties['X-Correlation-Id'] ?? randomUUID().replaceAll('-', '')
    const context = {
      messageId: row.messageId,
      correlationId,
      occurredAt: row.creationTime,
      attempt: row.retryCount + 1,
    }
    const attributes = {
      'messaging.message.id': row.messageId,
      'keel.event.consumer': row.consumer,
      'keel.event.attempt': context.attempt,
    }
    const work = () => consumer.handle(readEvent(consumer.event, row.data), context)
    await withAmbient({ correlationId, principal: system, culture: 'en' }, () =>
      this.telemetry
        ? this.telemetry.within(`event ${row.eventName}`, { attributes, parent: contextOf(properties) }, work)
        : work(),
    )
  }

  private isLast({ retryCount }: InboxRow): boolean {
    return retryCount >= this.options.maxRetries
  }

  private async failed(row: InboxRow, error: Error): Promise<void> {
    const { firstRetryMs } = this.options
    const isDead = this.isLast(row)
    const pauseMs = Math.min(firstRetryMs * 2 ** Math.min(row.retryCount, 30), longestRetryMs)
    const told = maskSecrets(String(error?.message ?? error)).slice(0, longestError)
    const traceId = traceIdOf(propertiesOf(row))
    const values = {
      consumer: row.consumer,
      event: row.eventName,
      messageId: row.messageId,
      attempt: row.retryCount + 1,
      ...(traceId && { traceId }),
    }
    if (isDead)
      this.logger.error({ err: error, ...values }, 'event discarded: its handler failed for the last time')
    else
      this.logger.warn(
        { err: error, ...values, pauseMs },
        'the handler of an event failed, it will be tried again',
      )
    // Somebody else may have had a go since the row was unlocked: one failure is counted once.
    await this.database.execute(sql`
      update "AbpEventInbox" set "RetryCount" = "RetryCount" + 1, "LastError" = ${told}, "Status" = ${isDead ? 1 : 0},
        "HandledTime" = case when ${isDead} then now() at time zone 'utc' end,
        "NextRetryTime" = (now() at time zone 'utc') + make_interval(secs => ${pauseMs / 1000}::float8)
      where "Id" = ${row.id} and "Status" = 0 and "RetryCount" = ${row.retryCount}`)
  }
}

/** The properties stored with an event: where it came from. */
const propertiesOf = ({ properties }: InboxRow): Record<string, string | undefined> =>
  JSON.parse(properties || '{}') as Record<string, string | undefined>
