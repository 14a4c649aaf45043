import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { ShipmentOpenCharges } from '../domain/shipment-open-charges.js'

/** The charges that keep shipments from being completed. */
@Injectable()
export class ShipmentOpenChargesStore extends StoreOf(ShipmentOpenCharges) {
  async countOf(shipmentId: string): Promise<number> {
    return (await this.ofShipment(shipmentId))?.openCharges ?? 0
  }

  async note(shipmentId: string, openCharges: number): Promise<void> {
    const known = await this.ofShipment(shipmentId)
    if (!known) {
      if (openCharges) await this.insert({ shipmentId, openCharges })
    } else if (openCharges) await this.update(known, { openCharges })
    else await this.remove(known)
  }

  private async ofShipment(shipmentId: string): Promise<ShipmentOpenCharges | undefined> {
    return (await this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`))[0]
  }
}
