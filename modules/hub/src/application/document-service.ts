import { AutoApiController, Clock } from '@keel/framework'
import { type StoredBlob, uniqueFileNames } from '@keel/framework/blobs'
import {
  BusinessError,
  EntityNotFoundError,
  type FileContent,
  faultOf,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import { expectStamp, JsonView, type NewRow, PageReader, sequentialGuid } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type DocumentActionDto,
  DocumentAppService,
  DocumentDto,
  type DocumentListInput,
  DocumentPermissions,
  DocumentSource,
  DocumentStatus,
  type DocumentZipInput,
  documentFormats,
  HubErrors,
  mostZippedBytes,
  type UpdateDocumentDto,
  type UploadDocumentInput,
  type UploadNewVersionInput,
} from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { documentConditions } from '../persistence/document-conditions.js'
import { DocumentFiles } from '../persistence/document-files.js'
import { DocumentStore } from '../persistence/stores.js'
import { DocumentArchives } from './document-archives.js'
import { DocumentLifecycle } from './document-lifecycle.js'
import { DocumentPreviews } from './document-previews.js'
import { DocumentRules } from './document-rules.js'
import { DocumentScans } from './document-scans.js'

/** Sequelize has a `version` of its own, which hides ours from {@link NewRow}. */
type NewDocument = NewRow<Document> & Pick<Document, 'documentTypeId'> & Partial<Pick<Document, 'version'>>

const Page = pageOf(DocumentDto)
/** Media types of files that are compressed already. */
const compressedTypes = new Set(
  (['pdf', 'png', 'jpg', 'xlsx', 'docx', 'zip'] as const).map((extension) => documentFormats[extension]),
)
const view = new JsonView(Document, DocumentDto, { searchIn: ['fileName', 'title'] })

@AutoApiController(DocumentAppService)
@RequiresPermission(DocumentPermissions)
export class DocumentService implements DocumentAppService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly files: DocumentFiles,
    private readonly rules: DocumentRules,
    private readonly lifecycle: DocumentLifecycle,
    private readonly scans: DocumentScans,
    private readonly previews: DocumentPreviews,
    private readonly archives: DocumentArchives,
    private readonly pages: PageReader,
    private readonly context: OrganizationContext,
    private readonly clock: Clock,
  ) {}

  get(id: string): Promise<DocumentDto> {
    return this.pages.one(DocumentDto, view, id)
  }

  async getList(input: DocumentListInput): Promise<InstanceType<typeof Page>> {
    const { shipmentId, orderId, organizationId } = input
    const { all } = await this.context.current()
    // Without a parent every document of every shipment would have to be counted.
    if (!all && !shipmentId && !orderId && !organizationId)
      throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:DocumentsOfWhat')])
    const conditions = documentConditions(input)
    return this.pages.page(Page, view, { ...input, defaultSorting: 'creationTime DESC', conditions })
  }

  @RequiresPermission(DocumentPermissions.Create)
  async upload({ file, ...input }: UploadDocumentInput): Promise<DocumentDto> {
    await this.rules.checkParents(input)
    await this.rules.checkMembers(input)
    return this.add(file, input)
  }

  @RequiresPermission(DocumentPermissions.Edit)
  async uploadNewVersion(id: string, { file }: UploadNewVersionInput): Promise<DocumentDto> {
    const old = await this.lifecycle.replaceable(id)
    const { shipmentId, orderId, organizationId, documentTypeId, title, isCustomerVisible } = old
    const { expiryDate, expiryRemindedDays, extraProperties } = old
    return this.add(file, {
      ...{ shipmentId, orderId, organizationId, documentTypeId, title, isCustomerVisible },
      ...{ expiryDate, expiryRemindedDays, extraProperties },
      version: old.version + 1,
      replacesDocumentId: id,
    })
  }

  async update(id: string, input: UpdateDocumentDto): Promise<DocumentDto> {
    const document = await this.documents.get(id)
    if (document.status === DocumentStatus.Quarantined) demandReadable(document)
    expectStamp(document, input)
    await this.rules.checkMembers(input, document)
    const { concurrencyStamp: _, ...changes } = input
    const isMoved = input.expiryDate !== undefined && input.expiryDate !== document.expiryDate
    await this.documents.update(document, { ...changes, ...(isMoved && { expiryRemindedDays: null }) })
    return this.get(id)
  }

  async delete(id: string): Promise<void> {
    const document = await this.documents.get(id)
    await this.documents.remove(document)
    // What may do harm is not kept for as long as the files of other deleted documents.
    if (!isReadable(document)) this.files.discard(document.blobName)
  }

  @RequiresPermission(DocumentPermissions.Edit)
  async archive(id: string, input: DocumentActionDto): Promise<DocumentDto> {
    await this.lifecycle.archive(id, input)
    return this.get(id)
  }

  @RequiresPermission(DocumentPermissions.Edit)
  async restore(id: string, input: DocumentActionDto): Promise<DocumentDto> {
    await this.lifecycle.restore(id, input)
    return this.get(id)
  }

  @RequiresPermission(DocumentPermissions.View)
  async getContent(id: string): Promise<FileContent> {
    const document = await this.documents.get(id)
    const { fileName, contentType, sha256, creationTime } = document
    const blob = await this.blobOf(document)
    const lastModified = creationTime.getTime()
    return { ...blob, name: fileName, type: contentType, entityTag: `"${sha256}"`, lastModified }
  }

  @RequiresPermission(DocumentPermissions.View)
  async getPreview(id: string): Promise<FileContent> {
    const document = await this.documents.get(id)
    const preview = await this.previews.find(document, await this.blobOf(document))
    if (!preview) throw missing('DocumentPreview', HubErrors.DocumentNoPreview, document)
    const entityTag = `"${document.sha256}-preview"`
    return { ...preview, name: `${document.fileName}.png`, type: 'image/png', entityTag }
  }

  @RequiresPermission(DocumentPermissions.View)
  async getZip({ ids }: DocumentZipInput): Promise<FileContent> {
    const found = new Map((await this.documents.withIds(ids)).map((one) => [one.id, one]))
    const documents = [...new Set(ids)].map((id) => {
      const document = found.get(id)
      if (!document) throw new EntityNotFoundError('Document', id)
      return document
    })
    const bytes = documents.reduce((sum, { fileSize }) => sum + Number(fileSize), 0)
    if (bytes > mostZippedBytes)
      throw new BusinessError(HubErrors.DocumentZipTooLarge, { maxBytes: mostZippedBytes })
    const names = uniqueFileNames(documents.map(({ fileName }) => fileName))
    const files = await Promise.all(
      documents.map(async (document, index) => ({
        name: String(names[index]),
        bytes: await this.blobOf(document),
        lastModified: document.creationTime.getTime(),
        isCompressible: !compressedTypes.has(document.contentType),
      })),
    )
    return { name: 'documents.zip', type: 'application/zip', stream: () => this.archives.stream(files) }
  }

  /** The file of a document; refused when it may not be downloaded, or is not kept here. */
  private async blobOf(document: Document): Promise<StoredBlob> {
    demandReadable(document)
    const blob = await this.files.find(document.blobName)
    if (!blob) throw missing('DocumentContent', HubErrors.DocumentContentMissing, document)
    return blob
  }

  /** Adds a document with its file. Without a scanner it is published at once. */
  private async add(file: FileContent, values: NewDocument): Promise<DocumentDto> {
    const id = sequentialGuid()
    const { size, head: _, ...kept } = await this.rules.keep(id, file)
    await this.rules.checkDuplicate({ ...values, sha256: kept.sha256 })
    const document = await this.documents.insert({
      ...values,
      ...kept,
      id,
      fileName: file.name,
      fileSize: String(size),
      fileDate: this.clock.now,
      status: this.scans.isOn ? DocumentStatus.Pending : DocumentStatus.Published,
      source: DocumentSource.Upload,
    })
    if (this.scans.isOn) await this.scans.request(id)
    else await this.lifecycle.publish(document)
    return this.get(id)
  }
}

/** False for a file that a scanner has not seen, or found something in. */
function isReadable({ status }: Document): boolean {
  return status !== DocumentStatus.Pending && status !== DocumentStatus.Quarantined
}

function demandReadable({ status, fileName }: Document): void {
  if (status === DocumentStatus.Quarantined)
    throw new BusinessError(HubErrors.DocumentQuarantined, { fileName })
  if (status === DocumentStatus.Pending) throw new BusinessError(HubErrors.DocumentNotScanned, { fileName })
}

function missing(entity: string, code: string, { id, fileName }: Document): EntityNotFoundError {
  const data = { entity, id, fileName }
  return new EntityNotFoundError(entity, id, { code, data, text: { key: code, data } })
}
