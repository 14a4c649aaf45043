import { DisableAuditing } from '@keel/framework/auditing'
import {
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { EventSource, ShipmentStatus } from '../contracts/index.js'
import { withItsLiveShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

/** One change of the status of a shipment. Written by its transitions alone; the audit log has the change of the shipment itself. */
@DisableAuditing()
@Entity('HubShipmentStatusHistories', {
  rules: [withItsLiveShipment],
  indexes: [{ attributes: ['shipmentId', 'changeTime'] }, { attributes: ['toStatus', 'changeTime'] }],
  checks: {
    FromStatus: '"FromStatus" between 0 and 10',
    ToStatus: '"ToStatus" between 0 and 10',
    Source: '"Source" between 0 and 4',
  },
})
export class ShipmentStatusHistory extends CreationAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  /** Null for the first status. */
  @OptionalColumn(DataType.SMALLINT, { enumeration: { ShipmentStatus } })
  declare fromStatus: ShipmentStatus | null
  @Column(DataType.SMALLINT, { enumeration: { ShipmentStatus } }) declare toStatus: ShipmentStatus
  @Column(Timestamp) declare changeTime: Date
  @OptionalColumn(DataType.STRING(256)) declare reason: string | null
  @Column(DataType.SMALLINT, { enumeration: { EventSource } }) declare source: EventSource
}
