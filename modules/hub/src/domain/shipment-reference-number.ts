import {
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  textSearchIndex,
} from '@keel/framework/data'
import { HubErrors, ReferenceType } from '../contracts/index.js'
import { withItsShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

/** A further reference of a shipment, by which customers search. */
@Entity('HubShipmentReferenceNumbers', {
  rules: [withItsShipment],
  conflicts: {
    IX_HubShipmentReferenceNumbers_ShipmentId_ReferenceType_Value: HubErrors.ReferenceNumberAlreadyExists,
  },
  indexes: [
    { attributes: ['shipmentId', 'referenceType', 'value'], unique: true, where: '"IsDeleted" = false' },
    { attributes: [{ sql: 'upper("Value")' }], name: 'UpperValue' },
    textSearchIndex('value'),
  ],
  checks: { ReferenceType: '"ReferenceType" between 0 and 10 or "ReferenceType" = 99' },
})
export class ShipmentReferenceNumber extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT, { enumeration: { ReferenceType } }) declare referenceType: ReferenceType
  @Column(DataType.STRING(100)) declare value: string
  @OptionalColumn(DataType.DATEONLY) declare issueDate: string | null
}
