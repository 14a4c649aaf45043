import type { EntityBatch, EntityEventKind } from '../../contracts/events.js'
import type { EntityClass } from '../entities/entity.js'
import type { Database } from './database.js'

/** A row that a store has just written; its transaction is still open. */
export interface WrittenRow {
  readonly kind: EntityEventKind
  readonly entity: EntityClass
  readonly row: object
  readonly database: Database
}

/** Rows that a store has written at once; their transaction is still open. */
export interface WrittenBatch extends EntityBatch {
  readonly entity: EntityClass
  readonly database: Database
}

/**
 * The listener for rows that stores write, called inside their transaction. An error of it undoes the write.
 */
export interface EntityEventSink {
  /** Returns undefined when there is no listener. */
  written(change: WrittenRow): Promise<void> | undefined
  /** True when {@link written} has a listener for rows of an entity. */
  hears(entity: EntityClass, kind: EntityEventKind): boolean
  /** Called once for many rows that were written by one statement, instead of once for each row. */
  writtenMany(batch: WrittenBatch): Promise<void>
  /** Called for an aggregate that was saved unchanged, but has raised events. */
  raised(row: object, database: Database): Promise<void> | undefined
}
