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

/** Hears of what stores write, inside the transaction that wrote it. What it throws undoes the write. */
export interface EntityEventSink {
  /** Returns undefined when nobody wants to know. */
  written(change: WrittenRow): Promise<void> | undefined
  /** Whether {@link written} has a listener for rows of an entity. */
  hears(entity: EntityClass, kind: EntityEventKind): boolean
  /** Many rows were written at once, of which nothing is told one by one. */
  writtenMany(batch: WrittenBatch): Promise<void>
  /** An aggregate was saved that did not change, but has something to tell. */
  raised(row: object, database: Database): Promise<void> | undefined
}
