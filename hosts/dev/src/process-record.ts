import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  commandOf,
  identityOf,
  isRunning,
  type ProcessIdentity,
  withDirectoryLock,
} from '@keel/embedded-postgres'
import type { Child } from './child.js'

interface RecordedChild extends ProcessIdentity {
  name: string
  script: string
}

interface Recorded {
  owner: ProcessIdentity
  /** ISO instant. */
  since: string
  addresses: Record<string, string>
  children: RecordedChild[]
}

/** Another `npm start` of this folder is running. */
export class AlreadyRunningError extends Error {
  constructor(readonly running: Recorded) {
    super(
      `Keel is already running here, since ${new Date(running.since).toLocaleString()}, as process ${running.owner.pid}`,
    )
  }
}

/**
 * Our running processes, in `.keel/processes.json`, so that the next start finds the processes that a killed
 * one left behind.
 */
export class ProcessRecord {
  private readonly recorded: Recorded
  private isReleased = false

  private constructor(
    private readonly file: string,
    owner: ProcessIdentity,
  ) {
    this.recorded = { owner, since: new Date().toISOString(), addresses: {}, children: [] }
    this.write()
  }

  /**
   * Takes the folder for this process, after ending the children of one that was killed (`onOrphan` hears
   * their names). Throws {@link AlreadyRunningError} when a living one has it.
   */
  static async claim(directory: string, onOrphan: (name: string) => void): Promise<ProcessRecord> {
    mkdirSync(directory, { recursive: true })
    const file = join(directory, 'processes.json')
    return await withDirectoryLock(join(directory, 'processes.lock'), 30_000, async () => {
      const previous = read(file)
      if (previous && isRunning(previous.owner)) throw new AlreadyRunningError(previous)
      await Promise.all(
        (previous?.children ?? []).filter(isOrphan).map((child) => endOrphan(child, onOrphan)),
      )
      return new ProcessRecord(file, identityOf() as ProcessIdentity)
    })
  }

  /** Notes a child until it ends. */
  add(child: Child): void {
    const { name, script, identity } = child
    if (!identity) return
    const entry = { ...identity, name, script }
    this.recorded.children.push(entry)
    this.write()
    const forget = () => {
      this.recorded.children = this.recorded.children.filter((other) => other !== entry)
      this.write()
    }
    child.ended.then(forget, forget)
  }

  setAddresses(addresses: Record<string, string>): void {
    this.recorded.addresses = addresses
    this.write()
  }

  /** Gives the folder back; nothing is noted after that. */
  release(): void {
    this.isReleased = true
    rmSync(this.file, { force: true })
  }

  private write(): void {
    if (this.isReleased) return
    writeFileSync(`${this.file}.new`, JSON.stringify(this.recorded, null, 2))
    renameSync(`${this.file}.new`, this.file)
  }
}

/** The addresses of the hosts that run for a living `npm start` of this folder, by name; none without one. */
export function runningAddresses(directory: string): Record<string, string> {
  const recorded = read(join(directory, 'processes.json'))
  return recorded && isRunning(recorded.owner) ? recorded.addresses : {}
}

function read(file: string): Recorded | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Recorded
  } catch {
    return undefined
  }
}

/**
 * Its command must be ours too: where start times are not known, the number could have gone to a stranger.
 */
function isOrphan(child: RecordedChild): boolean {
  return isRunning(child) && (process.platform === 'win32' || commandOf(child.pid).includes(child.script))
}

async function endOrphan(child: RecordedChild, onOrphan: (name: string) => void): Promise<void> {
  onOrphan(child.name)
  send(child.pid, 'SIGTERM')
  const deadline = Date.now() + 10_000
  while (isRunning(child) && Date.now() < deadline) await sleep(50)
  if (!isRunning(child)) return
  send(child.pid, 'SIGKILL')
  while (isRunning(child) && Date.now() < deadline + 5000) await sleep(50)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
