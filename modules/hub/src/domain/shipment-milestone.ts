import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { EventSource, HubErrors, MilestoneCode } from '../contracts/index.js'
import { milestonesOfCaller, withItsShipment } from './organization-context.js'
import { Port } from './port.js'
import { Shipment } from './shipment.js'

/** A step of a shipment that customers follow. */
@Entity('HubShipmentMilestones', {
  rules: [withItsShipment, milestonesOfCaller],
  conflicts: { IX_HubShipmentMilestones_ShipmentId_Code_PortId: HubErrors.MilestoneAlreadyExists },
  indexes: [
    {
      attributes: ['shipmentId', 'code', 'portId'],
      unique: true,
      nullsNotDistinct: true,
      where: '"IsDeleted" = false',
    },
    { attributes: ['estimatedTime'], where: '"ActualTime" is null' },
    { attributes: ['portId'] },
  ],
  checks: { Code: '"Code" between 0 and 14', Source: '"Source" between 0 and 4' },
})
export class ShipmentMilestone extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT, { enumeration: { MilestoneCode } }) declare code: MilestoneCode
  @Column(DataType.SMALLINT) declare sequence: number
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare portId: string | null
  @OptionalColumn(Timestamp) declare plannedTime: Date | null
  @OptionalColumn(Timestamp) declare estimatedTime: Date | null
  @OptionalColumn(Timestamp) declare actualTime: Date | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isCustomerVisible: boolean
  @Column(DataType.SMALLINT, { enumeration: { EventSource } }) declare source: EventSource
}
