import { Clock, Injectable } from '@keel/framework'
import { BlobStore, type StoredBlob } from '@keel/framework/blobs'
import type { FileContent } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { headBytes } from '../domain/document-format.js'

const previewOf = (blobName: string): string => `${blobName}.preview.png`

/** A file that was kept for a document. */
export interface KeptFile {
  readonly blobName: string
  /** Bytes. */
  readonly size: number
  readonly sha256: string
  readonly head: Uint8Array
}

/** The files of documents, in the blob store under `hub/documents/<month>/<id of the document>`, with their previews beside them. */
@Injectable()
export class DocumentFiles {
  constructor(
    private readonly blobs: BlobStore,
    private readonly clock: Clock,
  ) {}

  /** Keeps a file; it goes again when the unit of work at hand fails. */
  async keep(documentId: string, file: FileContent): Promise<KeptFile> {
    const blobName = `hub/documents/${this.clock.now.toISOString().slice(0, 7)}/${documentId}`
    const receipt = await this.blobs.save(blobName, file.stream())
    UnitOfWork.current?.onRolledBack(() => this.blobs.delete(blobName))
    return { blobName, ...receipt, head: await this.headOf(blobName, receipt.size) }
  }

  /** Deletes a file once the unit of work at hand is committed. */
  discard(blobName: string): void {
    UnitOfWork.current?.onCommitted(() => this.delete(blobName))
  }

  /** Deletes a file and its preview. */
  async delete(blobName: string): Promise<void> {
    await this.blobs.delete(previewOf(blobName))
    await this.blobs.delete(blobName)
  }

  /** The preview of a file, empty for a file that can have none; undefined while nobody has asked for it. */
  findPreview(blobName: string): Promise<StoredBlob | undefined> {
    return this.blobs.find(previewOf(blobName))
  }

  /** Keeps the preview of a file; an empty one says that it can have none. */
  async keepPreview(blobName: string, preview: Uint8Array): Promise<void> {
    await this.blobs.save(previewOf(blobName), new Blob([preview as Uint8Array<ArrayBuffer>]).stream())
  }

  /** The file of a name; undefined when it is not there, as those of demo data are not. */
  find(blobName: string): Promise<StoredBlob | undefined> {
    return this.blobs.find(blobName)
  }

  private async headOf(blobName: string, size: number): Promise<Uint8Array> {
    const blob = await this.blobs.find(blobName)
    const stream = blob?.slice(0, Math.min(size, headBytes)).stream()
    return new Uint8Array(await new Response(stream).arrayBuffer())
  }
}
