import type { StoredBytes } from './file-bytes.js'

/** A blob as it is kept. */
export interface StoredBlob extends StoredBytes {
  /** Milliseconds since 1970. */
  readonly lastModified: number
}

/** Facts about a blob that was written. */
export interface BlobReceipt {
  /** Bytes. */
  readonly size: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

/**
 * Keeps the bytes of files, in and out as streams: none is ever in memory as a whole. Names are paths of
 * letters, digits, `.`, `_` and `-`, the module first: `hub/documents/3f25…`; they are made by programs,
 * never by callers.
 */
export abstract class BlobStore {
  /**
   * Stores the content of a stream under a name and replaces the old content. A failed stream stores nothing.
   */
  abstract save(name: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt>
  /** The blob of a name; undefined when there is none. */
  abstract find(name: string): Promise<StoredBlob | undefined>
  /** Removes a blob; nothing happens when there is none. */
  abstract delete(name: string): Promise<void>
}

/** Throws unless every part of a name is safe in a path: not empty, not hidden, not leading upwards. */
export function checkBlobName(name: string): void {
  const part = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(?<![.])'
  if (name.length > 255 || !new RegExp(`^${part}(/${part})*$`).test(name))
    throw new RangeError(
      `${JSON.stringify(name)} is no name of a blob: use letters, digits, ".", "_" and "-" in parts joined by "/"`,
    )
}
