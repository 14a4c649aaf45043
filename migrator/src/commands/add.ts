import { join } from 'node:path'
import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { modelOf } from '../migration-run.js'
import { scaffoldMigration } from '../scaffold.js'

/** Writes a migration for what changed in the model. */
export const command: MigratorCommand = {
  async run(call) {
    const { application, set, folder } = await composeRun(call)
    const [title = ''] = call.positionals
    const name = scaffoldMigration({ title, folder, set, model: modelOf(application), today: new Date() })
    const told = name
      ? `Wrote ${join(folder, `${name}.ts`)}. Read it, then build the migrator.`
      : 'The model did not change: there is nothing to migrate.'
    if (call.json) call.steps.tell({ step: 'add', state: 'done', message: told, name })
    else call.print(`${told}\n`)
  },
}
