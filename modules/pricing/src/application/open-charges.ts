import { Injectable } from '@keel/framework'
import { Locks } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { ShipmentChargesChangedEto } from '@keel/hub/contracts'
import { ShipmentChargeStore } from '../persistence/stores.js'

/** Tells Hub how many charges of shipments wait for an approval: Hub completes no shipment that has some (domain model, section 2.1). */
@Injectable()
export class OpenCharges {
  constructor(
    private readonly charges: ShipmentChargeStore,
    private readonly locks: Locks,
    private readonly events: DistributedEventBus,
  ) {}

  /** Changes charges of shipments and tells their numbers. Of two changes of one shipment at once the second counts what the first one wrote. */
  async within<T>(shipmentIds: readonly string[], change: () => Promise<T>): Promise<T> {
    const ids = [...new Set(shipmentIds)].sort()
    for (const id of ids)
      await this.locks.hold(`Pricing.ShipmentCharges ${id}`, { database: this.charges.database })
    const result = await change()
    for (const shipmentId of ids) {
      const openCharges = await this.charges.countOpen(shipmentId)
      await this.events.publish(new ShipmentChargesChangedEto({ shipmentId, openCharges }), {
        key: shipmentId,
      })
    }
    return result
  }
}
