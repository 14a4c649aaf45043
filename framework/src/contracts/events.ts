import { z } from 'zod'
import { type AnyDto, Dto, type DtoClass } from './dto.js'

/** The static side of an event class made by {@link EventDto}. */
export interface EventClass<S extends z.ZodRawShape = z.ZodRawShape> extends DtoClass<S> {
  /** The name that other processes and brokers know it by. It never changes. */
  readonly eventName: string
}

/** A distributed event class of any shape. */
export interface AnyEvent extends AnyDto {
  readonly eventName: string
}

/** The static side of a class of transported entities made by {@link EntityEto}. */
export interface AnyEto extends AnyDto {
  /** Begins the names of its events, which end with `.Created`, `.Updated`, `.Deleted` and `.Batch`. */
  readonly entityName: string
}

/**
 * The base of a distributed event: something that happened, told to other modules and processes once what
 * made it happen is committed. Its shape survives JSON: an instant is `instant()`. The class belongs to the
 * contracts of the module that publishes it and is listed in `events` there.
 * @example export class PortClosedEto extends EventDto('Hub.Port.Closed', { portId: z.guid(), since: instant() }) {}
 */
export function EventDto<S extends z.ZodRawShape>(eventName: string, shape: S): EventClass<S> {
  const base = Dto(shape)
  Object.defineProperty(base, 'eventName', { value: eventName })
  return base as EventClass<S>
}

/** True for classes made by {@link EventDto}; events of other classes never leave their process. */
export function isDistributedEvent(value: unknown): value is AnyEvent {
  return typeof value === 'function' && 'eventName' in value && 'schema' in value
}

/**
 * The base of what the events of an entity tell of it (ABP: event transfer object). Name the class in
 * `events` of the entity and its {@link entityEvents} in `events` of the module: from then on every created,
 * updated and deleted row is published.
 * @example export class UserEto extends EntityEto('Volo.Abp.Users.User', { id: z.guid(), userName: z.string() }) {}
 */
export function EntityEto<S extends z.ZodRawShape>(
  entityName: string,
  shape: S,
): DtoClass<S> & { readonly entityName: string } {
  const base = Dto(shape)
  Object.defineProperty(base, 'entityName', { value: entityName })
  return base as DtoClass<S> & { readonly entityName: string }
}

/** The changes of an entity that events report. */
export type EntityEventKind = 'Created' | 'Updated' | 'Deleted'

/** The event of an entity: `entity` is the row after the change; for a deleted row, before it. */
export interface EntityEvent<E> {
  readonly entity: E
}

/** The class of an event of an entity. */
export type EntityEventClass<E extends AnyEto> = AnyEvent &
  (new (
    values?: object,
  ) => EntityEvent<InstanceType<E>>)

const entityEventClasses = new WeakMap<AnyEto, Readonly<Record<EntityEventKind | 'Batch', AnyEvent>>>()

/**
 * The event of a new row.
 * @example @EventHandler(entityCreated(UserEto)) async greet({ entity }: EntityEvent<UserEto>) { … }
 */
export function entityCreated<E extends AnyEto>(eto: E): EntityEventClass<E> {
  return eventsOf(eto).Created as EntityEventClass<E>
}

/** The event of a row that was changed. */
export function entityUpdated<E extends AnyEto>(eto: E): EntityEventClass<E> {
  return eventsOf(eto).Updated as EntityEventClass<E>
}

/** The event of a row that was deleted, also one that only carries a mark. */
export function entityDeleted<E extends AnyEto>(eto: E): EntityEventClass<E> {
  return eventsOf(eto).Deleted as EntityEventClass<E>
}

/** Many rows of an entity that were written at once, where their writer asked for one event instead of one for each. */
export interface EntityBatch {
  readonly kind: EntityEventKind
  readonly count: number
}

/**
 * The event of many rows that were written at once.
 * @example @EventHandler(entitiesWritten(UserEto)) async refresh({ kind, count }: EntityBatch) { … }
 */
export function entitiesWritten(eto: AnyEto): AnyEvent & (new (values?: object) => EntityBatch) {
  return eventsOf(eto).Batch as AnyEvent & (new (values?: object) => EntityBatch)
}

/** The events of an entity, for `events` of its module. */
export function entityEvents(eto: AnyEto): readonly AnyEvent[] {
  return Object.values(eventsOf(eto))
}

function eventsOf(eto: AnyEto): Readonly<Record<EntityEventKind | 'Batch', AnyEvent>> {
  let events = entityEventClasses.get(eto)
  if (!events) {
    const of = (kind: EntityEventKind): AnyEvent =>
      class extends EventDto(`${eto.entityName}.${kind}`, { entity: eto.schema }) {} as AnyEvent
    const Batch = class extends EventDto(`${eto.entityName}.Batch`, {
      kind: z.enum(['Created', 'Updated', 'Deleted']),
      count: z.int(),
    }) {} as AnyEvent
    events = { Created: of('Created'), Updated: of('Updated'), Deleted: of('Deleted'), Batch }
    entityEventClasses.set(eto, events)
  }
  return events
}
