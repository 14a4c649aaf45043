import { BaseEntity, Column, DataType, Entity } from '@keel/framework/data'
import { Shipment } from './shipment.js'

/** How many charges of a shipment nobody approved yet, as Pricing tells. A shipment without a row has none. */
@Entity('HubShipmentOpenCharges', {
  indexes: [{ attributes: ['shipmentId'], unique: true }],
  checks: { OpenCharges: '"OpenCharges" > 0' },
})
export class ShipmentOpenCharges extends BaseEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.INTEGER) declare openCharges: number
}
