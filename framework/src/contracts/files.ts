/** Bytes that are read as a stream, as those of a web `Blob` are. */
export interface FileBytes {
  stream(): ReadableStream<Uint8Array>
}

/**
 * A file on its way into an operation or out of one: the part of a web `File` that needs no memory, so that a
 * `File` is one. What came over the wire can be read once.
 */
export interface FileContent extends FileBytes {
  /** Its name, without folders; empty when it has none. */
  readonly name: string
  /** Its media type, e.g. `application/pdf`; empty when nobody said. */
  readonly type: string
  /** Bytes; undefined while nobody knows. */
  readonly size?: number | undefined
  /** Milliseconds since 1970. */
  readonly lastModified?: number | undefined
  /** The entity tag it is sent with, quotes included. */
  readonly entityTag?: string | undefined
  /** The bytes from `start` up to `end`, which is left out; a file without this is sent as a whole only. */
  slice?(start: number, end: number): FileBytes
}

/** True for what can be read as a {@link FileContent}. */
export function isFileContent(value: unknown): value is FileContent {
  const { name, stream } = (value ?? {}) as Partial<FileContent>
  return typeof name === 'string' && typeof stream === 'function'
}
