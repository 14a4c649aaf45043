import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { Severity } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { withItsShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

/** A disruption of a shipment to act on; open until it is resolved. */
@Entity('HubShipmentExceptions', {
  rules: [withItsShipment],
  indexes: [
    { attributes: ['shipmentId', 'raisedTime'] },
    { attributes: ['severity', 'raisedTime'], where: '"ResolvedTime" is null' },
    { attributes: ['exceptionTypeId'] },
  ],
  checks: { Severity: '"Severity" between 0 and 2', DelayHours: '"DelayHours" between 0 and 8760' },
})
export class ShipmentException extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.UUID, { references: () => CodeEntity, onDelete: 'no action' })
  declare exceptionTypeId: string
  @Column(DataType.SMALLINT, { enumeration: { Severity } }) declare severity: Severity
  @Column(Timestamp) declare raisedTime: Date
  @OptionalColumn(DataType.STRING(1000)) declare description: string | null
  /** Hours. */
  @OptionalColumn(DataType.INTEGER) declare delayHours: number | null
  @OptionalColumn(Timestamp) declare resolvedTime: Date | null
  @OptionalColumn(DataType.UUID) declare resolvedById: string | null
  @OptionalColumn(DataType.STRING(1000)) declare resolutionNote: string | null
}
