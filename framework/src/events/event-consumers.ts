import type { AnyEvent } from '../contracts/events.js'
import { compileReader } from '../contracts/wire.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { StartupError } from '../modularity/startup-error.js'
import { type EventContext, handlersOf, isDistributed } from './event-handler.js'

/** Somebody in this process who handles a distributed event. */
export interface EventConsumer {
  /** `<module>.<class>.<method>`: what its inbox rows say. */
  readonly name: string
  readonly event: AnyEvent
  /** Where its module writes, and its inbox is. */
  readonly database: Database
  handle(event: object, context: EventContext): Promise<void>
}

/** The consumers of the modules of this process. */
@Injectable()
export class EventConsumers {
  readonly all: readonly EventConsumer[]
  private readonly byName: ReadonlyMap<string, EventConsumer>

  constructor(application: Application, databases: Databases) {
    this.all = application.services.flatMap(({ service, module: { name, options } }) =>
      handlersOf(service)
        .filter(isDistributed)
        .map(({ event, method }) => ({
          name: `${name}.${service.name}.${method}`,
          event,
          database: databases.named(options.database ?? 'Default'),
          handle: async (value: object, context: EventContext) => {
            type Handle = (event: object, context: EventContext) => Promise<void>
            await (application.get(service) as Record<string, Handle>)[method]?.(value, context)
          },
        })),
    )
    this.byName = new Map(this.all.map((consumer) => [consumer.name, consumer]))
    if (this.byName.size < this.all.length)
      throw new StartupError(
        'Two handlers of events have the same name: a method hears one distributed event, a module lists a class once.',
      )
  }

  named(name: string): EventConsumer | undefined {
    return this.byName.get(name)
  }

  /** Those of an event. */
  of(eventName: string): readonly EventConsumer[] {
    return this.all.filter(({ event }) => event.eventName === eventName)
  }

  /** The databases that have an inbox of this process. */
  get databases(): readonly Database[] {
    return [...new Set(this.all.map(({ database }) => database))]
  }
}

/** An event as its class promises it, out of the bytes that travelled. Throws when it does not fit. */
export function readEvent(type: AnyEvent, data: Buffer): object {
  const value = compileReader(type.schema)(JSON.parse(data.toString('utf8')))
  return new type(type.schema.parse(value))
}
