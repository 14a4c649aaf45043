import { EventDto, guid, z } from '@keel/framework/contracts'

/**
 * Charges of a shipment were added, approved, cancelled or deleted. Hub completes no shipment that has open ones. The module that has the charges publishes the event with the id of
 * the shipment as its key, and lists it among its events.
 */
export class ShipmentChargesChangedEto extends EventDto('Hub.Shipment.ChargesChanged', {
  shipmentId: guid(),

  /** How many of its charges are neither approved nor cancelled. */
  openCharges: z.int().min(0),
}) {}
