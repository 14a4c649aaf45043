import { Injectable } from '@keel/framework'
import { EventHandler } from '@keel/framework/events'
import { ShipmentChargesChangedEto } from '../contracts/index.js'
import { ShipmentOpenChargesStore } from '../persistence/shipment-open-charges.js'
import { ShipmentStore } from '../persistence/stores.js'

/** Keeps what Pricing tells of the charges of shipments. Events of one shipment come in their order. */
@Injectable()
export class ShipmentCharges {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly openCharges: ShipmentOpenChargesStore,
  ) {}

  @EventHandler(ShipmentChargesChangedEto)
  async note({ shipmentId, openCharges }: ShipmentChargesChangedEto): Promise<void> {
    const [shipment] = await this.shipments.everyWithIds([shipmentId])
    if (shipment) await this.openCharges.note(shipmentId, openCharges)
  }
}
