import { HubErrors, OrderStatus, orderMoves, ShipmentStatus } from '../contracts/index.js'
import type { Refusal, Transition } from './lifecycle.js'
import type { Order, OrderLine } from './order.js'

const { Draft, Placed, Confirmed, PartiallyShipped, Shipped } = OrderStatus

/** The facts, beside the order, that guards look at. */
export interface OrderFacts {
  readonly lines: readonly Pick<OrderLine, 'quantity' | 'quantityReceived'>[]
  /** True for staff, and for callers of whose organizations one is the supplier. */
  readonly mayConfirm: boolean
  /** The status of the shipment that the order is on. */
  readonly shipmentStatus?: ShipmentStatus | undefined
}

/** The transitions of orders by their action (domain model, section 2.2). */
export const orderTransitions = {
  place: { moves: orderMoves.place, guards: [hasLines] },
  confirm: { moves: orderMoves.confirm, guards: [isConfirmedBySupplier] },
  /** The shipment departs with all that has not departed. */
  ship: {
    moves: [
      [Confirmed, Shipped],
      [PartiallyShipped, Shipped],
    ],
    guards: [],
  },
  /** Once all quantities have arrived; before, the status stays. */
  receive: { moves: orderMoves.receive, guards: [] },
  close: { moves: orderMoves.close, guards: [] },
  cancel: { moves: orderMoves.cancel, guards: [isNotBooked] },
  /** The shipment is cancelled. */
  release: {
    moves: [
      [PartiallyShipped, Confirmed],
      [Shipped, Confirmed],
    ],
    guards: [],
  },
} as const satisfies Record<string, Transition<OrderStatus, Order, OrderFacts>>

/** The names of the actions that change the status. */
export type OrderAction = keyof typeof orderTransitions

/** Statuses in which an order is changed, and put on a shipment. */
export const openOrderStatuses: ReadonlySet<OrderStatus> = new Set([Draft, Placed, Confirmed])

function hasLines(_: Order, { lines }: OrderFacts): Refusal | undefined {
  return lines.length ? undefined : { code: HubErrors.OrderWithoutLines, data: {} }
}

function isConfirmedBySupplier(_: Order, { mayConfirm }: OrderFacts): Refusal | undefined {
  return mayConfirm ? undefined : { code: HubErrors.OnlySupplierConfirms, data: {} }
}

/** Refuses to cancel an order on a shipment beyond a draft. */
function isNotBooked(_: Order, { shipmentStatus }: OrderFacts): Refusal | undefined {
  return shipmentStatus === undefined ||
    shipmentStatus === ShipmentStatus.Draft ||
    shipmentStatus === ShipmentStatus.Cancelled
    ? undefined
    : {
        code: HubErrors.OrderOnShipment,
        data: { status: ShipmentStatus[shipmentStatus] },
        words: { status: `Enum:ShipmentStatus.${shipmentStatus}` },
      }
}
