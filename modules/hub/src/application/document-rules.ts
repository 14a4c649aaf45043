import { Injectable, Settings, warnCaller } from '@keel/framework'
import {
  BusinessError,
  type FileContent,
  faultOf,
  ValidationError,
  type ValidationFault,
} from '@keel/framework/contracts'
import { Databases, Locks, ReferenceSets } from '@keel/framework/data'
import { documentFormats, HubErrors, HubSettings } from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { allowedExtension, mediaTypeOf } from '../domain/document-format.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { DocumentFiles, type KeptFile } from '../persistence/document-files.js'
import {
  type DocumentContent,
  DocumentStore,
  OrderStore,
  OrganizationStore,
  ShipmentStore,
} from '../persistence/stores.js'
import { demandPortsAndCodes, type ReferenceMembers } from './reference-faults.js'

/** The things that a document may belong to. */
export interface DocumentParents {
  readonly shipmentId?: string | null | undefined
  readonly orderId?: string | null | undefined
  readonly organizationId?: string | null | undefined
}

const references: ReferenceMembers = { codes: { documentTypeId: 'DocumentType' } }
/** The most that our tables take, whatever `App:MaxFileBytes` lets in (domain model, section 2.3). */
const mostBytes = 100 * 1024 * 1024

/** The rules of documents and their files. */
@Injectable()
export class DocumentRules {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly orders: OrderStore,
    private readonly organizations: OrganizationStore,
    private readonly references: ReferenceSets,
    private readonly context: OrganizationContext,
    private readonly files: DocumentFiles,
    private readonly documents: DocumentStore,
    private readonly settings: Settings,
    private readonly locks: Locks,
    private readonly databases: Databases,
  ) {}

  /** Refuses a document that belongs to nothing, or to something that the caller does not see. */
  async checkParents({ shipmentId, orderId, organizationId }: DocumentParents): Promise<void> {
    if (!shipmentId && !orderId && !organizationId) throw new BusinessError(HubErrors.DocumentParentRequired)
    const faults: ValidationFault[] = []
    if (shipmentId && !(await this.shipments.find(shipmentId)))
      faults.push(faultOf('shipmentId', 'Hub:Validation:NoSuchShipment'))
    if (orderId && !(await this.orders.find(orderId)))
      faults.push(faultOf('orderId', 'Hub:Validation:NoSuchOrder'))
    if (organizationId && !(await this.organizations.find(organizationId)))
      faults.push(faultOf('organizationId', 'Hub:Validation:NoSuchOrganization'))
    if (faults.length) throw new ValidationError(faults)
  }

  /**
   * Refuses ids of other code entities, deactivated ones that the document did not have before, and callers who would hide a document from
   * themselves.
   */
  async checkMembers(
    input: { documentTypeId?: string | undefined; isCustomerVisible?: boolean | undefined },
    before?: { documentTypeId: string },
  ): Promise<void> {
    await demandPortsAndCodes(this.references, references, input, before)
    if (input.isCustomerVisible === false && !(await this.context.current()).all)
      throw new ValidationError([faultOf('isCustomerVisible', 'Hub:Validation:OnlyStaffHide')])
  }

  /**
   * Tells the caller that the parents of a document have its file already in a document of the type; refuses the document when
   * `Hub.RejectDuplicateDocuments` says so.
   */
  async checkDuplicate(document: DocumentContent): Promise<void> {
    const isRefused = await this.settings.isOn(HubSettings.RejectDuplicateDocuments)
    // Two uploads of one file wait for each other.
    if (isRefused)
      await this.locks.hold(`Hub.Document ${document.sha256}`, { database: this.databases.of(Document) })
    const { fileName } = (await this.documents.findDuplicate(document)) ?? {}
    if (fileName === undefined) return
    if (isRefused) throw new BusinessError(HubErrors.DocumentDuplicateContent, { fileName })
    warnCaller(HubErrors.DocumentDuplicateContent, { fileName })
  }

  /** Keeps the file of a document, unless it is empty, too large, or not what its name says. */
  async keep(documentId: string, file: FileContent): Promise<KeptFile & { contentType: string }> {
    const notAllowed = () =>
      new BusinessError(HubErrors.DocumentTypeNotAllowed, {
        fileName: file.name,
        allowed: Object.keys(documentFormats).join(', '),
      })
    if (!allowedExtension(file.name)) throw notAllowed()
    const kept = await this.files.keep(documentId, file)
    if (kept.size === 0) throw new BusinessError(HubErrors.DocumentEmpty, { fileName: file.name })
    if (kept.size > mostBytes) {
      throw new BusinessError(HubErrors.DocumentFileTooLarge, { fileName: file.name, maxBytes: mostBytes })
    }
    const contentType = mediaTypeOf(file.name, kept.head)
    if (!contentType) throw notAllowed()
    return { ...kept, contentType }
  }
}
