import { readdirSync, readFileSync } from 'node:fs'
import { type LoadResult, load } from './load.js'

/** What a load saw, and what it took of PostgreSQL. */
export interface Measured extends LoadResult {
  /** CPU time of PostgreSQL's processes per request in µs. */
  readonly databaseMicroseconds: number | undefined
}

/**
 * A load, with the CPU time of host and PostgreSQL. This process sleeps while it waits, as pgbench does: host and PostgreSQL share the cores.
 * @param directory the folder of the embedded PostgreSQL
 */
export async function measureBoth(
  options: Omit<Parameters<typeof load>[0], 'sleeps'>,
  directory: string,
): Promise<Measured> {
  const shared = { ...options, sleeps: true }
  await load({ ...shared, seconds: 0 })
  const before = databaseSecondsOf(directory)
  const result = await load({ ...shared, warmUpSeconds: 0 })
  const used = databaseSecondsOf(directory) - before
  return { ...result, databaseMicroseconds: (used * 1e6) / result.requests }
}

/** CPU time of the processes of an embedded PostgreSQL so far, of those that ended too; 0 where /proc does not tell. */
export function databaseSecondsOf(directory: string): number {
  const [postmaster = ''] = readFileSync(`${directory}/postgres/postmaster.pid`, 'utf8').split('\n')
  let seconds = 0
  for (const pid of numbersIn('/proc')) {
    const times = timesOf(pid)
    if (pid === postmaster) seconds += times?.withEndedChildren ?? 0
    else if (times?.parent === postmaster) seconds += times.own
  }
  return seconds
}

/** Memory of a process that is in RAM, in MB; NaN where /proc does not tell. */
export function residentMegabytesOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return Number.NaN
  }
}

function numbersIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function timesOf(pid: string): { parent: string; own: number; withEndedChildren: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticks = fields.slice(11, 15).map(Number) as [number, number, number, number]
    const own = (ticks[0] + ticks[1]) / 100
    return { parent: fields[1] ?? '', own, withEndedChildren: own + (ticks[2] + ticks[3]) / 100 }
  } catch {
    return undefined
  }
}
