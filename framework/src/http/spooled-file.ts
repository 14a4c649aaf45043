import { randomUUID } from 'node:crypto'
import { open, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bytesOf, type StoredBytes } from '../blobs/file-bytes.js'

/** An upload on disk, for as long as its request is answered. */
export interface SpooledFile {
  readonly bytes: StoredBytes
  /** Gives the disk space back. */
  discard(): Promise<void>
}

/**
 * Writes a stream to a temporary file, so that an operation starts with the whole upload at hand: complete, of known size, with every field
 * of its form, and without a transaction that waits for a slow caller. The file has no name from the start: whatever ends this process, the
 * space is free again.
 */
export async function spool(stream: Readable): Promise<SpooledFile> {
  const path = join(tmpdir(), `keel-upload-${randomUUID()}`)
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
