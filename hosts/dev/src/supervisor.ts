import { setTimeout as sleep } from 'node:timers/promises'
import { Child, type ChildEnd, describeEnd, type Preload, type StandbyKind } from './child.js'
import { formatLogLine, isWarning } from './log-lines.js'
import { isInOneOf } from './module-scripts.js'
import type { ProcessRecord } from './process-record.js'
import type { Terminal } from './terminal.js'

/** A child ended that should not have, or not so. */
export class ChildFailedError extends Error {
  constructor(
    readonly child: Child,
    readonly end: ChildEnd,
  ) {
    super(`${child.name} ${describeEnd(end)}`)
  }
}

/** A Node script, without the variables that it needs. */
export interface Script {
  name: string
  script: string
  args?: readonly string[]
  /** The file that holds the program when its sources have changed; the script itself when not given. */
  unbundled?: string
}

export interface Program extends Script {
  env?: Record<string, string>
  /** True for what nobody waits for: all others come first. */
  isIdle?: boolean
}

interface RunningHost {
  program: Program
  readonly readyUrl: string
  readonly show: (line: string) => void
  /** Undefined while it is replaced. */
  child?: Child | undefined
}

/** A process that waits for the start of its program. */
interface Standby extends Preload {
  readonly child: Child
}

/** Starts and ends the processes of the platform, and shows what they say. */
export class Supervisor {
  private readonly children = new Set<Child>()
  private readonly hosts = new Map<string, RunningHost>()
  /** Processes that wait for the start of their program, by its name. */
  private readonly standbys = new Map<string, Standby[]>()
  private isStopping = false
  /** The last call of {@link prepareRestarts}, or of what puts an end to it. */
  private preparation = {}
  private readonly colours = ['36', '35', '34', '33']

  constructor(
    private readonly options: {
      directory: string
      env: NodeJS.ProcessEnv
      terminal: Terminal
      record: ProcessRecord
      /** A host that was to keep running ended. */
      onFailure: (error: ChildFailedError) => void
    },
  ) {}

  /**
   * Runs a program to its end, silent but for its warnings. Throws {@link ChildFailedError} when it does not
   * end with 0.
   */
  async run(program: Program): Promise<void> {
    const show = this.prefixed(program.name, '90')
    const child = this.begin(program, (line) => isWarning(line) && show(line))
    const end = await child.ended
    if (end.code !== 0) throw new ChildFailedError(child, end)
  }

  /** Starts a host and waits until `readyUrl` answers with 200. Its log lines are shown from the first. */
  async start(program: Program, readyUrl: string): Promise<void> {
    const host = { program, readyUrl, show: this.prefixed(program.name, this.colours.shift() ?? '37') }
    this.hosts.set(program.name, host)
    await this.launch(host)
  }

  /**
   * Ends a host that was started, also one that ended by itself, and starts it anew, as a standby where there is one. The new process loads while
   * the old one answers the requests in flight; where the old one still listens when the new one is to, the new one is started once more.
   * A program that began as a bundle runs from the files that changed.
   */
  async restart(name: string): Promise<void> {
    const host = this.hosts.get(name)
    if (!host || this.isStopping) return
    this.preparation = {}
    const { child } = host
    host.program = withoutBundle(host.program)
    host.child = undefined
    const ended = child?.stop(graceMs)
    try {
      await this.launch(host, ended)
    } catch (error) {
      if (!isPortTaken(error)) throw error
      await this.launch(host)
    }
  }

  /**
   * Starts a process that loads modules of a program before its time, one of each kind at most: the next start of the program takes the one that has
   * loaded the most. That program must be started by the same script with the same arguments.
   * @returns the process; undefined when there is one already
   */
  prepare(program: Script, preload: Preload): Child | undefined {
    if (this.isStopping) return undefined
    const waiting = this.standbys.get(program.name) ?? []
    if (waiting.some(({ kind }) => kind === preload.kind)) return undefined
    const child = this.spawn(program, preload)
    const standby = { ...preload, child }
    this.standbys.set(program.name, [...waiting, standby])
    const forget = () => {
      const left = this.standbys.get(program.name)?.filter((other) => other !== standby) ?? []
      this.standbys.set(program.name, left)
    }
    child.ended.then(forget, forget)
    return child
  }

  /**
   * Starts for each host the processes that its next {@link restart} takes, e.g. one with libraries alone, and one with modules too. One after the
   * other, because what loads takes the processor from what a change needs; the rest waits while a host is restarted.
   * @param preloads first what the next change probably needs
   */
  async prepareRestarts(...preloads: readonly Preload[]): Promise<void> {
    const preparation = {}
    this.preparation = preparation
    for (const preload of preloads) {
      if (this.preparation !== preparation) return
      const begun = [...this.hosts.values()].map(({ program }) =>
        this.prepare(withoutBundle(program), preload),
      )
      await Promise.all(begun.map((child) => child?.loaded))
    }
  }

  /**
   * Ends the standbys that have run what has changed.
   * @param changed compiled files
   */
  discardStale(changed: readonly string[]): void {
    for (const [name, waiting] of this.standbys) {
      const stale = waiting.filter((standby) => mayHaveRun(standby, changed))
      for (const { child } of stale) child.kill()
      this.standbys.set(
        name,
        waiting.filter((standby) => !stale.includes(standby)),
      )
    }
  }

  /** @param before the end of the process whose address the host takes over */
  private async launch(host: RunningHost, before?: Promise<void>): Promise<void> {
    const { program, readyUrl, show } = host
    const child = this.begin(program, show)
    host.child = child
    let end: ChildEnd | undefined
    let isReadyOnce = false
    child.ended.then((ended) => {
      end = ended
      // Before that the caller hears of it; and what is replaced is to end.
      if (isReadyOnce && !this.isStopping && host.child === child)
        this.options.onFailure(new ChildFailedError(child, ended))
    }, this.options.onFailure)
    await before
    const deadline = Date.now() + readyTimeoutMs
    while (!(await isReady(readyUrl))) {
      if (end) throw new ChildFailedError(child, end)
      if (Date.now() > deadline) throw new Error(`${program.name} does not answer ${readyUrl} with 200`)
      // Each question takes a millisecond or two of the processor, which the hosts need while they start.
      await sleep(50)
    }
    isReadyOnce = true
  }

  /** Ends all of them, gracefully where they let us. Nothing starts after that. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.preparation = {}
    await Promise.all([...this.children].map((child) => child.stop(graceMs)))
  }

  kill(): void {
    this.isStopping = true
    for (const child of this.children) child.kill()
  }

  /** Lets a standby of a program begin, or starts a process for it. */
  private begin(program: Program, onLine: (line: string) => void): Child {
    const waiting = this.standbys.get(program.name) ?? []
    const standby = mostFirst.flatMap((kind) => waiting.filter((one) => one.kind === kind)).at(0)
    if (!standby) return this.spawn(program, undefined, onLine)
    const { child } = standby
    this.standbys.set(
      program.name,
      waiting.filter((other) => other !== standby),
    )
    child.begin(program.env ?? {}, onLine)
    return child
  }

  private spawn(
    { name, script, args = [], env = {}, isIdle }: Program,
    standby?: Preload,
    onLine?: (line: string) => void,
  ): Child {
    if (this.isStopping) throw new Error('stopping')
    const { directory, record } = this.options
    const child = new Child({
      name,
      script,
      args,
      env: { ...this.options.env, ...env },
      directory,
      onLine,
      standby,
    })
    if (isIdle) child.stepBack()
    this.children.add(child)
    record.add(child)
    const forget = () => this.children.delete(child)
    child.ended.then(forget, forget)
    return child
  }

  private prefixed(name: string, colour: string): (line: string) => void {
    const { terminal } = this.options
    const prefix = terminal.paint(`${name.padEnd(8)} │ `, colour)
    return (line) => {
      for (const part of formatLogLine(line, terminal.colours).split('\n')) terminal.line(prefix + part)
    }
  }
}

/** What a standby has loaded, the most first. */
const mostFirst: readonly StandbyKind[] = ['program', 'ahead', 'libraries']

/** True for a standby that has run one of some compiled files, or may just be running it. */
function mayHaveRun({ kind, avoided = [], child: { ran } }: Standby, files: readonly string[]): boolean {
  if (kind !== 'ahead') return kind === 'program'
  return files.some((file) => !isInOneOf(file, avoided) && (!ran || isInOneOf(file, ran)))
}

const withoutBundle = <P extends Script>(program: P): P => ({
  ...program,
  script: program.unbundled ?? program.script,
})

const readyTimeoutMs = 60_000
const graceMs = 10_000

/** True for a host that did not start because another process listens at its port. */
function isPortTaken(error: unknown): boolean {
  return error instanceof ChildFailedError && error.child.lastLines.some((line) => / is in use\b/.test(line))
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}
