import { Worker } from 'node:worker_threads'
import { Configuration, configurationSection, Injectable, Logger } from '@keel/framework'
import type { StoredBlob } from '@keel/framework/blobs'
import { LimitReachedError, z } from '@keel/framework/contracts'
import { CallerGates, Gate } from '@keel/framework/security'
import type { Document } from '../domain/document.js'
import { DocumentFiles } from '../persistence/document-files.js'

/** How previews of documents are made. */
export const PreviewSettings = configurationSection('DocumentPreviews', {
  /** A file whose preview takes longer has none. */
  timeoutMs: z.number().positive().max(600_000).default(20_000),
})

/** Media types of files that have a preview. */
const shownTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg'])
/** The preview of a larger file would need as much memory. */
const mostFileBytes = 32 * 1024 * 1024
/** Pixels of the longer side. */
const longestSide = 1000
/** A page of A4 that was scanned with 600 dots per inch has 35 million. */
const mostPixels = 40_000_000
/** Of WebAssembly, in which files are read. */
const mostMemoryBytes = 256 * 1024 * 1024
/** Of everything else in the thread. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
const threadsAtOnce = 2
/** Of all callers, each of whom has one made at a time; and previews that wait for others of their caller. */
const mostWaiting = 20
/** Beside the compiled files as well: it is started as it is. */
const thread = new URL('../../src/application/preview-thread.mjs', import.meta.url)

/**
 * The first pages of PDFs, and images, as small images. Each is made once, in a thread of its own, and kept in the blob store beside its file: files are
 * hostile, so that one that takes too much time or memory, or can't be read, ends its thread, is noted as one without a preview, and not tried again.
 */
@Injectable()
export class DocumentPreviews {
  private readonly underWay = new Map<string, Promise<void>>()
  private readonly threads = new Gate(threadsAtOnce, mostWaiting, busy)
  /** The files of a caller that take long keep nobody else waiting. */
  private readonly callers = new CallerGates(() => new Gate(1, mostWaiting, busy))
  private readonly timeoutMs: number

  constructor(
    private readonly files: DocumentFiles,
    private readonly logger: Logger,
    configuration: Configuration,
  ) {
    this.timeoutMs = configuration.read(PreviewSettings).timeoutMs
  }

  /**
   * The preview of a document, a PNG; undefined for files that have none. `LimitReachedError` while many others are made.
   * @param file the file of the document
   */
  async find(document: Document, file: StoredBlob): Promise<StoredBlob | undefined> {
    if (!shownTypes.has(document.contentType) || file.size > mostFileBytes) return undefined
    const { blobName } = document
    let kept = await this.files.findPreview(blobName)
    if (!kept) {
      // Each caller of a preview waits behind their own ones only, also when somebody else asked for it first.
      await this.callers.pass(() => this.make(document, file))
      kept = await this.files.findPreview(blobName)
    }
    return kept?.size ? kept : undefined
  }

  /** Makes a preview that was not made while its caller waited. Callers whose turn comes meanwhile wait for the same thread. */
  private async make(document: Document, file: StoredBlob): Promise<void> {
    const { blobName } = document
    if (await this.files.findPreview(blobName)) return
    await (this.underWay.get(blobName) ?? this.begin(document, file))
  }

  private begin(document: Document, file: StoredBlob): Promise<void> {
    const { blobName } = document
    const work = async (): Promise<void> => {
      const bytes = new Uint8Array(await new Response(file.stream()).arrayBuffer())
      await this.files.keepPreview(blobName, await this.render(document, bytes))
    }
    const making = this.threads.pass(work).finally(() => this.underWay.delete(blobName))
    this.underWay.set(blobName, making)
    return making
  }

  /** The preview; empty when none can be made. */
  private async render({ id, contentType }: Document, bytes: Uint8Array): Promise<Uint8Array> {
    const data = { bytes, contentType, longestSide, mostPixels, mostMemoryBytes }
    try {
      return await runThread(data, this.timeoutMs)
    } catch (error) {
      this.logger.warn({ err: error, documentId: id }, 'a document has no preview')
      return new Uint8Array()
    }
  }
}

function busy(): LimitReachedError {
  return new LimitReachedError('Too many previews are being made.', 5, {
    text: { key: 'Hub:Document:TooManyPreviews' },
  })
}

/** Runs the thread for a file; rejects with what ended it, also when it took too long. */
function runThread(workerData: { readonly bytes: Uint8Array }, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const options = { name: 'preview', execArgv: [], env: {}, stdout: true, stderr: true, resourceLimits }
    const transferList = [workerData.bytes.buffer as ArrayBuffer]
    const worker = new Worker(thread, { ...options, workerData, transferList })
    const timer = setTimeout(() => end(() => reject(new Error('The preview took too long.'))), timeoutMs)
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      settle()
      void worker.terminate()
    }
    worker.once('message', (png: Uint8Array) => end(() => resolve(png)))
    worker.once('error', (error) => end(() => reject(error)))
    worker.once('exit', () => end(() => reject(new Error('The thread of the preview ended.'))))
  })
}
