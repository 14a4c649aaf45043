import { Clock, Injectable } from '@keel/framework'
import type { NewRow } from '@keel/framework/data'
import {
  OrderCancelledEto,
  OrderClosedEto,
  OrderConfirmedEto,
  OrderCreatedEto,
  OrderPlacedEto,
  OrderReceivedEto,
  OrderReleasedEto,
  OrderShippedEto,
  OrderStatus,
  OrderStatusChangedEto,
} from '../contracts/index.js'
import { unitsOf } from '../domain/exact-decimal.js'
import { firstRefusal, type Guard, targetOfMove } from '../domain/lifecycle.js'
import type { Order, OrderLine } from '../domain/order.js'
import { type OrderAction, type OrderFacts, orderTransitions } from '../domain/order-lifecycle.js'
import { OrderLineStore, OrderStatusHistoryStore, OrderStore } from '../persistence/stores.js'
import { occurrence, sourceOfCaller } from './occurrence.js'
import { refusedByGuard, refusedOrderAction } from './refusals.js'

const eventOf = {
  place: OrderPlacedEto,
  confirm: OrderConfirmedEto,
  ship: OrderShippedEto,
  receive: OrderReceivedEto,
  close: OrderClosedEto,
  cancel: OrderCancelledEto,
  release: OrderReleasedEto,
} as const satisfies Record<OrderAction, unknown>

/** The values that a transition sets beside the status. */
interface Effects {
  readonly reason?: string
  readonly changes?: NewRow<Order>
  readonly facts?: Partial<OrderFacts>
}

/** Takes orders through their states: guards, status history and events, in one unit of work (domain model, section 2.2). */
@Injectable()
export class OrderLifecycle {
  constructor(
    private readonly orders: OrderStore,
    private readonly lines: OrderLineStore,
    private readonly histories: OrderStatusHistoryStore,
    private readonly clock: Clock,
  ) {}

  /** Writes the first status of a new order into its history. */
  async begin(order: Order): Promise<void> {
    order.raise(new OrderCreatedEto(this.event(order)))
    await this.orders.update(order, {})
    await this.record(order, null, order.status, null)
  }

  /** Refuses an action that the status does not allow. Answers the status that it leads to. */
  demand(order: Order, action: OrderAction): OrderStatus {
    const to = targetOfMove<OrderStatus>(orderTransitions[action], order.status)
    if (to === undefined) throw refusedOrderAction(order, action)
    return to
  }

  /** Performs an action; refuses what its guards refuse. */
  async perform(order: Order, action: OrderAction, effects: Effects = {}): Promise<void> {
    const { reason = null, changes = {}, facts = {} } = effects
    const [from, to] = [order.status, this.demand(order, action)]
    const guards: readonly Guard<Order, OrderFacts>[] = orderTransitions[action].guards
    const lines = guards.length ? await this.lines.ofOrder(order.id) : []
    const refusal = firstRefusal(guards, order, { lines, mayConfirm: false, ...facts })
    if (refusal) throw refusedByGuard(refusal, { orderNumber: order.orderNumber })
    order.raise(new eventOf[action]({ ...this.event(order), from, to, reason }))
    order.raise(new OrderStatusChangedEto({ ...this.event(order), from, to, reason }))
    await this.orders.update(order, { ...changes, status: to })
    await this.record(order, from, to, reason)
  }

  /** The confirmed orders of a shipment depart with it, with all that has not departed before. */
  async shipWith(shipmentId: string): Promise<void> {
    await this.follow(shipmentId, 'ship', ({ quantity }) => ({ quantityShipped: quantity }))
  }

  /** The shipped orders of a delivered shipment are received; those that departed in part are not. */
  async receiveWith(shipmentId: string): Promise<void> {
    const arrived = ({ quantityShipped }: OrderLine) => ({ quantityReceived: quantityShipped })
    await this.follow(shipmentId, 'receive', arrived, ({ status }) => status === OrderStatus.Shipped)
  }

  /** Orders of a cancelled shipment wait for another one. */
  async releaseWith(shipmentId: string): Promise<void> {
    await this.follow(shipmentId, 'release', () => ({ quantityShipped: '0', quantityReceived: '0' }))
  }

  /** Performs an action on the orders of a shipment whose status allows it, with new quantities of their lines. */
  private async follow(
    shipmentId: string,
    action: OrderAction,
    quantities: (line: OrderLine) => NewRow<OrderLine>,
    follows: (order: Order) => boolean = () => true,
  ): Promise<void> {
    for (const order of await this.orders.ofShipment(shipmentId)) {
      const to = targetOfMove<OrderStatus>(orderTransitions[action], order.status)
      if (to === undefined || !follows(order)) continue
      for (const line of await this.lines.ofOrder(order.id)) await this.lines.update(line, quantities(line))
      await this.perform(order, action)
    }
  }

  /** Performs `receive` once everything that was ordered has arrived. */
  async receiveIfComplete(order: Order): Promise<void> {
    const lines = await this.lines.ofOrder(order.id)
    if (lines.every((line) => unitsOf(line.quantityReceived) === unitsOf(line.quantity)))
      await this.perform(order, 'receive')
  }

  /** The members that every event of an order has. */
  event(order: Order) {
    const { splitNumber, buyerId, supplierId, shipmentId } = order
    return {
      ...occurrence(order, order.orderNumber, this.clock.now),
      splitNumber,
      buyerId,
      supplierId,
      shipmentId,
    }
  }

  private async record(
    { id: orderId }: Order,
    fromStatus: OrderStatus | null,
    toStatus: OrderStatus,
    reason: string | null,
  ): Promise<void> {
    const changeTime = this.clock.now
    await this.histories.insert({
      orderId,
      fromStatus,
      toStatus,
      changeTime,
      reason,
      source: sourceOfCaller(),
    })
  }
}
