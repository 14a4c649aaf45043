import { type FileHandle, open } from 'node:fs/promises'
import type { FileBytes } from '../contracts/index.js'

/** Bytes of known number, of which a part can be had alone. */
export interface StoredBytes extends FileBytes {
  /** Bytes. */
  readonly size: number
  slice(start: number, end: number): FileBytes
}

const chunkBytes = 64 * 1024

/**
 * The bytes of a file on disk, by its path or by a handle that the caller closes. Every stream begins anew.
 */
export function bytesOf(file: string | FileHandle, size: number): StoredBytes {
  const slice = (start: number, end: number): FileBytes => ({ stream: () => streamOf(file, start, end) })
  return { size, slice, stream: () => streamOf(file, 0, size) }
}

/** Reads a chunk when one is asked for, and none ahead. */
function streamOf(file: string | FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let handle: FileHandle | undefined
  let position = start
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      try {
        const chunk = await next()
        if (chunk) controller.enqueue(chunk)
        if (position < end) return
        await release()
        controller.close()
      } catch (error) {
        await release()
        throw error
      }
    },
    cancel: release,
  }
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })

  async function next(): Promise<Uint8Array | undefined> {
    const chunk = new Uint8Array(Math.min(chunkBytes, Math.max(end - position, 0)))
    if (chunk.length === 0) return undefined
    handle ??= typeof file === 'string' ? await open(file) : file
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) throw new Error(`The file ended at ${position} of ${end} bytes.`)
    position += bytesRead
    return chunk.subarray(0, bytesRead)
  }

  async function release(): Promise<void> {
    if (typeof file === 'string') await handle?.close()
  }
}
