import type { DatabaseSession } from '../wire/session.js'
import { type LiveSchema, readExpectedSchema, readLiveSchema } from './live-schema.js'
import { createNotifyFunction, isWatched, migrationSql } from './migration-sql.js'
import { compareModels, describeChange, tellChange } from './model-diff.js'
import type { ModelSnapshot } from './model-snapshot.js'

/** In what a database is not what its model asks for. */
export interface Drift {
  /** One line for each difference: the place, what is, what should be. */
  readonly differences: readonly string[]
  /** The same differences as sentences. */
  readonly told: readonly string[]
  /** The statements that bring the database to the model; empty when there is no difference. */
  readonly sql: string
  /** Tables that are not ours: nothing is said of them, and nothing is done to them. */
  readonly otherTables: readonly string[]
  /** Parts of our tables that a model can't express. They are left as they are. */
  readonly others: readonly string[]
}

/** Compares the tables of a database with the model that its migrations lead to. Nothing is written. */
export async function findDrift(session: DatabaseSession, model: ModelSnapshot): Promise<Drift> {
  const live = await readLiveSchema(session)
  return compareSchemas(live, await readExpectedSchema(session, model))
}

/** The tables that this program keeps beside those of the model. */
export const bookkeeping: readonly string[] = ['__EFMigrationsHistory', 'KeelTableVersions', 'KeelImports']

function compareSchemas(live: LiveSchema, expected: LiveSchema): Drift {
  const names = new Set(expected.model.tables.map(({ name }) => name))
  const ours = { tables: live.model.tables.filter(({ name }) => names.has(name)) }
  const isOurs = (place: string): boolean => names.has(place.slice(0, place.indexOf('.')))
  const broken = live.invalidIndexes.filter((name) =>
    expected.model.tables.some(({ indexes }) => indexes.some((index) => index.name === name)),
  )
  // Where no table tells yet, the difference in triggers brings the function along.
  const isStale =
    isWatched(ours) && isWatched(expected.model) && live.notifyFunction !== expected.notifyFunction
  const changes = compareModels(ours, expected.model)
  return {
    differences: [
      ...broken.map((name) => `${name}: index that can't be used → none`),
      ...changes.map(describeChange),
      ...(isStale ? ['keel_notify_change(): another body'] : []),
    ],
    told: [
      ...broken.map((name) => `The index ${name} can't be used, because a build of it was broken off.`),
      ...changes.map(tellChange),
      ...(isStale ? ['The function keel_notify_change() has another body.'] : []),
    ],
    sql: [
      broken.map((name) => `drop index "${name}";`).join('\n'),
      isStale ? createNotifyFunction : '',
      migrationSql(ours, expected.model),
    ]
      .filter(Boolean)
      .join('\n\n'),
    otherTables: live.model.tables
      .map(({ name }) => name)
      .filter((name) => !names.has(name) && !bookkeeping.includes(name)),
    others: live.others.filter(isOurs),
  }
}
