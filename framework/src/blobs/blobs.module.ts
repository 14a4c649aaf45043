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
    application.provide(
      BlobStore,
      hasBucket ? new S3BlobStore(configuration) : new FolderBlobStore(configuration),
    )
  }
}
