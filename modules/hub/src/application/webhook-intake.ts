import { Injectable } from '@keel/framework'
import { type Cache, Caches } from '@keel/framework/caching'
import { OutboxHandler, type PublishedEvent } from '@keel/framework/events'
import { webhookEvents } from '../contracts/index.js'
import {
  type ActiveWebhook,
  type HappenedEvent,
  WebhookDeliveryStore,
  WebhookStore,
} from '../persistence/webhook-stores.js'

const all = 'all'

/** Writes a delivery for each webhook that an event is for, in the transaction of the event. Without webhooks it asks nothing of the database. */
@Injectable()
export class WebhookIntake {
  private readonly webhooks: Cache<readonly ActiveWebhook[]>

  constructor(
    caches: Caches,
    private readonly store: WebhookStore,
    private readonly deliveries: WebhookDeliveryStore,
  ) {
    const madeOf = { database: store.database, tables: ['HubWebhooks'] }
    this.webhooks = caches.of({ name: 'Hub.Webhooks', max: 1, madeOf })
  }

  /** The webhooks that get events; kept until one is changed. */
  active(): readonly ActiveWebhook[] | Promise<readonly ActiveWebhook[]> {
    return this.webhooks.getOrAdd(all, () => this.store.active())
  }

  @OutboxHandler(webhookEvents)
  note(events: readonly PublishedEvent[]): Promise<void> | undefined {
    const active = this.active()
    if (active instanceof Promise) return active.then((found) => this.write(events, found))
    return active.length ? this.write(events, active) : undefined
  }

  private async write(events: readonly PublishedEvent[], active: readonly ActiveWebhook[]): Promise<void> {
    const names = new Set(events.map(({ eventName }) => eventName))
    const wanting = active.filter(({ eventTypes }) => eventTypes.some((name) => names.has(name)))
    if (wanting.length === 0) return
    await this.deliveries.addOf(
      events.map(happenedEvent),
      wanting.map(({ id }) => id),
    )
  }
}

function happenedEvent({ eventName, data }: PublishedEvent): HappenedEvent {
  const { eventId, entityId, occurredAt } = JSON.parse(data) as Pick<
    HappenedEvent,
    'eventId' | 'entityId' | 'occurredAt'
  >
  return { eventType: eventName, eventId, entityId, occurredAt, data }
}
