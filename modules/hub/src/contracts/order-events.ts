import { EventDto, enumeration, guid, z } from '@keel/framework/contracts'
import { OrderStatus } from './enumerations.js'
import { occurrence } from './occurrence.js'

const status = enumeration('OrderStatus', OrderStatus)
const order = {
  ...occurrence,
  splitNumber: z.int(),
  buyerId: guid(),
  supplierId: guid(),
  shipmentId: guid().nullish(),
}
const transition = { ...order, from: status, to: status, reason: z.string().nullish() }

/** An order was created, as a draft. */
export class OrderCreatedEto extends EventDto('Hub.Order.Created', order) {}
/** An order was placed with its supplier. */
export class OrderPlacedEto extends EventDto('Hub.Order.Placed', transition) {}
/** The supplier confirmed an order. */
export class OrderConfirmedEto extends EventDto('Hub.Order.Confirmed', transition) {}
/** The goods of an order departed. */
export class OrderShippedEto extends EventDto('Hub.Order.Shipped', transition) {}
/** All goods of an order arrived at the buyer. */
export class OrderReceivedEto extends EventDto('Hub.Order.Received', transition) {}
/** An order was closed. */
export class OrderClosedEto extends EventDto('Hub.Order.Closed', transition) {}
/** An order was cancelled. */
export class OrderCancelledEto extends EventDto('Hub.Order.Cancelled', transition) {}
/** The shipment of an order was cancelled after it had departed: the order waits for another one. */
export class OrderReleasedEto extends EventDto('Hub.Order.Released', transition) {}

/** The status of an order changed, by whatever action. */
export class OrderStatusChangedEto extends EventDto('Hub.Order.StatusChanged', transition) {}

/** Quantities of an order went into an order of their own, to which the event belongs. */
export class OrderSplitEto extends EventDto('Hub.Order.Split', {
  ...order,

  /** The order that they came from. */
  sourceId: guid(),
}) {}

/** An order was put on a shipment, or taken from one. */
export class OrderAllocationChangedEto extends EventDto('Hub.Order.AllocationChanged', {
  ...order,

  /** The shipment before; null for none. */
  oldShipmentId: guid().nullish(),
}) {}

/** An order was deleted. */
export class OrderDeletedEto extends EventDto('Hub.Order.Deleted', order) {}

/** The events of orders, for `events` of the module. */
export const orderEvents = [
  OrderCreatedEto,
  OrderPlacedEto,
  OrderConfirmedEto,
  OrderShippedEto,
  OrderReceivedEto,
  OrderClosedEto,
  OrderCancelledEto,
  OrderReleasedEto,
  OrderStatusChangedEto,
  OrderSplitEto,
  OrderAllocationChangedEto,
  OrderDeletedEto,
] as const
