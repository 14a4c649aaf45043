import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Rename, renameModel } from '@keel/framework/data'
import type { CommandCall, MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { modelOf } from '../migration-run.js'
import { possibleRenames, readRenames, renameSwitch } from '../renames.js'
import { scaffoldMigration } from '../scaffold.js'

/** Writes a migration for what changed in the model. */
export const command: MigratorCommand = {
  async run(call) {
    const { application, set, folder } = await composeRun(call)
    const [title = ''] = call.positionals
    const model = modelOf(application)
    const renamesOf = (texts: readonly string[]): Rename[] => readRenames(texts, set.snapshot, model)
    const open = (texts: readonly string[]): Rename[] =>
      possibleRenames(renameModel(set.snapshot, renamesOf(texts)), model)
    const given = (call.values.rename ?? []) as readonly string[]
    const texts = call.json ? given : await ask(given, open)
    const renames = renamesOf(texts)
    const name = scaffoldMigration({ title, folder, set, model, renames, today: new Date() })
    const told = name
      ? `Wrote ${join(folder, `${name}.ts`)}. Read it, then build the migrator.`
      : 'The model did not change: there is nothing to migrate.'
    tell(call, told, name, open(texts))
  },
}

/** The renames given and those that a person says are some, where anybody can be asked; columns of a renamed table after the table. */
async function ask(
  given: readonly string[],
  open: (texts: readonly string[]) => Rename[],
): Promise<readonly string[]> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return given
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const denied = new Set<string>()
  let texts = given
  try {
    for (;;) {
      const next = open(texts)
        .map(renameSwitch)
        .find((text) => !denied.has(text))
      if (next === undefined) return texts
      const answer = await terminal.question(`Is this a rename: ${next}? [y/N] `)
      if (/^y(es)?$/i.test(answer.trim())) texts = [...texts, next]
      else denied.add(next)
    }
  } finally {
    terminal.close()
  }
}

function tell(
  call: CommandCall,
  message: string,
  name: string | undefined,
  flagged: readonly Rename[],
): void {
  const notes = flagged.map(
    (rename) =>
      `  ${rename.from} goes and ${rename.to} comes. If that is a rename, undo the files and add --rename ${renameSwitch(rename)}\n`,
  )
  if (call.json)
    call.steps.tell({ step: 'add', state: 'done', message, name, possibleRenames: flagged.map(renameSwitch) })
  else call.print(`${message}\n${notes.join('')}`)
}
