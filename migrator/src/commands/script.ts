import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { modelOf, refusePendingChanges } from '../migration-run.js'
import { RunSettings } from '../run-settings.js'
import { migrationScript } from '../script.js'

/** Prints what brings a database up to date by hand. Needs no database. */
export const command: MigratorCommand = {
  async run(call) {
    const { application, set } = await composeRun(call)
    refusePendingChanges(set, modelOf(application))
    const sql = await migrationScript(set.migrations, application.configuration.read(RunSettings))
    if (call.json) call.steps.tell({ step: 'script', state: 'done', message: 'the script is in sql', sql })
    else call.print(sql)
  },
}
