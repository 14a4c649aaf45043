import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/*
 * The handshake of a deployment: a migrator is started with a random token, asked for its state until that is Completed or Failed, stopped,
 * and the token is deleted. Needs nothing but Node.js, so that a pipeline can take this file alone.
 */

const usage = `usage: node deploy.js [SWITCHES] [-- WORDS FOR THE MIGRATOR]

Without --start, the migrator beside this file runs here. Elsewhere, say how; commands run in a shell, with PIPELINE_AUTH_TOKEN set for
the first two:
--set-token COMMAND      writes the token setting of the migrator
--start COMMAND          starts the migrator, and ends
--status-url URL         where it then serves GET /migration/status
--stop COMMAND           stops it, whatever came of it
--delete-token COMMAND   deletes the token setting, whatever came of it

--timeout SECONDS        how long it may take at most; 1800
--poll SECONDS           between two questions; 2

--help                   shows this

Ends with 0 when the migration completed, 1 when it failed or was not told to have ended in time, 2 for a wrong call.
`

interface Handshake {
  readonly setToken?: string
  readonly start?: string
  readonly statusUrl?: string
  readonly stop?: string
  readonly deleteToken?: string
  readonly timeoutMs: number
  readonly pollMs: number
  readonly words: readonly string[]
}

/** The answer of the status endpoint. */
interface Status {
  readonly state: string
  readonly exception: string | null
}

const tokenLength = 50
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

process.exitCode = await main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<number> {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(usage)
    return 0
  }
  const handshake = readHandshake(argv)
  if (typeof handshake === 'string') {
    process.stderr.write(`${handshake}\n\n${usage}`)
    return 2
  }
  const aborted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => aborted.abort(new Error(`stopped by ${signal}`)))
  try {
    await shakeHands(handshake, aborted.signal)
    tell('the migration is completed')
    return 0
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    return 1
  }
}

function readHandshake(argv: readonly string[]): Handshake | string {
  try {
    const text = { type: 'string' } as const
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'set-token': text,
        start: text,
        'status-url': text,
        stop: text,
        'delete-token': text,
        timeout: { type: 'string', default: '1800' },
        poll: { type: 'string', default: '2' },
      },
    })
    const timeoutMs = Number(values.timeout) * 1000
    const pollMs = Number(values.poll) * 1000
    if (!(timeoutMs > 0 && pollMs > 0)) return '--timeout and --poll take seconds'
    if (values.start !== undefined && !values['status-url']) return '--start needs --status-url'
    return {
      setToken: values['set-token'],
      start: values.start,
      statusUrl: values['status-url'],
      stop: values.stop,
      deleteToken: values['delete-token'],
      timeoutMs,
      pollMs,
      words: positionals,
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** Throws when the migration did not complete; the migrator is stopped and the token deleted in any case. */
async function shakeHands(handshake: Handshake, aborted: AbortSignal): Promise<void> {
  const { setToken, start, statusUrl = '', stop, deleteToken, words } = handshake
  const token = Array.from({ length: tokenLength }, () => letters[randomInt(letters.length)]).join('')
  const faults: string[] = []
  let own: OwnMigrator | undefined
  await attempt(async () => {
    if (setToken) await runCommand(setToken, token)
    if (start) await runCommand(start, token)
    else own = startOwn(words, token)
    await waitForEnd(handshake, () => own?.statusUrl() ?? statusUrl, {
      token,
      aborted,
      hasEnded: () => own?.child.exitCode ?? own?.child.signalCode ?? undefined,
    })
  })
  await attempt(async () => own && (await endOwn(own)))
  await attempt(async () => stop && (await runCommand(stop)))
  await attempt(async () => deleteToken && (await runCommand(deleteToken)))
  if (faults.length) throw new Error(faults.join('\n'))

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: Error) => faults.push(error.message))
  }
}

interface Waiting {
  readonly token: string
  readonly aborted: AbortSignal
  readonly hasEnded: () => unknown
}

async function waitForEnd(
  { timeoutMs, pollMs }: Handshake,
  url: () => string,
  { token, aborted, hasEnded }: Waiting,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let last = ''
  while (Date.now() < deadline) {
    aborted.throwIfAborted()
    const ended = hasEnded()
    if (ended !== undefined) throw new Error(`The migrator ended by itself (${String(ended)})`)
    const answer = await ask(url(), token)
    const shown = typeof answer === 'string' ? answer : answer.state
    if (shown !== last) tell(shown)
    last = shown
    if (typeof answer !== 'string') {
      if (answer.state === 'Completed') return
      if (answer.state === 'Failed')
        throw new Error(`The migration failed: ${answer.exception ?? 'nobody knows why'}`)
    }
    await sleep(pollMs, undefined, { signal: aborted }).catch(() => undefined)
  }
  throw new Error(`The migration did not end in ${timeoutMs / 1000} s; at last: ${last || 'no answer'}`)
}

/** The state, or why there is none to be had: while it starts, or an older one still runs, that is no reason to give up. */
async function ask(url: string, token: string): Promise<Status | string> {
  if (!url) return 'it does not listen yet'
  try {
    // Not in the address, which others write into their logs.
    const headers = { 'x-pipeline-auth-token': token }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
    return response.ok ? ((await response.json()) as Status) : `it answers ${response.status}`
  } catch {
    return 'it does not answer'
  }
}

interface OwnMigrator {
  readonly child: ChildProcess
  /** Empty while it does not listen. */
  readonly statusUrl: () => string
}

function startOwn(words: readonly string[], token: string): OwnMigrator {
  const program = fileURLToPath(new URL('main.js', import.meta.url))
  const child = spawn(process.execPath, [program, '--enable-api', ...words], {
    env: { PORT: '0', ...process.env, PIPELINE_AUTH_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (text) => {
    process.stdout.write(text)
    if (!found) said += String(text)
    found ||= /"url":"([^"]+)"/.exec(said)?.[1] ?? ''
  })
  let found = ''
  return { child, statusUrl: () => found && `${found}/migration/status` }
}

async function endOwn({ child }: OwnMigrator): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

async function runCommand(command: string, token?: string): Promise<void> {
  const env = token ? { ...process.env, PIPELINE_AUTH_TOKEN: token } : process.env
  const child = spawn(command, { shell: true, env, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as (number | null)[]
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
}

function tell(message: string): void {
  process.stdout.write(`deploy   ${message}\n`)
}
