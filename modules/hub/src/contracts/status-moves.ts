import { ConsolStatus, OrderStatus, ShipmentStatus } from './enumerations.js'

/** A status that an action starts from, and the one that it leads to. */
export type StatusMove<Status> = readonly [from: Status, to: Status]
/** The moves of an action, one for each status that it starts from. */
export type StatusMoves<Status> = readonly [StatusMove<Status>, ...StatusMove<Status>[]]

/** Where each action takes a shipment (domain model, section 2.1). Guards of the server may still refuse it. */
export const shipmentMoves: Readonly<
  Record<
    | 'book'
    | 'confirm'
    | 'receiveCargo'
    | 'depart'
    | 'arrive'
    | 'clearCustoms'
    | 'dispatchDelivery'
    | 'deliver'
    | 'complete'
    | 'cancel'
    | 'reopen',
    StatusMoves<ShipmentStatus>
  >
> = {
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
}

/** Further moves of `cancel` for holders of `Shipment.ForceStatus`: once the cargo was received. */
export const forcedCancellations: StatusMoves<ShipmentStatus> = [
  [ShipmentStatus.CargoReceived, ShipmentStatus.Cancelled],
  [ShipmentStatus.InTransit, ShipmentStatus.Cancelled],
  [ShipmentStatus.Arrived, ShipmentStatus.Cancelled],
  [ShipmentStatus.CustomsCleared, ShipmentStatus.Cancelled],
  [ShipmentStatus.OutForDelivery, ShipmentStatus.Cancelled],
  [ShipmentStatus.Delivered, ShipmentStatus.Cancelled],
]

/** Where each action of callers takes an order (domain model, section 2.2). */
export const orderMoves: Readonly<
  Record<'place' | 'confirm' | 'receive' | 'close' | 'cancel', StatusMoves<OrderStatus>>
> = {
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
}

/** Where each action takes a consol (domain model, section 2.4). */
export const consolMoves: Readonly<
  Record<'book' | 'close' | 'depart' | 'arrive' | 'complete' | 'cancel', StatusMoves<ConsolStatus>>
> = {
  book: [[ConsolStatus.Planned, ConsolStatus.Booked]],
  close: [[ConsolStatus.Booked, ConsolStatus.Closed]],
  depart: [[ConsolStatus.Closed, ConsolStatus.Departed]],
  arrive: [[ConsolStatus.Departed, ConsolStatus.Arrived]],
  complete: [[ConsolStatus.Arrived, ConsolStatus.Completed]],
  cancel: [
    [ConsolStatus.Planned, ConsolStatus.Cancelled],
    [ConsolStatus.Booked, ConsolStatus.Cancelled],
  ],
}
