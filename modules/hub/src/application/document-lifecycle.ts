import { Clock, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Databases, expectStamp, Locks, type NewRow } from '@keel/framework/data'
import {
  type DocumentActionDto,
  DocumentArchivedEto,
  DocumentPublishedEto,
  DocumentQuarantinedEto,
  DocumentStatus,
  HubErrors,
} from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { DocumentStore, type ExpiringDocument } from '../persistence/stores.js'
import { occurrence } from './occurrence.js'
import { refusedDocumentStatus } from './refusals.js'

/** Takes documents through their states, with their events (domain model, section 2.3). */
@Injectable()
export class DocumentLifecycle {
  constructor(
    private readonly documents: DocumentStore,
    private readonly context: OrganizationContext,
    private readonly locks: Locks,
    private readonly databases: Databases,
    private readonly clock: Clock,
  ) {}

  /** Publishes a document; the one whose place it takes is superseded. */
  async publish(document: Document, changes: NewRow<Document> = {}): Promise<void> {
    const { replacesDocumentId: id } = document
    const old = id ? await this.documents.everyOne(id) : undefined
    if (old?.status === DocumentStatus.Published)
      await this.documents.update(old, { status: DocumentStatus.Superseded })
    document.raise(new DocumentPublishedEto(this.event(document)))
    await this.documents.update(document, { ...changes, status: DocumentStatus.Published })
  }

  /** Keeps a document back for good. @param reason in the words of the scanner */
  async quarantine(document: Document, reason: string, scanTime: Date): Promise<void> {
    document.raise(new DocumentQuarantinedEto({ ...this.event(document), reason }))
    const status = DocumentStatus.Quarantined
    await this.documents.update(document, { status, scanTime, quarantineReason: reason })
  }

  /** The document with this id; refuses one that no new version can take the place of. One new version at a time waits for the scanner. */
  async replaceable(id: string): Promise<Document> {
    await this.locks.hold(`Hub.Document versions ${id}`, { database: this.databases.of(Document) })
    const document = await this.documents.get(id)
    demandStatus(document, DocumentStatus.Superseded, DocumentStatus.Published)
    if (await this.documents.hasPendingVersion(id))
      throw new BusinessError(HubErrors.DocumentVersionPending, { fileName: document.fileName })
    return document
  }

  async archive(id: string, input: DocumentActionDto): Promise<void> {
    const document = await this.forStaff(id, input)
    const to = DocumentStatus.Archived
    demandStatus(document, to, DocumentStatus.Published, DocumentStatus.Superseded)
    document.raise(new DocumentArchivedEto(this.event(document)))
    await this.documents.update(document, { status: to })
  }

  async restore(id: string, input: DocumentActionDto): Promise<void> {
    const document = await this.forStaff(id, input)
    demandStatus(document, DocumentStatus.Published, DocumentStatus.Archived)
    if (await this.documents.isSuperseded(id))
      await this.documents.update(document, { status: DocumentStatus.Superseded })
    else await this.publish(document)
  }

  /** A customer who archived a document could not bring it back: the row rules hide it from customers. */
  private async forStaff(id: string, input: DocumentActionDto): Promise<Document> {
    const document = await this.documents.get(id)
    if (!(await this.context.current()).all) throw new BusinessError(HubErrors.DocumentOnlyStaffArchive)
    expectStamp(document, input)
    return document
  }

  private event(document: Document) {
    return documentEvent(document, this.clock.now)
  }
}

/** The members that every event of a document has. */
export function documentEvent(document: Omit<ExpiringDocument, 'expiryDate' | 'daysLeft'>, occurredAt: Date) {
  const { shipmentId, orderId, organizationId, documentTypeId, version, fileName } = document
  const parents = { shipmentId, orderId, organizationId }
  return { ...occurrence(document, fileName, occurredAt), ...parents, documentTypeId, version }
}

/** Refuses a change of status that does not start from one of these. */
function demandStatus({ status }: Document, to: DocumentStatus, ...from: DocumentStatus[]): void {
  if (from.includes(status)) return
  throw refusedDocumentStatus(status, to)
}
