import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inDevelopment } from './environment.js'
import { Platform } from './platform.js'
import { Terminal } from './terminal.js'

const platform = new Platform({
  root: join(fileURLToPath(import.meta.url), '..', '..', '..', '..'),
  env: inDevelopment(process.env),
  args: process.argv.slice(2).filter((word) => word !== '--watch'),
  watch: process.argv.includes('--watch'),
  terminal: new Terminal(),
})

let firstSignalAt = 0
async function onSignal(): Promise<void> {
  if (!firstSignalAt) {
    firstSignalAt = Date.now()
    return platform.stop()
  }
  // npm sends on the Ctrl-C that the terminal has sent us already: that is not a second one.
  if (Date.now() - firstSignalAt < 500) return
  const giveUp = setTimeout(() => process.exit(130), 3000)
  await platform.kill().finally(() => clearTimeout(giveUp))
  process.exit(130)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
endWithNpm()
// The reader of our output is gone: `npm start | head`.
process.stdout.once('error', () => platform.stop())

process.exitCode = await platform.run()

/** Stops the platform when the process that runs the npm script ends: npm's shell does not pass a SIGTERM on. */
function endWithNpm(): void {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    if (!firstSignalAt) void onSignal()
  }, 250)
  timer.unref()
}
