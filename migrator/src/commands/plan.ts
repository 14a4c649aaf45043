import type { DatabaseSession } from '@keel/framework/data'
import { planAdoption, refusalOf } from '../adoption.js'
import type { CommandCall, MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { isForeign } from '../foreign-database.js'
import type { Migration } from '../migration.js'
import {
  findPending,
  type MigrationRun,
  modelOf,
  refusePendingChanges,
  withDatabase,
} from '../migration-run.js'
import { keepsOthersWaiting, type PlannedMigration, planMigrations } from '../plan.js'
import { planText } from '../plan-text.js'
import { planModules } from '../schema/module-schemas.js'
import type { SeedChange } from '../seed-changes.js'
import { rehearseSeeds } from '../seed-rehearsal.js'

/** The migrations and seeds that a run would apply to this database. */
export interface Plan {
  readonly migrations: readonly PlannedMigration[]
  /** Null where it can't be known without keeping others waiting. */
  readonly seeds: readonly SeedChange[] | null
  /** The schema scripts of modules, each named behind its module. Their seeds are not rehearsed. */
  readonly scripts: readonly PlannedMigration[]
}

/** Shows what a run would do, and leaves no trace. */
export const command: MigratorCommand = {
  async run(call) {
    const run = await composeRun(call)
    refusePendingChanges(run.set, modelOf(run.application))
    const plan = await withDatabase(run.application, (database) =>
      database.withConnection(async (session) => {
        const pending = await pendingOf(session, run)
        const migrations = await planMigrations(session, pending)
        const mayRehearse = call.values.rehearse === true || !keepsOthersWaiting(migrations)
        const seeds = mayRehearse
          ? await rehearseSeeds({ call, session, pending, model: run.set.snapshot })
          : null
        return { migrations, seeds }
      }),
    )
    tell(call, { ...plan, scripts: await planModules(run) })
  },
}

/** The migrations that a run would apply; for a database of ABP those that adopt it. */
async function pendingOf(session: DatabaseSession, run: MigrationRun): Promise<readonly Migration[]> {
  if (!(await isForeign(session, run.set))) return findPending(session, run)
  const adoption = await planAdoption(session, run.set.snapshot)
  if (adoption.faults.length) throw refusalOf(adoption)
  return [{ name: 'adoption of the database of ABP', up: adoption.sql, down: '' }]
}

function tell(call: CommandCall, plan: Plan): void {
  const steps = [...plan.migrations, ...plan.scripts]
  const dangerous = steps.flatMap(({ statements }) => statements.filter(({ isDangerous }) => isDangerous))
  const message = [
    `${plan.migrations.length} pending ${plan.migrations.length === 1 ? 'migration' : 'migrations'}`,
    ...(plan.scripts.length ? [`${plan.scripts.length} pending schema scripts`] : []),
    `${dangerous.length} dangerous ${dangerous.length === 1 ? 'statement' : 'statements'}`,
    plan.seeds ? `${plan.seeds.length} seed changes` : 'seed changes unknown',
  ].join(', ')
  if (call.json) call.steps.tell({ step: 'plan', state: 'done', message, ...plan })
  else call.print(planText(plan, message))
}
