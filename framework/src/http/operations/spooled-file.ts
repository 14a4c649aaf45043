import { randomUUID } from 'node:crypto'
import { open, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DiskSpace } from '../../blobs/disk-space.js'
import { bytesOf, type StoredBytes } from '../../blobs/file-bytes.js'
import type { HealthState } from '../../modularity/health-check.js'

/** An upload on disk, for as long as its request is answered. */
export interface SpooledFile {
  readonly bytes: StoredBytes
  /** Gives the disk space back. */
  discard(): Promise<void>
}

/**
 * Writes uploads to temporary files, so that an operation starts with the whole upload at hand: complete, of
 * known size, with every field of its form, and without a transaction that waits for a slow caller. The files
 * have no name from the start: whatever ends this process, the space is free again.
 */
export class UploadSpool {
  private readonly space: DiskSpace

  constructor(private readonly folder: string) {
    this.space = new DiskSpace(folder, 'App:UploadsFolder')
  }

  /** The state of the folder for uploads, for the health check. */
  state(): Promise<HealthState> {
    return this.space.state()
  }

  /** Throws `UnavailableError` when the disk is full. */
  keep(stream: Readable): Promise<SpooledFile> {
    return this.space.guard(() => this.write(stream))
  }

  private async write(stream: Readable): Promise<SpooledFile> {
    const path = join(this.folder, `keel-upload-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    try {
      await unlink(path)
      await writeFile(file, stream)
      const { size } = await file.stat()
      return { bytes: bytesOf(file, size), discard: () => file.close() }
    } catch (error) {
      await file.close()
      throw error
    }
  }
}
