/** What a scanner found out about a file. */
export type ScanVerdict =
  | { readonly isClean: true }
  | {
      readonly isClean: false
      /** In the scanner's words: the name of what it found, or why it can not tell. At most 200 characters. */
      readonly reason: string
    }

/**
 * Extension point: looks for malware in files. {@link BlobsModule} provides one that speaks ClamAV's protocol when `FileScanner:Host` is set. A host
 * may provide another one.
 */
export abstract class FileScanner {
  /** False when there is no scanner: files count without being scanned. */
  abstract readonly isConfigured: boolean
  /**
   * Scans a file. Throws `UnavailableError` when the scanner does not answer, or answers with an error that another try may not get.
   * @param signal ends the scan
   */
  abstract scan(content: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<ScanVerdict>
}

/** Stands in where no scanner is configured. */
export class NoFileScanner extends FileScanner {
  readonly isConfigured = false

  scan(): Promise<ScanVerdict> {
    throw new Error('No scanner is configured: set FileScanner:Host.')
  }
}
