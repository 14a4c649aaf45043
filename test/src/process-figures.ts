import { readFileSync } from 'node:fs'

/** Resident memory of a process in MB, from Linux' /proc; 0 elsewhere. */
export function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}
