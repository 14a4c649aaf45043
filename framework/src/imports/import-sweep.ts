import { BlobStore } from '../blobs/blob-store.js'
import { Databases } from '../data/connections/databases.js'
import { RecurringJob } from '../jobs/job-handler.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { ImportRecords } from './import-records.js'
import { ImportSettings } from './import-settings.js'

const dayMs = 86_400_000

/** Deletes the files and reports of imports some days after they were begun. */
@Injectable()
export class ImportSweep {
  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
    private readonly blobs: BlobStore,
  ) {}

  @RecurringJob('23 * * * *')
  async sweep(): Promise<void> {
    const { clock, configuration, logger } = this.application
    const before = new Date(clock.nowMs - configuration.read(ImportSettings).keepDays * dayMs)
    for (const database of this.databases.all.filter(({ schemas }) => schemas.length))
      for (const blobName of await new ImportRecords(database).deleteBefore(before)) {
        try {
          await this.blobs.delete(blobName)
        } catch (error) {
          logger.warn({ err: error, blob: blobName }, 'the file of an import was not deleted')
        }
      }
  }
}
