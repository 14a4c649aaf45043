import { Injectable } from '@keel/framework'
import { type ZippedFile, zipFiles } from '@keel/framework/blobs'
import { LimitReachedError } from '@keel/framework/contracts'
import { CallerGates, Gate } from '@keel/framework/security'

/** Archives of a caller that wait until the one at hand is read. */
const mostWaiting = 5

/** Archives of documents: a caller reads one at a time, because packing takes processor time that others need. */
@Injectable()
export class DocumentArchives {
  private readonly callers = new CallerGates(() => new Gate(1, mostWaiting, busy))

  /**
   * The archive of some files. Its first byte comes when the caller's archives before it are read or given up. Throws `LimitReachedError`, at once,
   * to a caller who has as many archives waiting as one may have.
   */
  stream(files: readonly ZippedFile[]): ReadableStream<Uint8Array> {
    if (this.callers.isFull) throw busy()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    this.callers
      .pass(() => zipFiles(files).pipeTo(writable))
      // The reader is told, unless it is the one who went away.
      .catch((error: unknown) => writable.abort(error).catch(() => undefined))
    return readable
  }
}

function busy(): LimitReachedError {
  return new LimitReachedError('Too many archives of the caller are waiting.', 5, {
    text: { key: 'Hub:Document:TooManyArchives' },
  })
}
