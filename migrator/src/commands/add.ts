import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { CommandCall, MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { modelOf } from '../migration-run.js'
import { possibleRenames, type Rename, readRenames, renameModel } from '../renames.js'
import { scaffoldMigration } from '../scaffold.js'

/** Writes a migration for what changed in the model. */
export const command: MigratorCommand = {
  async run(call) {
    const { application, set, folder } = await composeRun(call)
    const [title = ''] = call.positionals
    const model = modelOf(application)
    const given = readRenames((call.values.rename ?? []) as readonly string[], set.snapshot, model)
    const open = possibleRenames(renameModel(set.snapshot, given), model)
    const renames = [...given, ...(call.json ? [] : await ask(open))]
    const name = scaffoldMigration({ title, folder, set, model, renames, today: new Date() })
    const told = name
      ? `Wrote ${join(folder, `${name}.ts`)}. Read it, then build the migrator.`
      : 'The model did not change: there is nothing to migrate.'
    const flagged = open.filter((rename) => !renames.includes(rename))
    tell(call, told, name, flagged)
  },
}

/** Those of what looks like a rename that a person says are one; none where nobody can be asked. */
async function ask(open: readonly Rename[]): Promise<Rename[]> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || open.length === 0) return []
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const renames: Rename[] = []
  try {
    for (const rename of open) {
      const answer = await terminal.question(`Was ${rename.from} renamed to ${rename.to}? [y/N] `)
      if (/^y(es)?$/i.test(answer.trim())) renames.push(rename)
    }
  } finally {
    terminal.close()
  }
  return renames
}

function tell(
  call: CommandCall,
  message: string,
  name: string | undefined,
  flagged: readonly Rename[],
): void {
  if (call.json)
    return call.steps.tell({ step: 'add', state: 'done', message, name, possibleRenames: flagged })
  const notes = flagged.map(
    ({ from, to }) =>
      `  ${from} goes and ${to} comes. If that is a rename, undo the files and add --rename ${from}=${to.split('.').at(-1)}.\n`,
  )
  call.print(`${message}\n${notes.join('')}`)
}
