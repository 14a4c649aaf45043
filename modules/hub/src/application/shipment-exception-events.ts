import { Clock, Injectable } from '@keel/framework'
import { DistributedEventBus, EntityCreated, EventHandler } from '@keel/framework/events'
import { ShipmentExceptionRaisedEto } from '../contracts/index.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentStore } from '../persistence/stores.js'
import { occurrenceOf } from './occurrence.js'

/** Tells of every exception of a shipment, whatever raised it, in the transaction that writes it (domain model, section 6.5). */
@Injectable()
export class ShipmentExceptionEvents {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly events: DistributedEventBus,
    private readonly clock: Clock,
  ) {}

  @EventHandler(EntityCreated(ShipmentException))
  async raised({ entity: exception }: { readonly entity: ShipmentException }): Promise<void> {
    const { id: exceptionId, shipmentId, exceptionTypeId, severity, description } = exception
    const [shipment] = await this.shipments.everyWithIds([shipmentId])
    if (!shipment) return
    const event = {
      ...occurrenceOf(shipment, this.clock.now),
      exceptionId,
      exceptionTypeId,
      severity,
      description,
    }
    await this.events.publish(new ShipmentExceptionRaisedEto(event), { key: shipmentId })
  }
}
