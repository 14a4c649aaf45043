import { join } from 'node:path'
import {
  type Configuration,
  type Constructor,
  createApplication,
  createLogger,
  hostDirectory,
  type KeelModule,
  loadConfiguration,
  StartupError,
} from '@keel/framework'
import { type Command, readCommandLine, usage } from './command-line.js'
import type { MigrationSet } from './migration.js'
import { type MigrationRun, migrateDatabase, modelOf, validateMigrations } from './migration-run.js'
import { exceptionText, type MigrationStatus, messagesOf, serveStatus } from './migration-status.js'
import { scaffoldMigration } from './scaffold.js'

/** A migrator: the modules whose schema and seeds it brings, and the migrations it was built with. */
export interface MigratorProgram {
  readonly host: Constructor<KeelModule>
  readonly set: MigrationSet
  /** `import.meta.url` of the main file, in `dist/` of the package that holds `appsettings.json` and `src/migrations/`. */
  readonly caller: string
}

/** Does what the command line asks for. Ends the process with 0, or with 1 and the reason on stderr; with `--enable-api` it stays up. */
export async function runMigrator(program: MigratorProgram): Promise<void> {
  try {
    const command = readCommandLine(process.argv.slice(2))
    if (command.help) process.stdout.write(usage)
    else if (command.add !== undefined) addMigration(program, command.add)
    else if (command.enableApi) return await runWithStatus(program, configurationOf(program, command))
    else await runOnce(program, configurationOf(program, command))
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof StartupError ? messagesOf(error) : exceptionText(error)}\n`)
    process.exit(1)
  }
}

function configurationOf({ caller }: MigratorProgram, { disableRedis }: Command): Configuration {
  const configuration = loadConfiguration({ directory: hostDirectory(caller) })
  return disableRedis ? configuration.add({ Redis: { IsEnabled: false } }, '--disable-redis') : configuration
}

async function runOnce(program: MigratorProgram, configuration: Configuration): Promise<void> {
  const validateOnly = configuration.get('VALIDATE_MIGRATIONS_ONLY')?.toLowerCase() === 'true'
  const run = compose(program, configuration)
  await (validateOnly ? validateMigrations(run) : migrateDatabase(run))
}

function compose({ host, set, caller }: MigratorProgram, configuration: Configuration): MigrationRun {
  const folder = join(hostDirectory(caller), 'src', 'migrations')
  return { application: createApplication(host, configuration), set, folder }
}

/** A run that release tooling watches: its state is served before, during and after it, until somebody stops the process. */
async function runWithStatus(program: MigratorProgram, configuration: Configuration): Promise<void> {
  let status: MigrationStatus = { state: 'NotStarted', exception: null }
  const logger = createLogger(program.host.name, configuration)
  const port = Number(configuration.get('PORT') ?? 4003)
  const url = await serveStatus(port, configuration.get('PIPELINE_AUTH_TOKEN'), () => status)
  logger.info({ url }, 'listening')
  const stop = (): never => process.exit(status.state === 'Completed' ? 0 : 1)
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  try {
    status = { state: 'InProgress', exception: null }
    await runOnce(program, configuration)
    status = { state: 'Completed', exception: null }
    logger.info(status, 'migration completed')
  } catch (error) {
    status = { state: 'Failed', exception: exceptionText(error) }
    logger.error(status, 'migration failed')
  }
}

function addMigration(program: MigratorProgram, title: string): void {
  const { application, set, folder } = compose(
    program,
    loadConfiguration({ directory: hostDirectory(program.caller) }),
  )
  const name = scaffoldMigration({ title, folder, set, model: modelOf(application), today: new Date() })
  const told = name
    ? `Wrote ${join(folder, `${name}.ts`)}. Read it, then build the migrator.`
    : 'The model did not change: there is nothing to migrate.'
  process.stdout.write(`${told}\n`)
}
