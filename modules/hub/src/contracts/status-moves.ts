import { ConsolStatus, OrderStatus, ShipmentStatus } from './enumerations.js'

/** A status that an action starts from, and the one that it leads to. */
export type StatusMove<Status> = readonly [from: Status, to: Status]

/** Where each action takes a shipment (domain model, section 2.1). Guards of the server may still refuse it. */
export const shipmentMoves = {
  book: [[ShipmentStatus.Draft, ShipmentStatus.Booked]],
  confirm: [[ShipmentStatus.Booked, ShipmentStatus.Confirmed]],
  receiveCargo: [[ShipmentStatus.Confirmed, ShipmentStatus.CargoReceived]],
  depart: [
    [ShipmentStatus.Confirmed, ShipmentStatus.InTransit],
    [ShipmentStatus.CargoReceived, ShipmentStatus.InTransit],
  ],
  arrive: [[ShipmentStatus.InTransit, ShipmentStatus.Arrived]],
  clearCustoms: [[ShipmentStatus.Arrived, ShipmentStatus.CustomsCleared]],
  dispatchDelivery: [
    [ShipmentStatus.Arrived, ShipmentStatus.OutForDelivery],
    [ShipmentStatus.CustomsCleared, ShipmentStatus.OutForDelivery],
  ],
  deliver: [
    [ShipmentStatus.Arrived, ShipmentStatus.Delivered],
    [ShipmentStatus.CustomsCleared, ShipmentStatus.Delivered],
    [ShipmentStatus.OutForDelivery, ShipmentStatus.Delivered],
  ],
  complete: [[ShipmentStatus.Delivered, ShipmentStatus.Completed]],
  cancel: [
    [ShipmentStatus.Draft, ShipmentStatus.Cancelled],
    [ShipmentStatus.Booked, ShipmentStatus.Cancelled],
    [ShipmentStatus.Confirmed, ShipmentStatus.Cancelled],
  ],
  reopen: [
    [ShipmentStatus.Completed, ShipmentStatus.Delivered],
    [ShipmentStatus.Cancelled, ShipmentStatus.Draft],
  ],
} as const satisfies Readonly<Record<string, readonly StatusMove<ShipmentStatus>[]>>

/** Further moves of `cancel` for holders of `Shipment.ForceStatus`: once the cargo was received. */
export const forcedCancellations = [
  [ShipmentStatus.CargoReceived, ShipmentStatus.Cancelled],
  [ShipmentStatus.InTransit, ShipmentStatus.Cancelled],
  [ShipmentStatus.Arrived, ShipmentStatus.Cancelled],
  [ShipmentStatus.CustomsCleared, ShipmentStatus.Cancelled],
  [ShipmentStatus.OutForDelivery, ShipmentStatus.Cancelled],
  [ShipmentStatus.Delivered, ShipmentStatus.Cancelled],
] as const satisfies readonly StatusMove<ShipmentStatus>[]

/** Where each action of callers takes an order (domain model, section 2.2). */
export const orderMoves = {
  place: [[OrderStatus.Draft, OrderStatus.Placed]],
  confirm: [[OrderStatus.Placed, OrderStatus.Confirmed]],
  receive: [
    [OrderStatus.Shipped, OrderStatus.Received],
    [OrderStatus.PartiallyShipped, OrderStatus.Received],
  ],
  close: [[OrderStatus.Received, OrderStatus.Closed]],
  cancel: [
    [OrderStatus.Draft, OrderStatus.Cancelled],
    [OrderStatus.Placed, OrderStatus.Cancelled],
    [OrderStatus.Confirmed, OrderStatus.Cancelled],
  ],
} as const satisfies Readonly<Record<string, readonly StatusMove<OrderStatus>[]>>

/** Where each action takes a consol (domain model, section 2.4). */
export const consolMoves = {
  book: [[ConsolStatus.Planned, ConsolStatus.Booked]],
  close: [[ConsolStatus.Booked, ConsolStatus.Closed]],
  depart: [[ConsolStatus.Closed, ConsolStatus.Departed]],
  arrive: [[ConsolStatus.Departed, ConsolStatus.Arrived]],
  complete: [[ConsolStatus.Arrived, ConsolStatus.Completed]],
  cancel: [
    [ConsolStatus.Planned, ConsolStatus.Cancelled],
    [ConsolStatus.Booked, ConsolStatus.Cancelled],
  ],
} as const satisfies Readonly<Record<string, readonly StatusMove<ConsolStatus>[]>>
