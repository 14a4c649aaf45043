import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn } from '@keel/framework/data'
import { NoteVisibility } from '../contracts/index.js'
import { notesOfCaller, withItsShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

/** A note on a shipment, internal or for everybody who sees the shipment. */
@Entity('HubShipmentNotes', {
  rules: [withItsShipment, notesOfCaller],
  indexes: [{ attributes: ['shipmentId', { attribute: 'creationTime', order: 'desc' }] }],
  checks: { Visibility: '"Visibility" between 0 and 1' },
})
export class ShipmentNote extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT, { defaultValue: NoteVisibility.Customer, enumeration: { NoteVisibility } })
  declare visibility: NoteVisibility
  @OptionalColumn(DataType.STRING(200)) declare subject: string | null
  @Column(DataType.STRING(4000)) declare text: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isPinned: boolean
}
