import { type Drift, findDrift } from '@keel/framework/data'
import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { Refusal } from '../exit-codes.js'
import { withDatabase } from '../migration-run.js'

/** Compares the database with the model that the migrations lead to. Ends well only when they agree. */
export const command: MigratorCommand = {
  async run(call) {
    const { application, set } = await composeRun(call)
    const drift = await withDatabase(application, (database) =>
      database.withConnection((session) => findDrift(session, set.snapshot)),
    )
    const count = drift.differences.length
    const message = count
      ? `The database differs from the model in ${count} ${count === 1 ? 'place' : 'places'}`
      : 'The database is as the model asks'
    if (call.json) call.steps.tell({ step: 'drift', state: 'done', message, ...drift })
    else call.print(textOf(drift, message))
    if (count) throw new Refusal('drift', message)
  },
}

/** SQL with the findings as comments, so that it can be kept and run as it is. */
function textOf({ differences, sql, otherTables, others }: Drift, message: string): string {
  const lines = [
    `-- ${message}${differences.length ? ' (is → should be):' : '.'}`,
    ...differences.map((line) => `--   ${line}`),
    ...(others.length ? ['-- Left alone, because a model does not know such things:'] : []),
    ...others.map((line) => `--   ${line}`),
    ...(otherTables.length ? [`-- Tables that are not ours: ${otherTables.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n${sql ? `\nbegin;\n\n${sql}\n\ncommit;\n` : ''}`
}
