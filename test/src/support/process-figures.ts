import { readFileSync, writeFileSync } from 'node:fs'

/** Resident memory of a process in MB, from Linux' /proc; 0 elsewhere. */
export function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}

/** The most resident memory in MB that a process had since it was last asked to forget it, from Linux' /proc; 0 elsewhere. */
export function peakMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}

/** Starts {@link peakMegabytes} anew. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // No Linux: there is nothing to forget.
  }
}

/** The CPU time in milliseconds that the main thread of a process has taken, from Linux' /proc; 0 elsewhere. Other processes do not show in it. */
export function mainThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
