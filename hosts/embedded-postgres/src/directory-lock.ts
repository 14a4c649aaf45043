import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js'

/**
 * Does `work` while no other process or thread on this machine does work under the same `lock`, a path in an
 * existing folder. A lock whose owner died is taken over at once. Refused with an error naming the owner
 * after `timeoutMs`.
 */
export async function withDirectoryLock<T>(
  lock: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  await acquire(lock, Date.now() + timeoutMs)
  try {
    return await work()
  } finally {
    release(lock)
  }
}

async function acquire(lock: string, deadline: number): Promise<void> {
  sweep(lock)
  // The owner is written before the folder gets its name, so a lock never stands without one.
  const candidate = `${lock}.${randomUUID()}`
  mkdirSync(candidate)
  writeFileSync(join(candidate, 'owner'), JSON.stringify(identityOf()))
  try {
    while (!renamed(candidate, lock)) {
      const owner = ownerOf(lock)
      if (owner && !isRunning(owner)) breakLock(lock, owner)
      else if (Date.now() > deadline)
        throw new Error(`${lock} has been held by process ${owner?.pid} for too long`)
      else await sleep(25)
    }
  } catch (error) {
    rmSync(candidate, { recursive: true, force: true })
    throw error
  }
}

function release(lock: string): void {
  // Removing it in place would leave an empty folder for a moment, which another's rename may replace.
  const released = `${lock}.${randomUUID()}`
  renameSync(lock, released)
  rmSync(released, { recursive: true, force: true })
}

/**
 * Two that find the same dead owner rename to the same grave: the second fails instead of taking the first
 * one's new lock.
 */
function breakLock(lock: string, dead: ProcessIdentity): void {
  renamed(lock, `${lock}.dead-${dead.pid}-${dead.startedAt.replace(/\W/g, '')}`)
}

function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    const taken = ['ENOTEMPTY', 'EEXIST', 'ENOENT']
    if (process.platform === 'win32') taken.push('EPERM', 'EACCES', 'EBUSY')
    if (taken.includes(code)) return false
    throw error
  }
}

function ownerOf(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(lock, 'owner'), 'utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}

/** Removes what killed processes left behind: graves, and candidates nobody waits with any more. */
function sweep(lock: string): void {
  for (const name of readdirSync(dirname(lock))) {
    if (!name.startsWith(`${basename(lock)}.`)) continue
    const left = join(dirname(lock), name)
    const ageMs = Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (ageMs > 600_000) rmSync(left, { recursive: true, force: true })
  }
}
