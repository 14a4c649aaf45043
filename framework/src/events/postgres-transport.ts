import { UnavailableError } from '../contracts/errors.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { type DatabaseSession, inTransaction } from '../data/wire/session.js'
import { sql } from '../data/wire/sql.js'
import { isTableMissing } from '../data/wire/unavailable.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { EventConsumers } from './event-consumers.js'
import { type Delivery, type EventMessage, EventTransport, putIntoInbox, run } from './event-transport.js'

const refreshMs = 6 * 3600_000
const retryMs = 2000

/**
 * The transport of a system that has PostgreSQL alone: the relay puts events into the inboxes itself. Who
 * wants what stands in each database that has an outbox, so that consumers of other processes are known while
 * these don't run.
 */
@Injectable()
export class PostgresTransport implements EventTransport {
  readonly problem = undefined
  private readonly timers = new Map<Database, NodeJS.Timeout>()
  private isStopped = false

  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
    private readonly consumers: EventConsumers,
  ) {}

  async start(): Promise<void> {
    await Promise.all(this.databases.all.map((source) => this.keepSubscribed(source)))
  }

  async stop(): Promise<void> {
    this.isStopped = true
    for (const timer of this.timers.values()) clearTimeout(timer)
  }

  /**
   * Subscribes at a database, now and again. One that is away, or has no tables yet, is asked again soon: the
   * host works without it as far as it can, and its health tells.
   */
  private async keepSubscribed(source: Database): Promise<void> {
    let pauseMs = refreshMs
    try {
      await this.subscribe(source)
    } catch (error) {
      if (!(error instanceof UnavailableError) && !isTableMissing(error)) throw error
      this.application.logger.warn(
        { err: error, database: source.name },
        'subscriptions to events wait for their database',
      )
      pauseMs = retryMs
    }
    if (this.isStopped) return
    const again = (): void =>
      void this.keepSubscribed(source).catch((error) =>
        this.application.logger.error(
          { err: error, database: source.name },
          'subscriptions to events were not refreshed',
        ),
      )
    this.timers.set(source, setTimeout(again, pauseMs).unref())
  }

  async send(source: Database, session: DatabaseSession, messages: readonly EventMessage[]): Promise<void> {
    const names = [...new Set(messages.map(({ eventName }) => eventName))]
    const subscriptions = await run<{ eventName: string; consumer: string; database: string }>(
      session,
      sql`select "EventName" as "eventName", "Consumer" as consumer, "Database" as database from "AppEventSubscriptions"
        where "EventName" = any(${names}) and "SeenTime" > (now() at time zone 'utc') - interval '30 days' order by "Consumer"`,
    )
    const inboxes = new Map<Database, Delivery[]>()
    for (const message of messages) {
      for (const { eventName, consumer, database } of subscriptions) {
        if (eventName !== message.eventName) continue
        const target = this.reachable(database, consumer)
        inboxes.set(target, [...(inboxes.get(target) ?? []), { message, consumer }])
      }
    }
    for (const [target, deliveries] of inboxes) {
      if (target === source) await putIntoInbox(session, deliveries)
      else await target.withConnection((other) => inTransaction(other, () => putIntoInbox(other, deliveries)))
    }
  }

  private reachable(database: string, consumer: string): Database {
    const found = this.databases.all.find(({ name }) => name === database)
    if (!found)
      throw new Error(
        `${consumer} has its inbox in the database ${database}, which this host does not use: give it ConnectionStrings:${database} and a module on it, switch Events:IsDeliveryEnabled off here, or use RabbitMQ`,
      )
    return found
  }

  /** Writes down who in this process wants what, and forgets those that it does not have any more. */
  private async subscribe(source: Database): Promise<void> {
    const { all } = this.consumers
    const host = this.application.name
    const names = all.map(({ name }) => name)
    await source.execute(sql`
      insert into "AppEventSubscriptions" ("Id", "EventName", "Consumer", "Database", "Host", "SeenTime")
      select t.*, ${host}, now() at time zone 'utc'
      from unnest(${all.map(() => sequentialGuid())}::uuid[], ${all.map(({ event }) => event.eventName)}::text[], ${names}::text[],
        ${all.map(({ database }) => database.name)}::text[]) t
      on conflict ("EventName", "Consumer") do update set "Database" = excluded."Database", "Host" = excluded."Host", "SeenTime" = excluded."SeenTime"`)
    await source.execute(
      sql`delete from "AppEventSubscriptions" where "Host" = ${host} and not "Consumer" = any(${names})`,
    )
  }
}
