import { inDevelopment } from './environment.js'
import { Platform } from './platform.js'
import { readSolution } from './solution.js'
import { Terminal } from './terminal.js'

/** What is started, by whom. */
export interface PlatformStart {
  /** The folder of the solution. */
  readonly root: string
  /** The file of its compiler. */
  readonly compiler: string
  /** The fingerprint of all that the programs are made of; undefined where there is none. */
  readonly sources: string | undefined
  /** The command line. */
  readonly words: readonly string[]
}

/** Runs a solution until the process is told to stop, and sets its exit code. */
export async function runPlatform({ root, compiler, sources, words }: PlatformStart): Promise<void> {
  const platform = new Platform({
    solution: readSolution(root),
    compiler,
    sources,
    env: inDevelopment(process.env),
    args: words.filter((word) => word !== '--watch'),
    watch: words.includes('--watch'),
    terminal: new Terminal(),
  })
  stopOnSignals(platform)
  // The reader of our output is gone: `npm start | head`.
  process.stdout.once('error', () => platform.stop())
  process.exitCode = await platform.run()
}

function stopOnSignals(platform: Platform): void {
  let firstSignalAt = 0
  const onSignal = async (): Promise<void> => {
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
  endWithNpm(() => {
    if (!firstSignalAt) void onSignal()
  })
}

/** Calls back when the process that runs the npm script ends: npm's shell does not pass a SIGTERM on. */
function endWithNpm(onEnd: () => void): void {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, 250)
  timer.unref()
}
