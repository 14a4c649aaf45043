import { KeelModule, Module } from '../modularity/module.js'
import { Blobs, FolderBlobStore } from './folder-blob-store.js'

/** Gives a host its {@link BlobStore}: a folder. */
@Module({ services: [FolderBlobStore], configuration: [Blobs] })
export class BlobsModule extends KeelModule {}
