import type { CommandCall, MigratorCommand } from '../command.js'
import { composeRun } from '../compose.js'
import { exceptionText, masker, messagesOf } from '../error-text.js'
import { exitCodeOf, Refusal } from '../exit-codes.js'
import type { MigrationStatus } from '../migration-status.js'

/** Migrates and seeds, or with `VALIDATE_MIGRATIONS_ONLY` only checks. */
export const command: MigratorCommand = {
  run: (call) => (call.values['enable-api'] ? runWithStatus(call) : runOnce(call)),
}

async function runOnce(call: CommandCall): Promise<void> {
  const { migrateDatabase, validateMigrations } = await import('../migration-run.js')
  const run = await composeRun(call)
  const validateOnly = call.configuration.get('VALIDATE_MIGRATIONS_ONLY')?.toLowerCase() === 'true'
  const allowDestructive = call.values['allow-destructive'] === true
  await (validateOnly ? validateMigrations(run) : migrateDatabase(run, { allowDestructive }))
}

/** A run that release tooling watches: its state is served before, during and after it, until somebody stops the process. */
async function runWithStatus(call: CommandCall): Promise<never> {
  const { configuration, steps } = call
  let status: MigrationStatus = { state: 'NotStarted', exception: null }
  let exitCode = 1
  // Of the web framework only a run that is watched has need.
  const { serveStatus } = await import('../migration-status.js')
  const { url, end } = await serveStatus(portOf(call), configuration.get('PIPELINE_AUTH_TOKEN'), () => status)
  const stop = (): void => void end().finally(() => process.exit(exitCode))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  steps.tell({ step: 'api', state: 'done', message: 'listening', url })
  try {
    status = { state: 'InProgress', exception: null }
    await runOnce(call)
    status = { state: 'Completed', exception: null }
    exitCode = 0
    steps.tell({ step: 'end', state: 'done', message: 'done; serving the status until stopped', exitCode })
  } catch (error) {
    status = { state: 'Failed', exception: masker(configuration)(exceptionText(error)) }
    exitCode = exitCodeOf(error)
    steps.tell({ step: 'end', state: 'failed', message: messagesOf(error), exitCode })
  }
  return new Promise(() => undefined)
}

function portOf({ configuration }: CommandCall): number {
  const text = configuration.get('PORT') ?? '4003'
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new Refusal('configuration', `PORT=${text} is not a port`)
  return port
}
