import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
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
  onLine?: (line: string) => void
  /** Loads the framework, and runs the script when {@link Child.begin} is called. */
  isStandby?: boolean
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
  /** The last lines it wrote. */
  readonly lastLines: string[] = []
  private readonly child: ChildProcess
  private readonly onLine: (line: string) => void

  constructor(options: ChildOptions) {
    this.name = options.name
    this.script = options.script
    this.onLine = options.onLine ?? (() => undefined)
    // Detached: a Ctrl-C in the terminal is for us, and we end the children in order.
    const first = options.isStandby ? [standby] : []
    this.child = spawn(process.execPath, [...first, options.script, ...options.args], {
      cwd: options.directory,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe', ...(options.isStandby ? (['ipc'] as const) : [])],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.identity = this.child.pid === undefined ? undefined : identityOf(this.child.pid)
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => this.take(line))
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }) as ChildEnd)
    this.ended.catch(() => undefined) // whoever waits for it hears it
  }

  /** Lets a standby run its script. */
  begin(): void {
    this.child.send('begin', () => undefined) // a standby that ended meanwhile is noticed by `ended`
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
    this.onLine(line)
  }
}

const standby = fileURLToPath(new URL('standby.js', import.meta.url))

/** An end in words. */
export function describeEnd({ code, signal }: ChildEnd): string {
  return signal ? `was killed by ${signal}` : `ended with exit code ${code}`
}
