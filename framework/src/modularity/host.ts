import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Application, createApplication } from './application.js'
import { loadConfiguration } from './configuration.js'
import type { Constructor, KeelModule } from './module.js'
import { placeOfCompiled } from './source-place.js'
import { StartupError } from './startup-error.js'

// Files of modules run before `runHost` does, so this is the only place that hears of them. It changes nothing of how the process ends.
process.on('uncaughtExceptionMonitor', (error) => {
  const told = importCircle(error)
  if (told) process.stderr.write(`${told}\n`)
})

/** What to do about a class that a file of a circle of imports uses before the file that declares it has run; undefined for other errors. */
function importCircle(error: unknown): string | undefined {
  if (!(error instanceof ReferenceError)) return undefined
  const [, name] = /^Cannot access '(\w+)' before initialization/.exec(error.message) ?? []
  if (!name) return undefined
  const [, file = '', line] = /\(?((?:file:\/\/)?\/[^()\n]+?):(\d+):\d+\)?$/m.exec(error.stack ?? '') ?? []
  const place = file && `\n  at ${placeOfCompiled(file, Number(line), name)}`
  return `The host did not start.\n${name} is used before its file has run: files import each other in a circle. Let one side use the other's contracts only, or move what both need into a third file.${place}`
}

/**
 * Runs a host until it is told to stop: configuration from the folder above the calling file, SIGTERM and SIGINT drain and end it with 0.
 * A start that fails prints why and ends with 1.
 * @param caller `import.meta.url` of the host's main file
 */
export async function runHost(root: Constructor<KeelModule>, caller: string): Promise<Application> {
  try {
    const application = createApplication(root, loadConfiguration({ directory: hostDirectory(caller) }))
    stopOnSignals(application)
    tellLastError(application)
    return await application.start()
  } catch (error) {
    return explainAndExit(root.name, error)
  }
}

/** The package folder of a host whose main file is in `dist/` or `src/`. */
export function hostDirectory(caller: string): string {
  return join(dirname(fileURLToPath(caller)), '..')
}

/** Prints why a host could not start, without a stack when the message says it all, and ends the process with 1. */
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

/** An error that nobody caught leaves the process in a state that nobody knows: it is told as all others are, and ends it. */
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
