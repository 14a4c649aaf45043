import { join } from 'node:path'
import { createApplication, hostDirectory } from '@keel/framework'
import type { CommandCall } from './command.js'
import type { MigrationRun } from './migration-run.js'

/** Composes the application whose schema and seeds a command is about; nothing is opened or started yet. */
export async function composeRun({ program, configuration, steps }: CommandCall): Promise<MigrationRun> {
  const { host, set, schemas = {} } = await program.load()
  const folder = join(hostDirectory(program.caller), 'src', 'migrations')
  return { application: createApplication(host, configuration), set, schemas, folder, steps }
}
