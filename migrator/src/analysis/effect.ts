import type { ModelSnapshot } from '@keel/framework/data'
import type { LockMode, TableLock } from './lock-modes.js'

/** The effect of a statement, or of a part of one, on other sessions of the database. */
export interface Effect {
  readonly locks: readonly TableLock[]
  /** It writes the whole table and its indexes anew. */
  readonly rewrites?: boolean
  /** It reads every row while it holds its lock. */
  readonly scans?: boolean
  /** The data that is lost for good, in words. */
  readonly destroys?: string
  /** Programs that know the old shape, or the statement itself, that fail or may fail, in words. */
  readonly breaks?: string
  /** The way that disturbs less. */
  readonly safer?: string
  /** PostgreSQL refuses it in a transaction, and migrations run in one. */
  readonly outsideTransaction?: boolean
  /** A part of what it does only shows when it runs: nobody knows what is lost. */
  readonly isUnseen?: boolean
}

/** Known facts about the database that a statement will run on. */
export interface Facts {
  /** Its tables; without them a statement is taken at its worst. */
  readonly model?: ModelSnapshot
  /** Tables and indexes that the same script made: nobody else knows them yet. */
  readonly fresh: ReadonlySet<string>
}

/** An effect that is only a lock. */
export function lockOn(table: string, mode: LockMode): Effect {
  return { locks: [{ table, mode }] }
}

/** All effects as one: every lock, and what any of them says. */
export function together(effects: readonly Effect[]): Effect {
  const words = (pick: (effect: Effect) => string | undefined, between: string): string | undefined =>
    [...new Set(effects.map(pick).filter((text) => text !== undefined))].join(between) || undefined
  const destroys = words(({ destroys: text }) => text, '; ')
  const breaks = words(({ breaks: text }) => text, '; ')
  const safer = words(({ safer: text }) => text, ' ')
  return {
    locks: effects.flatMap(({ locks }) => locks),
    ...(effects.some(({ rewrites }) => rewrites) && { rewrites: true }),
    ...(effects.some(({ scans }) => scans) && { scans: true }),
    ...(destroys && { destroys }),
    ...(breaks && { breaks }),
    ...(safer && { safer }),
    ...(effects.some(({ outsideTransaction }) => outsideTransaction) && { outsideTransaction: true }),
    ...(effects.some(({ isUnseen }) => isUnseen) && { isUnseen: true }),
  }
}

/** Foreign keys between tables, as far as they are known: those of a table, and those that point at it. */
export function relatedTables(
  table: string,
  { model }: Facts,
): { principals: string[]; dependents: string[] } {
  const tables = model?.tables ?? []
  const own = tables.find(({ name }) => name === table)?.foreignKeys ?? []
  return {
    principals: own.map(({ principalTable }) => principalTable).filter((name) => name !== table),
    dependents: tables
      .filter(
        ({ name, foreignKeys }) => name !== table && foreignKeys.some((key) => key.principalTable === table),
      )
      .map(({ name }) => name),
  }
}

/** Every table that refers to one of these, directly or by way of others. */
export function allDependents(tables: readonly string[], facts: Facts): string[] {
  const all = new Set(tables)
  for (const table of all) for (const dependent of relatedTables(table, facts).dependents) all.add(dependent)
  return [...all].filter((table) => !tables.includes(table))
}
