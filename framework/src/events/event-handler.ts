import type { AnyEvent, EntityEventKind } from '../contracts/events.js'
import { isDistributedEvent } from '../contracts/events.js'
import type { EntityClass } from '../data/entities/entity.js'
import type { Class, Constructor } from '../modularity/class.js'

/** Facts about the delivery that a handler of a distributed event gets beside the event. */
export interface EventContext {
  /** Of the message; the same whenever this event comes again. */
  readonly messageId: string
  /** Joins everything that one request causes. */
  readonly correlationId: string
  /** When it was published. */
  readonly occurredAt: Date
  /** 1 at the first time, more after failures. */
  readonly attempt: number
}

/** A method that hears an event. */
export interface HandlerMethod {
  readonly event: Class
  readonly method: string
}

const handlers = new WeakMap<object, HandlerMethod[]>()

/**
 * Makes a method hear an event; on a class, its method `handle`. The class stands in `services` of a module.
 *
 * A distributed event (`EventDto`, `entityCreated(Eto)` and its like) is handled exactly once, after it was
 * committed, in a transaction of its own on the database of the handler's module; a failure is tried again.
 * An event of any other class, and what happens to an entity ({@link EntityCreated} and its like), is handled
 * at once in the transaction of whoever published it; a failure undoes that one.
 * @example
 * @EventHandler(entityDeleted(UserEto)) async forget({ entity }: EntityEvent<UserEto>, { attempt }:
 * EventContext): Promise<void> { … }
 */
export function EventHandler(event: Class) {
  return (target: object, method?: string): void => {
    const owner = method === undefined ? target : target.constructor
    handlers.set(owner, [...(handlers.get(owner) ?? []), { event, method: method ?? 'handle' }])
  }
}

/** The events that a service hears. */
export function handlersOf(service: Constructor): readonly HandlerMethod[] {
  return handlers.get(service) ?? []
}

/** True when a handler's event may come from other processes. */
export function isDistributed(
  handler: HandlerMethod,
): handler is HandlerMethod & { readonly event: AnyEvent } {
  return isDistributedEvent(handler.event)
}

/** An event as it is published. */
export interface PublishedEvent {
  readonly eventName: string
  /** Its members as JSON. */
  readonly data: string
}

/** A method that hears events as they are published. */
export interface OutboxHandlerMethod {
  readonly events: readonly AnyEvent[]
  readonly method: string
}

const outboxHandlers = new WeakMap<object, OutboxHandlerMethod[]>()

/**
 * Makes a method hear distributed events while they are published, in the transaction that writes them to the outbox: for what has to be written
 * together with an event, exactly once. It gets the events of one call of the bus, of the classes that it names. It runs in the process
 * that publishes, as its caller; what it throws undoes the unit of work. Undefined is the answer when there is nothing to do.
 * @example @OutboxHandler(shipmentEvents) note(events: readonly PublishedEvent[]): Promise<void> | undefined { … }
 */
export function OutboxHandler(events: readonly AnyEvent[]) {
  return (prototype: object, method: string): void => {
    const owner = prototype.constructor
    outboxHandlers.set(owner, [...(outboxHandlers.get(owner) ?? []), { events, method }])
  }
}

/** The methods of a service that hear events as they are published. */
export function outboxHandlersOf(service: Constructor): readonly OutboxHandlerMethod[] {
  return outboxHandlers.get(service) ?? []
}

const localEntityEvents = new WeakMap<EntityClass, Partial<Record<EntityEventKind | 'Batch', Class>>>()

/**
 * A new row of an entity, inside the transaction that inserts it: `{ entity }`.
 * @example @EventHandler(EntityCreated(Port))
 */
export function EntityCreated(entity: EntityClass): Class {
  return localEntityEvent(entity, 'Created')
}

/** A row of an entity, inside the transaction that changes it. */
export function EntityUpdated(entity: EntityClass): Class {
  return localEntityEvent(entity, 'Updated')
}

/** A row of an entity, inside the transaction that deletes or marks it. */
export function EntityDeleted(entity: EntityClass): Class {
  return localEntityEvent(entity, 'Deleted')
}

/** Many rows of an entity, inside the transaction that writes them at once: `{ kind, count }`. */
export function EntitiesWritten(entity: EntityClass): Class {
  return localEntityEvent(entity, 'Batch')
}

/** The class that stands for what happened to an entity. */
export function localEntityEvent(entity: EntityClass, kind: EntityEventKind | 'Batch'): Class {
  const known = localEntityEvents.get(entity) ?? {}
  localEntityEvents.set(entity, known)
  known[kind] ??= class {}
  return known[kind] as Class
}
