import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { plainEnvironment } from './repository-clone.js'

/** An `npm start` in a clone of this repository. */
export interface Platform {
  readonly apiUrl: string
  readonly authUrl: string
  /** What it printed so far. */
  said(): string
  /** Waits for something that it prints. Throws when it ends before. */
  says(text: string | RegExp, timeoutMs?: number): Promise<void>
  /** Sends a SIGTERM to npm and all that it started. */
  stop(): Promise<void>
  /** Sends a SIGTERM to npm alone. */
  stopNpm(): void
}

/** Runs the command that starts everything, until it tells its addresses. Throws with what it printed when it ends before. */
export async function startPlatform(clone: string, command = 'npm start'): Promise<Platform> {
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: clone,
    env: plainEnvironment,
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const says = (text: string | RegExp, timeoutMs = 30_000): Promise<void> =>
    new Promise((resolve, reject) => {
      const isSaid = () => (typeof text === 'string' ? said.includes(text) : text.test(said))
      const timer = setTimeout(() => finish(`It did not say ${text}`), timeoutMs)
      const look = () => isSaid() && finish()
      const fail = () => finish('It ended')
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.once('exit', fail)
      look()
      function finish(fault?: string): void {
        clearTimeout(timer)
        for (const stream of [child.stdout, child.stderr]) stream.off('data', look)
        child.off('exit', fail)
        if (fault === undefined) resolve()
        else reject(new Error(`${fault}:\n${said}`))
      }
    })
  const stop = () => stopGroup(child)
  try {
    await says('Keel is running', 300_000)
  } catch (error) {
    await stop()
    throw error
  }
  const address = (label: string) => new RegExp(`${label} +(http://localhost:\\d+)`).exec(said)?.[1] ?? ''
  const stopNpm = () => void child.kill('SIGTERM')
  return { apiUrl: address('API '), authUrl: address('Auth '), said: () => said, says, stop, stopNpm }
}

/** What a command answers that a stranger types in a shell of a clone. Throws with what it printed when it fails. */
export async function shell(clone: string, command: string): Promise<string> {
  const options = { cwd: clone, env: plainEnvironment, maxBuffer: 64 * 1024 * 1024 }
  return promisify(execFile)('bash', ['-ec', command], options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${command} failed:\n${stdout}${stderr}`)
    },
  )
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, 'SIGTERM')
  await ended
}
