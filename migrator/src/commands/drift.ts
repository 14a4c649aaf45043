import { type Drift, findDrift } from '@keel/framework/data'
import type { MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { Refusal } from '../exit-codes.js'
import { withDatabase } from '../migration-run.js'
import { driftOfModules } from '../schema/module-schemas.js'

/** Compares the database with the model that the migrations lead to. Ends well only when they agree. */
export const command: MigratorCommand = {
  async run(call) {
    const run = await composeRun(call)
    const { application, set } = run
    const drift = await withDatabase(application, (database) =>
      database.withConnection((session) => findDrift(session, set.snapshot)),
    )
    const message = messageOf(drift, 'The database')
    if (call.json) call.steps.tell({ step: 'drift', state: 'done', message, ...drift })
    else call.print(textOf(drift, message))
    const faults = drift.differences.length ? [message] : []
    for (const { name, ...found } of await driftOfModules(run)) {
      const own = messageOf(found, `The schema of ${name}`)
      // Tables of others in the same database are told once, with Default's.
      const alone = { ...found, otherTables: [] }
      if (call.json) call.steps.tell({ step: 'drift', state: 'done', message: own, module: name, ...alone })
      else call.print(`\n${textOf(alone, own)}`)
      if (found.differences.length) faults.push(own)
    }
    if (faults.length) throw new Refusal('drift', faults.join('\n'))
  },
}

function messageOf({ differences: { length: count } }: Drift, what: string): string {
  return count
    ? `${what} differs from the model in ${count} ${count === 1 ? 'place' : 'places'}`
    : `${what} is as the model asks`
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
