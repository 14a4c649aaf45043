import type { Application } from '../modularity/application.js'
import { KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { BlobStore } from './blob-store.js'
import { Blobs, FolderBlobStore } from './folder-blob-store.js'
import { S3BlobStore, S3Blobs } from './s3-blob-store.js'

/** Gives a host its {@link BlobStore}: a bucket where `Blobs:S3:Bucket` names one, else a folder. */
@Module({ configuration: [Blobs, S3Blobs] })
export class BlobsModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    const { configuration } = application
    const hasBucket = configuration.read(S3Blobs).bucket !== undefined
    if (hasBucket) application.provide(BlobStore, new S3BlobStore(configuration))
    else this.provideFolder(application)
  }

  private provideFolder(application: Application): void {
    const store = new FolderBlobStore(application.configuration)
    application.provide(BlobStore, store)
    application.healthChecks.push({ name: 'Files', check: () => store.state() })
    application.onReady(async () => sweepRegularly(application, store))
  }
}

/** At once and then regularly: a process that was killed removes nothing. */
async function sweepRegularly(application: Application, store: FolderBlobStore): Promise<void> {
  const sweep = async (): Promise<void> => {
    try {
      const files = await store.sweep()
      if (files) application.logger.info({ files }, 'unfinished files removed')
    } catch (error) {
      application.logger.warn({ err: error }, 'unfinished files could not be removed')
    }
  }
  await sweep()
  const timer = setInterval(sweep, store.unfinishedMs)
  timer.unref()
  application.onStopping(async () => clearInterval(timer))
}
