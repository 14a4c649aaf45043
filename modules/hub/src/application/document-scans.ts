import { Clock, Injectable, Logger } from '@keel/framework'
import { FileScanner } from '@keel/framework/blobs'
import { guid, UnavailableError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobArgs, type JobContext, JobHandler, RecurringJob } from '@keel/framework/jobs'
import { DocumentStatus } from '../contracts/index.js'
import { DocumentFiles } from '../persistence/document-files.js'
import { DocumentStore } from '../persistence/stores.js'
import { DocumentLifecycle } from './document-lifecycle.js'

/** The job that scans the file of a document. */
export class ScanDocumentArgs extends JobArgs(
  'Hub.ScanDocument',
  { documentId: guid() },
  { maxTries: 5, isLong: true },
) {}

const minuteMs = 60_000
/** By then the tries of a document's own job are over. */
const overdueMs = 10 * minuteMs
/** A file that could not be scanned for so long waits for a person. */
const longestMs = 7 * 24 * 60 * minuteMs
const scannedAtOnce = 500

/** Scans the files of documents: clean ones are published, others go into quarantine (domain model, section 2.3). */
@Injectable()
export class DocumentScans {
  constructor(
    private readonly scanner: FileScanner,
    private readonly files: DocumentFiles,
    private readonly documents: DocumentStore,
    private readonly lifecycle: DocumentLifecycle,
    private readonly jobs: BackgroundJobs,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** True when uploaded files wait for a scanner. */
  get isOn(): boolean {
    return this.scanner.isConfigured
  }

  /** Has a document scanned, from the commit of the unit of work at hand. */
  async request(documentId: string): Promise<void> {
    await this.jobs.enqueue(new ScanDocumentArgs({ documentId }))
  }

  @JobHandler(ScanDocumentArgs)
  async scan({ documentId }: ScanDocumentArgs, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const document = await this.documents.find(documentId)
    if (!this.isOn || document?.status !== DocumentStatus.Pending) return
    const blob = await this.files.find(document.blobName)
    if (!blob) return this.logger.warn({ documentId }, 'a document waits for the scanner and has no file')
    const verdict = await this.scanner.scan(blob.stream(), signal)
    const { now } = this.clock
    await UnitOfWork.run(() =>
      verdict.isClean
        ? this.lifecycle.publish(document, { scanTime: now })
        : this.lifecycle.quarantine(document, verdict.reason, now),
    )
  }

  /** Scans what waits because the scanner was away for longer than the jobs of the documents tried. */
  @RecurringJob('*/5 * * * *')
  async scanOverdue({ signal }: JobContext): Promise<void> {
    if (!this.isOn) return
    const [from, to] = [longestMs, overdueMs].map((ageMs) => new Date(this.clock.nowMs - ageMs))
    for (const documentId of await this.documents.pendingBetween(from as Date, to as Date, scannedAtOnce)) {
      signal.throwIfAborted()
      try {
        await this.scan({ documentId }, { signal })
      } catch (error) {
        this.logger.warn({ err: error, documentId }, 'a document could not be scanned')
        // The others would wait for the same scanner.
        if (error instanceof UnavailableError) return
      }
    }
  }
}
