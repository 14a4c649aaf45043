import { Clock, Injectable, Logger, Settings } from '@keel/framework'
import { UnitOfWork } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { type JobContext, RecurringJob } from '@keel/framework/jobs'
import { DocumentExpiringEto, HubSettings } from '../contracts/index.js'
import { DocumentFiles } from '../persistence/document-files.js'
import { DocumentStore } from '../persistence/stores.js'
import { documentEvent } from './document-lifecycle.js'

const dayMs = 86_400_000
const documentsAtOnce = 500

/** What becomes due for documents with the days: reminders before they expire, and the end of the files of deleted ones. */
@Injectable()
export class DocumentUpkeep {
  constructor(
    private readonly documents: DocumentStore,
    private readonly files: DocumentFiles,
    private readonly events: DistributedEventBus,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Tells of documents that expire soon, once for each threshold; after days without a run of the closest threshold alone. */
  @RecurringJob('23 4 * * *')
  async remind({ signal }: JobContext): Promise<void> {
    const days = String(await this.settings.valueOf(HubSettings.DocumentExpiryReminderDays.name))
    const thresholds = days.split(',').map(Number)
    const today = this.clock.now.toISOString().slice(0, 10)
    while (!signal.aborted && (await this.remindSome(today, thresholds)) === documentsAtOnce);
  }

  /** Deletes the files of documents that were deleted long enough ago; the rows stay. */
  @RecurringJob('11 3 * * *')
  async deleteFiles({ signal }: JobContext): Promise<void> {
    const days = Number(await this.settings.valueOf(HubSettings.DeletedFilesRetentionDays.name))
    if (!(days > 0)) return
    const before = new Date(this.clock.nowMs - days * dayMs)
    let after: string | undefined
    do {
      signal.throwIfAborted()
      const found = await this.documents.withDeletedBefore(before, after, documentsAtOnce)
      const gone: string[] = []
      for (const { id, blobName } of found) if (await this.deleteFile(blobName)) gone.push(id)
      if (gone.length) await this.documents.noteDeletedFiles(gone, this.clock.now)
      after = found.length === documentsAtOnce ? found.at(-1)?.id : undefined
    } while (after)
  }

  private remindSome(today: string, thresholds: readonly number[]): Promise<number> {
    return UnitOfWork.run(async () => {
      const expiring = await this.documents.takeExpiring(today, thresholds, documentsAtOnce)
      const { now } = this.clock
      await this.events.publishMany(
        DocumentExpiringEto,
        expiring.map((document) => {
          const { id, expiryDate, daysLeft } = document
          return { key: id, event: { ...documentEvent(document, now), expiryDate, daysLeft } }
        }),
      )
      return expiring.length
    })
  }

  /** False for a file that could not be deleted: it is tried again the next day. */
  private async deleteFile(blobName: string): Promise<boolean> {
    try {
      await this.files.delete(blobName)
      return true
    } catch (error) {
      this.logger.warn({ err: error, blob: blobName }, 'the file of a deleted document was not deleted')
      return false
    }
  }
}
