import type { z } from 'zod'
import type { AnyEvent, EventClass } from '../contracts/events.js'
import { isDistributedEvent } from '../contracts/events.js'
import { announcesNothing, changeChannel, changeNotice } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { StatementShape } from '../data/query/statement-shapes.js'
import { raw, sql, toStatement } from '../data/wire/sql.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { traceHeaders } from '../modularity/trace-header.js'
import { uniqueByName } from '../modularity/unique-names.js'
import { outboxTable } from './event-boxes.js'
import { outboxHandlersOf, type PublishedEvent } from './event-handler.js'

/** How an event is published. */
export interface PublishOptions {
  /**
   * Events of the same key reach each consumer in order; usually the subject's id. At most 128 characters.
   */
  readonly key?: string
}

type HearPublished = (events: readonly PublishedEvent[]) => Promise<void> | undefined

/** Publishes to other modules and processes after the unit of work commits; nothing when it rolls back. */
@Injectable()
export class DistributedEventBus {
  private readonly homes = new Map<string, Database>()
  private readonly hearers = new Map<string, HearPublished[]>()

  constructor(application: Application, databases: Databases) {
    const listed = application.modules.flatMap(({ name: module, options }) =>
      (options.events ?? []).map(({ eventName: name }) => ({ name, thing: options, module })),
    )
    const remedy = 'One module lists the events that it publishes; others only listen: keep one.'
    for (const [name, { database = 'Default' }] of uniqueByName('event', listed, remedy))
      this.homes.set(name, databases.named(database))
    for (const { service } of application.services) {
      let methods: Record<string, HearPublished> | undefined
      for (const { events, method } of outboxHandlersOf(service)) {
        const hear: HearPublished = (published) => {
          methods ??= application.get(service) as Record<string, HearPublished>
          return methods[method]?.(published)
        }
        for (const { eventName } of events)
          this.hearers.set(eventName, [...(this.hearers.get(eventName) ?? []), hear])
      }
    }
  }

  /**
   * Writes an event to the outbox of the module that lists its class in `events`, in the transaction of that
   * database. Throws when the event does not fit its shape.
   * @example await this.events.publish(new PortClosedEto({ portId, since }), { key: portId })
   */
  async publish(event: object, options: PublishOptions = {}): Promise<void> {
    const type = event.constructor
    if (!isDistributedEvent(type))
      throw new Error(`${type.name} is no distributed event: derive its class from EventDto(name, shape)`)
    await this.write(this.homeOf(type), type, event, options)
  }

  /**
   * Publishes many events of one class, each with its key, by one statement. For some thousand events, which are in memory.
   * @example await this.events.publishMany(PortClosedEto, ports.map(({ id }) => ({ key: id, event: { portId: id, since } })))
   */
  async publishMany<S extends z.ZodRawShape>(
    type: EventClass<S>,
    events: readonly { readonly key: string; readonly event: z.input<z.ZodObject<S>> }[],
  ): Promise<void> {
    const [first, ...others] = events
    if (!first) return
    const database = this.homeOf(type)
    if (others.length === 0) return this.write(database, type, first.event, { key: first.key })
    const rows = events.map(({ key, event }) => messageOf(type, event, { key }))
    await UnitOfWork.run(async () => {
      const statement = sql`
        with written as (
          insert into "AbpEventOutbox" ("Id", "ExtraProperties", "EventName", "EventData", "CreationTime")
          select id, properties, ${type.eventName}, convert_to(data, 'UTF8'), clock_timestamp() at time zone 'utc'
          from unnest(${rows.map(() => sequentialGuid())}::uuid[], ${rows.map(({ properties }) => properties)}::text[],
            ${rows.map(({ data }) => data)}::text[]) as e (id, properties, data))
        select ${changeNotice(outboxTable)} where ${raw(announcesNothing)}`
      await database.write(toStatement(statement))
      UnitOfWork.current?.changed(database, outboxTable)
      await this.tellHearers(
        type.eventName,
        rows.map(({ data }) => data),
      )
    })
  }

  /** The same to the outbox of the database whose row the event tells of. */
  async write(database: Database, type: AnyEvent, event: object, options: PublishOptions): Promise<void> {
    const { properties, data } = messageOf(type, event, options)
    await UnitOfWork.run(async () => {
      const values = [sequentialGuid(), properties, type.eventName, data, changeChannel, outboxTable]
      await database.write(insertEvent.statement(values))
      UnitOfWork.current?.changed(database, outboxTable)
      await this.tellHearers(type.eventName, [data])
    })
  }

  private async tellHearers(eventName: string, datas: readonly string[]): Promise<void> {
    for (const hear of this.hearers.get(eventName) ?? [])
      await hear(datas.map((data) => ({ eventName, data })))
  }

  private homeOf(type: AnyEvent): Database {
    const home = this.homes.get(type.eventName)
    if (!home)
      throw new Error(
        `${type.name} (${type.eventName}) is listed by no module of this host: add it to events of the module that publishes it`,
      )
    return home
  }
}

/**
 * Writes an event, and notifies those who send it. The database's clock orders what different processes write about the same thing: whoever
 * comes second waited for the first.
 */
const insertEvent = new StatementShape(`
  with written as (
    insert into "AbpEventOutbox" ("Id", "ExtraProperties", "EventName", "EventData", "CreationTime")
    values ($1, $2, $3, convert_to($4, 'UTF8'), clock_timestamp() at time zone 'utc'))
  select pg_notify($5, $6) where ${announcesNothing}`)

/** An event as the outbox keeps it. */
function messageOf(
  type: AnyEvent,
  event: object,
  { key }: PublishOptions,
): { readonly properties: string; readonly data: string } {
  if (key !== undefined && key.length > 128)
    throw new Error(`The key of ${type.eventName} has ${key.length} characters, 128 is the most`)
  const { correlationId } = ambient()
  const properties = JSON.stringify({
    ...(correlationId && { 'X-Correlation-Id': correlationId }),
    ...(key !== undefined && { Key: key }),
    ...traceHeaders(),
  })
  return { properties, data: JSON.stringify(type.schema.parse(event)) }
}
