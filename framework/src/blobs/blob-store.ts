import type { StoredBytes } from './file-bytes.js'

/** A blob as it is kept. */
export interface StoredBlob extends StoredBytes {
  /** Milliseconds since 1970. */
  readonly lastModified: number
}

/** What was learnt of a blob while it was written. */
export interface BlobReceipt {
  /** Bytes. */
  readonly size: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

/**
 * Keeps the bytes of files, in and out as streams: none is ever in memory as a whole. Names are paths of letters, digits, `.`, `_` and `-`,
 * the module first: `hub/documents/3f25…`; they are made by programs, never by callers.
 */
export abstract class BlobStore {
  /** Keeps what a stream holds, in place of what the name stood for. A stream that breaks off leaves nothing. */
  abstract save(name: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt>
  /** The blob of a name; undefined when there is none. */
  abstract find(name: string): Promise<StoredBlob | undefined>
  /** Removes a blob; nothing happens when there is none. */
  abstract delete(name: string): Promise<void>
}

/** Throws unless every part of a name is harmless in a path of any system: a part can't be hidden, empty, or lead upwards. */
export function checkBlobName(name: string): void {
  const part = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(?<![.])'
  if (name.length > 255 || !new RegExp(`^${part}(/${part})*$`).test(name))
    throw new RangeError(
      `${JSON.stringify(name)} is no name of a blob: use letters, digits, ".", "_" and "-" in parts joined by "/"`,
    )
}
