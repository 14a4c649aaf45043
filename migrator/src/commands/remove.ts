import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { Refusal } from '../exit-codes.js'
import { readHistory } from '../migration-history.js'
import { withDatabase } from '../migration-run.js'
import { unscaffoldMigration } from '../unscaffold.js'

/** Takes back the last migration that was written, unless it was released or is applied to the database at hand. */
export const command: MigratorCommand = {
  async run(call) {
    const run = await composeRun(call)
    const { set, folder } = run
    const [before, last] = [set.migrations.at(-2)?.name, set.migrations.at(-1)?.name]
    const history = await withDatabase(run.application, (database) => database.withConnection(readHistory))
    if (history.some(({ name }) => name === last))
      throw new Refusal(
        'scaffoldRefused',
        `${last} is applied to this database: take it back first, with \`down ${before}\` (npm run migrate -- down ${before})`,
      )
    const name = unscaffoldMigration(folder, set)
    const message = `Removed ${name}. Build the migrator (npx tsc -b migrator), or write it anew with add.`
    if (call.json) call.steps.tell({ step: 'remove', state: 'done', message, name })
    else call.print(`${message}\n`)
  },
}
