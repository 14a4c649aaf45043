import { Injectable } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { ShipmentStatus } from '../contracts/index.js'
import { OrganizationContext } from '../domain/organization-context.js'
import type { Shipment } from '../domain/shipment.js'
import { ShipmentStore } from '../persistence/stores.js'
import { shipmentNotEditable } from './refusals.js'

/** The shipments that rows belong to. */
@Injectable()
export class ShipmentParents {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly context: OrganizationContext,
  ) {}

  /** True for callers who see the shipments of all organizations. */
  async seesAll(): Promise<boolean> {
    return (await this.context.current()).all
  }

  /**
   * The shipment whose rows are about to change. Refuses one that is completed or cancelled, and one that the caller does not
   * see like one that does not exist.
   */
  async demandChangeable(shipmentId: string): Promise<Shipment> {
    const shipment = await this.shipments.find(shipmentId)
    if (!shipment) throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:NoSuchShipment')])
    const { status } = shipment
    if (status === ShipmentStatus.Completed || status === ShipmentStatus.Cancelled)
      throw shipmentNotEditable(shipment)
    return shipment
  }
}
