import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { connectionVariables } from './connections.js'
import { openDatabases } from './databases.js'
import { inDevelopment } from './environment.js'
import { runningAddresses } from './process-record.js'
import { readSolution } from './solution.js'

/** Runs a Node script with the development databases (or the configured ones) and answers its exit code. */
export async function runWithDatabase(options: {
  root: string
  script: string
  args: readonly string[]
}): Promise<number> {
  const { root, script, args } = options
  const log = (message: string) => process.stderr.write(`PostgreSQL ${message}\n`)
  const directory = join(root, '.keel')
  const { connections, server } = await openDatabases({
    solution: readSolution(root),
    directory,
    env: process.env,
    args,
    log,
  })
  try {
    const { api, admin } = runningAddresses(directory)
    return await runScript([script, ...args], {
      // Seeded clients are sent back to where the host is, also when its usual port was taken.
      ...(api && { App__ApiUrl: api }),
      ...(admin && { App__AdminUrl: admin }),
      ...inDevelopment(process.env),
      ...connectionVariables(connections),
    })
  } finally {
    await server?.stop()
  }
}

function runScript(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: 'inherit' })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      // A Ctrl-C in a terminal reaches the script without us; twice would mean `at once` to it.
      process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal))
    }
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}
