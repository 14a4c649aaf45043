import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { Application } from '../modularity/application.js'
import type { Class } from '../modularity/class.js'
import { Injectable } from '../modularity/injectable.js'
import { handlersOf, isDistributed } from './event-handler.js'

type Handle = (event: object) => Promise<void>

/** Tells handlers in this process, at once and in the transaction at hand. */
@Injectable()
export class LocalEventBus {
  private readonly handlers = new Map<Class, Handle[]>()

  constructor(application: Application) {
    for (const { service } of application.services) {
      for (const handler of handlersOf(service)) {
        if (isDistributed(handler)) continue
        const handle: Handle = (event) =>
          (application.get(service) as Record<string, Handle>)[handler.method]?.(event) ?? Promise.resolve()
        this.handlers.set(handler.event, [...(this.handlers.get(handler.event) ?? []), handle])
      }
    }
  }

  /** True when a handler of the event class exists. */
  isHeard(event: Class): boolean {
    return this.handlers.has(event)
  }

  /**
   * Tells every handler of the event's class, one after the other, inside the unit of work at hand or one of
   * its own. The first one that throws ends it, and with it the unit of work.
   */
  async publish(event: object): Promise<void> {
    await this.publishAs(event.constructor as Class, event)
  }

  /** The same for an event that is known by another class than its own. */
  async publishAs(type: Class, event: object): Promise<void> {
    const handlers = this.handlers.get(type)
    if (!handlers) return
    await UnitOfWork.run(async () => {
      for (const handle of handlers) await handle(event)
    })
  }
}
