import { AutoApiController, Clock } from '@keel/framework'
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
  DocumentAppService,
  DocumentDto,
  type DocumentListInput,
  DocumentPermissions,
  DocumentSource,
  DocumentStatus,
  HubErrors,
  type UpdateDocumentDto,
  type UploadDocumentInput,
  type UploadNewVersionInput,
} from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { documentConditions } from '../persistence/document-conditions.js'
import { DocumentFiles } from '../persistence/document-files.js'
import { DocumentStore } from '../persistence/stores.js'
import { DocumentRules } from './document-rules.js'

/** Sequelize has a `version` of its own, which hides ours from {@link NewRow}. */
type NewDocument = NewRow<Document> & Pick<Document, 'documentTypeId'> & Partial<Pick<Document, 'version'>>

const Page = pageOf(DocumentDto)
const view = new JsonView(Document, DocumentDto, { searchIn: ['fileName', 'title'] })

@AutoApiController(DocumentAppService)
@RequiresPermission(DocumentPermissions)
export class DocumentService implements DocumentAppService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly files: DocumentFiles,
    private readonly rules: DocumentRules,
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
    return this.publish(file, input)
  }

  @RequiresPermission(DocumentPermissions.Edit)
  async uploadNewVersion(id: string, { file }: UploadNewVersionInput): Promise<DocumentDto> {
    const old = await this.documents.get(id)
    if (old.status !== DocumentStatus.Published)
      throw new BusinessError(HubErrors.DocumentInvalidStatusTransition, {
        from: DocumentStatus[old.status],
        to: DocumentStatus[DocumentStatus.Superseded],
      })
    const { shipmentId, orderId, organizationId, documentTypeId, title, isCustomerVisible, expiryDate } = old
    const { extraProperties } = old
    await this.documents.update(old, { status: DocumentStatus.Superseded })
    return this.publish(file, {
      ...{ shipmentId, orderId, organizationId, documentTypeId, title, isCustomerVisible, expiryDate },
      extraProperties,
      version: old.version + 1,
      replacesDocumentId: id,
    })
  }

  async update(id: string, input: UpdateDocumentDto): Promise<DocumentDto> {
    const document = await this.documents.get(id)
    expectStamp(document, input)
    await this.rules.checkMembers(input, document)
    const { concurrencyStamp: _, ...changes } = input
    await this.documents.update(document, changes)
    return this.get(id)
  }

  async delete(id: string): Promise<void> {
    await this.documents.remove(await this.documents.get(id))
  }

  @RequiresPermission(DocumentPermissions.View)
  async getContent(id: string): Promise<FileContent> {
    const { status, fileName, contentType, blobName, sha256, creationTime } = await this.documents.get(id)
    if (status === DocumentStatus.Quarantined)
      throw new BusinessError(HubErrors.DocumentQuarantined, { fileName })
    const blob = await this.files.find(blobName)
    if (!blob) throw contentMissing(id, fileName)
    const lastModified = creationTime.getTime()
    return { ...blob, name: fileName, type: contentType, entityTag: `"${sha256}"`, lastModified }
  }

  /** Nobody scans files for us yet: what was uploaded is published at once (domain model, section 2.3). */
  private async publish(file: FileContent, values: NewDocument): Promise<DocumentDto> {
    const id = sequentialGuid()
    const { size, head: _, ...kept } = await this.rules.keep(id, file)
    await this.rules.checkDuplicate({ ...values, sha256: kept.sha256 })
    await this.documents.insert({
      ...values,
      ...kept,
      id,
      fileName: file.name,
      fileSize: String(size),
      fileDate: this.clock.now,
      status: DocumentStatus.Published,
      source: DocumentSource.Upload,
    })
    return this.get(id)
  }
}

function contentMissing(id: string, fileName: string): EntityNotFoundError {
  const code = HubErrors.DocumentContentMissing
  const data = { entity: 'DocumentContent', id, fileName }
  return new EntityNotFoundError('DocumentContent', id, { code, data, text: { key: code, data } })
}
