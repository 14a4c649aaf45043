import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { identityOf, type ProcessIdentity } from '@keel/embedded-postgres'

export interface ChildOptions {
  name: string
  script: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  directory: string
  /** Takes every line it writes, on either stream. */
  onLine?: ((line: string) => void) | undefined
  /** What the process loads beforehand; it then runs the script when {@link Child.begin} is called. Without it the script runs at once. */
  standby?: Preload | undefined
}

/**
 * What a standby loads: the packages from npm that its script uses, with those the modules of the solution that the next change probably leaves alone,
 * or all that the script imports. The more it loads, the sooner the script runs, and the more changes of the sources make it useless.
 */
export type StandbyKind = 'libraries' | 'ahead' | 'program'

/** What a process loads before its script runs. */
export interface Preload {
  readonly kind: StandbyKind
  /** Of the kind `ahead`: compiled files, and folders of them, that the next change is probably in. They do not run, nor does what imports them. */
  readonly avoided?: readonly string[]
}

/** What a standby sends when it has loaded its modules. */
export interface LoadedMessage {
  /** The compiled files of the solution, or folders of them, that have run. */
  readonly ran: readonly string[]
}

/** How a child ended: an exit code, or the signal that killed it. */
export interface ChildEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A Node script in a process of its own. */
export class Child {
  readonly name: string
  readonly script: string
  readonly identity: ProcessIdentity | undefined
  readonly ended: Promise<ChildEnd>
  /** Settles when a standby has loaded its modules, and when it has ended. */
  readonly loaded: Promise<void>
  /** The compiled files of the solution, or folders of them, that a standby has run; undefined while it loads. */
  ran: readonly string[] | undefined
  /** The last lines it wrote. */
  readonly lastLines: string[] = []
  private readonly child: ChildProcess
  private onLine: (line: string) => void
  /** Lines of a standby whose script has not begun; undefined when it has. */
  private heldLines: string[] | undefined

  constructor(options: ChildOptions) {
    this.name = options.name
    this.script = options.script
    this.onLine = options.onLine ?? (() => undefined)
    // Detached: a Ctrl-C in the terminal is for us, and we end the children in order.
    const { kind, avoided = [] } = options.standby ?? {}
    const first = kind ? [standby, kind, avoided.join(delimiter)] : []
    if (kind) this.heldLines = []
    this.child = spawn(process.execPath, [...first, options.script, ...options.args], {
      cwd: options.directory,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe', ...(kind ? (['ipc'] as const) : [])],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.identity = this.child.pid === undefined ? undefined : identityOf(this.child.pid)
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => this.take(line))
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }) as ChildEnd)
    this.ended.catch(() => undefined) // whoever waits for it hears it
    this.child.once('message', ({ ran }: LoadedMessage) => {
      this.ran = ran
    })
    this.loaded = new Promise((resolve) => {
      for (const event of ['message', 'exit', 'error'] as const) this.child.once(event, () => resolve())
    })
  }

  /**
   * Lets a standby run its script.
   * @param env variables that were not known when the process was started
   * @param onLine takes every line it writes, also those that it wrote so far
   */
  begin(env: Readonly<Record<string, string>>, onLine: (line: string) => void): void {
    this.child.send(env, () => undefined) // a standby that ended meanwhile is noticed by `ended`
    this.onLine = onLine
    const lines = this.heldLines ?? []
    this.heldLines = undefined
    for (const line of lines) onLine(line)
  }

  /** Gives it the processor only when no other process wants it. */
  stepBack(): void {
    if (this.child.pid !== undefined) setPriority(this.child.pid, constants.priority.PRIORITY_LOW)
  }

  /** Asks it to end and kills it when it has not after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.child.kill('SIGTERM')
    const kill = setTimeout(() => this.kill(), graceMs)
    await this.ended.catch(() => undefined)
    clearTimeout(kill)
  }

  kill(): void {
    this.child.kill('SIGKILL')
  }

  private take(line: string): void {
    this.lastLines.push(line)
    if (this.lastLines.length > 20) this.lastLines.shift()
    if (this.heldLines) this.heldLines.push(line)
    else this.onLine(line)
  }
}

// From here as well when this is read as TypeScript, as tests do.
const standby = fileURLToPath(new URL('../dist/standby.js', import.meta.url))

/** An end in words. */
export function describeEnd({ code, signal }: ChildEnd): string {
  return signal ? `was killed by ${signal}` : `ended with exit code ${code}`
}
