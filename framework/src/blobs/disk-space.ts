import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UnavailableError } from '../contracts/index.js'
import type { HealthState } from '../modularity/health-check.js'

/** Errors of a disk that takes no more: full, over quota, file too large, mounted read-only. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS'])
const retryAfterSeconds = 60
/** A disk that takes so much in one file again counts as well. */
const probeBytes = 1024 * 1024

/** Watches a folder for writability, and turns a full disk into an error that asks callers to retry. */
export class DiskSpace {
  private isFull = false

  /** @param label names the folder for those who read the health checks */
  constructor(
    private readonly folder: string,
    private readonly label: string,
  ) {}

  /** Does work that writes into the folder. Throws {@link UnavailableError} when there is no room. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!noRoom.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      this.isFull = true
      throw new UnavailableError('There is no room for files.', retryAfterSeconds, {
        cause: error,
        text: { key: 'Files:NoRoom' },
      })
    }
  }

  /** Degraded from the first write that found no room on, until a file of 1 MB can be written again. */
  async state(): Promise<HealthState> {
    if (this.isFull) this.isFull = !(await this.takesFiles())
    return this.isFull
      ? { status: 'Degraded', description: `${this.label}: the disk is full, uploads are refused.` }
      : { status: 'Healthy' }
  }

  private async takesFiles(): Promise<boolean> {
    const path = join(this.folder, `.probe-${randomUUID()}`)
    try {
      await mkdir(this.folder, { recursive: true })
      const file = await open(path, 'wx', 0o600)
      try {
        await file.writeFile(Buffer.alloc(probeBytes))
        await file.sync()
      } finally {
        await file.close()
      }
      return true
    } catch {
      return false
    } finally {
      await rm(path, { force: true }).catch(() => undefined)
    }
  }
}
