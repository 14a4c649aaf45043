import type { Application, ModuleContext } from '../modularity/application.js'
import type { Configuration } from '../modularity/configuration.js'
import { loadDriver } from '../modularity/drivers.js'
import { KeelModule, Module } from '../modularity/module.js'
import { BlobStore } from './blob-store.js'
import { ClamAvScanner, FileScanning } from './clamav-scanner.js'
import { FileScanner, NoFileScanner } from './file-scanner.js'
import { Blobs, FolderBlobStore } from './folder-blob-store.js'
import { S3BlobStore, S3Blobs, type S3Driver } from './s3-blob-store.js'

/**
 * Provides {@link BlobStore}: a bucket if `Blobs:S3:Bucket` is set, which loads Amazon's library, else a
 * folder. Provides {@link FileScanner}: ClamAV's daemon if `FileScanner:Host` is set, else none.
 */
@Module({ configuration: [Blobs, S3Blobs, FileScanning] })
export class BlobsModule extends KeelModule {
  override async preConfigureServices({ application }: ModuleContext): Promise<void> {
    const { configuration } = application
    const hasBucket = configuration.read(S3Blobs).bucket !== undefined
    if (hasBucket) application.provide(BlobStore, new S3BlobStore(configuration, await loadS3(configuration)))
    else this.provideFolder(application)
    this.provideScanner(application)
  }

  private provideScanner(application: Application): void {
    if (application.configuration.read(FileScanning).host === undefined) {
      application.provide(FileScanner, new NoFileScanner())
      return
    }
    const scanner = new ClamAvScanner(application.configuration)
    application.provide(FileScanner, scanner)
    application.healthChecks.push({ name: 'FileScanner', check: () => scanner.state() })
  }

  private provideFolder(application: Application): void {
    const store = new FolderBlobStore(application.configuration)
    application.provide(BlobStore, store)
    application.healthChecks.push({ name: 'Files', check: () => store.state() })
    application.onReady(async () => sweepRegularly(application, store))
  }
}

async function loadS3(configuration: Configuration): Promise<S3Driver> {
  const packages = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage']
  return loadDriver(configuration, 'Blobs:S3:Bucket', packages, async () => {
    const [client, storage] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/lib-storage'),
    ])
    return { ...client, ...storage }
  })
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
