import { demandConsent } from './consent.js'
import { Refusal } from './exit-codes.js'
import type { Migration, MigrationSet } from './migration.js'
import { revertMigrations } from './migration-engine.js'
import { type AppliedMigration, productVersion, readHistory } from './migration-history.js'
import { type MigrationRun, withEngine } from './migration-run.js'

/** How far to go back. */
export interface RevertOptions {
  /** The migration that is to be the last one applied. */
  readonly target: string
  readonly allowDestructive: boolean
}

/** Takes back every migration after `target`, the newest first, each in a transaction of its own. Nothing is seeded. */
export async function revertDatabase(
  run: MigrationRun,
  { target, allowDestructive }: RevertOptions,
): Promise<void> {
  const { set, steps } = run
  if (!set.migrations.some(({ name }) => name === target))
    throw new Refusal('noWayDown', `There is no migration ${target}`)
  await withEngine(run, async (engine) => {
    const migrations = migrationsAfter(target, set, await readHistory(engine.session))
    await demandConsent({ migrations, direction: 'down', allowDestructive, session: engine.session })
    steps.expect(migrations.length)
    if (migrations.length) await revertMigrations(migrations, engine)
    const reverted = migrations.map(({ name }) => name)
    steps.tell({ step: 'schema', state: 'done', message: `the schema is that of ${target}`, reverted })
  })
}

/** The applied migrations after one, newest first. Throws when one of them has no way down. */
function migrationsAfter(
  target: string,
  { migrations }: MigrationSet,
  history: readonly AppliedMigration[],
): Migration[] {
  const applied = new Set(history.map(({ name }) => name))
  if (!applied.has(target)) throw new Refusal('noWayDown', `${target} is not applied to this database`)
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = history.filter((entry) => entry.productVersion === productVersion && !known.has(entry.name))
  if (unknown.length)
    throw new Refusal(
      'noWayDown',
      `The database has migrations of another release, which has to take them back: ${unknown.map(({ name }) => name).join(', ')}`,
    )
  const place = migrations.findIndex(({ name }) => name === target)
  const after = migrations.slice(place + 1).filter(({ name }) => applied.has(name))
  const stuck = after.filter(({ down }) => !down.trim())
  if (stuck.length)
    throw new Refusal('noWayDown', `There is no way down from ${stuck.map(({ name }) => name).join(', ')}`)
  return after.reverse()
}
