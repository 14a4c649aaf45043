import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * A process as a later one recognises it, although the system hands its number to others once it has ended.
 */
export interface ProcessIdentity {
  pid: number
  /** An opaque mark of when it started; empty where the system does not tell, then only the number counts. */
  startedAt: string
}

/**
 * The identity of a running process, by default this one; undefined when there is none (a zombie counts as
 * none).
 */
export function identityOf(pid: number = process.pid): ProcessIdentity | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (process.platform === 'linux') return linuxIdentity(pid)
  if (!answersSignals(pid)) return undefined
  return {
    pid,
    startedAt: process.platform === 'win32' ? '' : psField(pid, 'lstart'),
  }
}

/** True while exactly that process runs, not a later one with its number. */
export function isRunning(identity: ProcessIdentity): boolean {
  const current = identityOf(identity.pid)
  if (!current) return false
  return !identity.startedAt || !current.startedAt || identity.startedAt === current.startedAt
}

/** The command line of a running process; empty when there is none or the system does not tell (Windows). */
export function commandOf(pid: number): string {
  if (process.platform === 'win32') return ''
  if (process.platform !== 'linux') return psField(pid, 'command')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function linuxIdentity(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold blanks: count from its end. Field 3 is the state, field 22 the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return { pid, startedAt: `${bootId()}/${fields[19]}` }
  } catch {
    return undefined
  }
}

let knownBootId: string | undefined
/** Start times count from the boot, so after the next one the same number could come again. */
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8)
  return knownBootId
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function psField(pid: number, field: string): string {
  return (
    spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], {
      encoding: 'utf8',
    }).stdout?.trim() ?? ''
  )
}
