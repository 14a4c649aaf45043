import { AggregateRoot, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { DocumentSource, DocumentStatus } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { Order } from './order.js'
import { Organization } from './organization.js'
import { documentsOfCaller } from './organization-context.js'
import { Shipment } from './shipment.js'

/** A file with type, version and visibility; it belongs to a shipment, an order or an organization. */
@Entity('HubDocuments', {
  watched: true,
  rules: [documentsOfCaller],
  indexes: [
    // New documents: Status 1 is Published
    {
      attributes: [{ attribute: 'creationTime', order: 'desc' }],
      where: '"IsDeleted" = false and "Status" = 1 and "ShipmentId" is not null',
    },
    { attributes: ['shipmentId', 'documentTypeId', { attribute: 'version', order: 'desc' }] },
    { attributes: ['sha256'] },
    { attributes: ['orderId'] },
    { attributes: ['organizationId'] },
    { attributes: ['documentTypeId'] },
    { attributes: ['replacesDocumentId'] },
    // Status 1 is Published
    {
      attributes: ['expiryDate'],
      where: '"IsDeleted" = false and "Status" = 1 and "ExpiryDate" is not null',
    },
    { attributes: ['deletionTime'], where: '"IsDeleted" and "FileDeletionTime" is null' },
  ],
  checks: {
    Parent: 'num_nonnulls("ShipmentId", "OrderId", "OrganizationId") >= 1',
    FileSize: '"FileSize" between 1 and 104857600',
    Status: '"Status" between 0 and 4',
    Source: '"Source" between 0 and 3',
  },
})
export class Document extends AggregateRoot {
  @OptionalColumn(DataType.UUID, { references: () => Shipment }) declare shipmentId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Order }) declare orderId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare organizationId: string | null
  @Column(DataType.UUID, { references: () => CodeEntity, onDelete: 'no action' })
  declare documentTypeId: string
  @OptionalColumn(DataType.STRING(200)) declare title: string | null
  @Column(DataType.STRING(255)) declare fileName: string
  @Column(DataType.STRING(100)) declare contentType: string
  /** Bytes. */
  @Column(DataType.BIGINT) declare fileSize: string
  @Column(Timestamp, { databaseDefault: 'now()' }) declare fileDate: Date
  @Column(DataType.STRING(255)) declare blobName: string
  @Column(DataType.CHAR(64)) declare sha256: string
  @Column(DataType.SMALLINT, { defaultValue: 1 }) declare version: number
  @OptionalColumn(DataType.UUID, { references: () => Document }) declare replacesDocumentId: string | null
  @Column(DataType.SMALLINT, { defaultValue: DocumentStatus.Pending, enumeration: { DocumentStatus } })
  declare status: DocumentStatus
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isCustomerVisible: boolean
  @Column(DataType.SMALLINT, { defaultValue: DocumentSource.Upload, enumeration: { DocumentSource } })
  declare source: DocumentSource
  /** When a scanner looked at the file; null for one that no scanner has seen. */
  @OptionalColumn(Timestamp) declare scanTime: Date | null
  /** What the scanner found; null for a file that is not in quarantine. */
  @OptionalColumn(DataType.STRING(200)) declare quarantineReason: string | null
  @OptionalColumn(DataType.DATEONLY) declare expiryDate: string | null
  /** The threshold, in days before the expiry date, that was last reminded of; null for none yet. */
  @OptionalColumn(DataType.SMALLINT) declare expiryRemindedDays: number | null
  /** When the file of a deleted document was deleted for good. */
  @OptionalColumn(Timestamp) declare fileDeletionTime: Date | null
}
