import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { revertDatabase } from '../revert-run.js'

/** Takes back every migration after the one that is named. */
export const command: MigratorCommand = {
  async run(call) {
    const [target = ''] = call.positionals
    const allowDestructive = call.values['allow-destructive'] === true
    await revertDatabase(await composeRun(call), { target, allowDestructive })
  },
}
