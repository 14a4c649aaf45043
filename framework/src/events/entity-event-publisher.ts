import {
  type AnyEvent,
  type EntityEventKind,
  entitiesWritten,
  entityCreated,
  entityDeleted,
  entityUpdated,
  isDistributedEvent,
} from '../contracts/events.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import type { EntityEventSink, WrittenBatch, WrittenRow } from '../data/connections/entity-event-sink.js'
import { type EntityClass, entityMeta } from '../data/entities/entity.js'
import { hasRaised, takeRaised } from '../data/entities/raised-events.js'
import { Injectable } from '../modularity/injectable.js'
import { DistributedEventBus } from './distributed-event-bus.js'
import { localEntityEvent } from './event-handler.js'
import { LocalEventBus } from './local-event-bus.js'

const eventOf = { Created: entityCreated, Updated: entityUpdated, Deleted: entityDeleted } as const

/**
 * Publishes writes of stores, for entities with a listener or with `events`, and events that aggregates
 * raise.
 */
@Injectable()
export class EntityEventPublisher implements EntityEventSink {
  constructor(
    private readonly local: LocalEventBus,
    private readonly distributed: DistributedEventBus,
    databases: Databases,
  ) {
    databases.entityEvents = this
  }

  written(change: WrittenRow): Promise<void> | undefined {
    const { kind, entity, row } = change
    return this.hears(entity, kind) || hasRaised(row) ? this.publish(change) : undefined
  }

  hears(entity: EntityClass, kind: EntityEventKind): boolean {
    return this.local.isHeard(localEntityEvent(entity, kind)) || entityMeta(entity).events !== undefined
  }

  async writtenMany({ kind, count, entity, database }: WrittenBatch): Promise<void> {
    await this.local.publishAs(localEntityEvent(entity, 'Batch'), { kind, count })
    const eto = entityMeta(entity).events
    if (eto) await this.distributed.write(database, entitiesWritten(eto), { kind, count }, {})
  }

  raised(row: object, database: Database): Promise<void> | undefined {
    return hasRaised(row) ? this.publishRaised(row, database) : undefined
  }

  private async publish({ kind, entity, row, database }: WrittenRow): Promise<void> {
    await this.local.publishAs(localEntityEvent(entity, kind), { entity: row })
    const eto = entityMeta(entity).events
    if (eto) {
      const event: AnyEvent = eventOf[kind](eto)
      await this.distributed.write(database, event, { entity: shownBy(eto.shape, row) }, { key: idOf(row) })
    }
    await this.publishRaised(row, database)
  }

  private async publishRaised(row: object, database: Database): Promise<void> {
    for (const event of takeRaised(row)) {
      const type = event.constructor
      if (isDistributedEvent(type)) await this.distributed.write(database, type, event, { key: idOf(row) })
      else await this.local.publish(event)
    }
  }
}

const idOf = (row: object): string => String((row as { id?: unknown }).id)

/** The members of a row that its events show. */
function shownBy(shape: object, row: object): object {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, (row as Record<string, unknown>)[name]]))
}
