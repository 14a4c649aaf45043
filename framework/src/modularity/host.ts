import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Application, createApplication } from './application.js'
import { isBundled, traceOrigins } from './bundled-places.js'
import type { Constructor } from './class.js'
import { Configuration, loadConfiguration } from './configuration.js'
import { returnIdleMemory } from './idle-memory.js'
import type { KeelModule } from './module.js'
import { placeOfCompiled } from './source-place.js'
import { StartupError } from './startup-error.js'

if (isBundled) traceOrigins()

// Files of modules run before `runHost` does, so this is the only place that hears of them. It changes
// nothing of how the process ends.
process.on('uncaughtExceptionMonitor', (error) => {
  const told = importCircle(error)
  if (told) process.stderr.write(`${told}\n`)
})

/**
 * A message with the cure for a class that is used before its file has run, because files import each other
 * in a circle; undefined for other errors.
 */
function importCircle(error: unknown): string | undefined {
  if (!(error instanceof ReferenceError)) return undefined
  const [, name] = /^Cannot access '(\w+)' before initialization/.exec(error.message) ?? []
  if (!name) return undefined
  const [, file = '', line] = /\(?((?:file:\/\/)?\/[^()\n]+?):(\d+):\d+\)?$/m.exec(error.stack ?? '') ?? []
  const place = file && `\n  at ${placeOfCompiled(file, Number(line), name)}`
  return `The host did not start.\n${name} is used before its file has run: files import each other in a circle. Let one side use the other's contracts only, or move what both need into a third file.${place}`
}

/**
 * Runs a host until SIGTERM or SIGINT: configuration from the folder above the calling file, SIGTERM and
 * SIGINT drain and end it with 0. A start that fails prints why and ends with 1.
 * @param caller `import.meta.url` of the host's main file
 */
export async function runHost(root: Constructor<KeelModule>, caller: string): Promise<Application> {
  if (looking) {
    looking(root)
    return createApplication(root, new Configuration())
  }
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(hostUsage(root))
    process.exit(0)
  }
  try {
    const application = createApplication(root, loadConfiguration({ directory: hostDirectory(caller) }))
    stopOnSignals(application)
    tellLastError(application)
    await application.start()
    returnIdleMemory(application.logger)
    return application
  } catch (error) {
    return explainAndExit(root.name, error)
  }
}

let looking: ((root: Constructor<KeelModule>) => void) | undefined

/**
 * Loads a program that may call {@link runHost}, and answers the root module that it would have run. Nothing
 * is started.
 */
export async function withoutRunning<T>(
  load: () => Promise<T>,
): Promise<{ result: T; run: Constructor<KeelModule> | undefined }> {
  let run: Constructor<KeelModule> | undefined
  looking = (root) => {
    run = root
  }
  try {
    return { result: await load(), run }
  } finally {
    looking = undefined
  }
}

/** How a host is called, with the settings that its modules declare. */
function hostUsage(root: Constructor<KeelModule>): string {
  const { modules } = createApplication(root, new Configuration())
  const keys = modules.flatMap(({ options }) =>
    (options.configuration ?? []).flatMap(({ path, schema }) =>
      Object.keys(schema.shape).map((key) => `${path}:${key.charAt(0).toUpperCase()}${key.slice(1)}`),
    ),
  )
  return `usage: node ${process.argv[1]} [--Section:Key=value …]

Runs ${root.name} until it is told to stop (SIGTERM, SIGINT). Settings come from appsettings.json, appsettings.secrets.json and
appsettings.<Environment>.json in its folder, from environment variables (Section__Key=value) and from the command line; later ones win.
PORT and KEEL_ENVIRONMENT (Production when not set) are environment variables.

Settings, beside ConnectionStrings:<name> and Log:Level:
${[...new Set(keys)]
  .sort()
  .map((key) => `  ${key}`)
  .join('\n')}
`
}

/** The package folder of a host whose main file is in `dist/` or `src/`. */
export function hostDirectory(caller: string): string {
  return join(dirname(fileURLToPath(caller)), '..')
}

/**
 * Prints why a host could not start, without a stack when the message says it all, and ends the process with
 * 1.
 */
export function explainAndExit(name: string, error: unknown): never {
  const explained =
    error instanceof StartupError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
  process.stderr.write(`${name} did not start.\n${explained}\n`)
  process.exit(1)
}

/**
 * An error that nobody caught leaves the process in a state that nobody knows: it is told as all others are,
 * and ends it.
 */
function tellLastError({ logger }: Application): void {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'ended by an error that nobody caught')
    process.exit(1)
  })
}

function stopOnSignals(application: Application): void {
  let signals = 0
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    signals += 1
    if (signals > 1) process.exit(130)
    application.logger.info({ signal }, 'stopping')
    try {
      await application.stop()
      application.logger.info({}, 'stopped')
      process.exit(0)
    } catch (error) {
      application.logger.error({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
