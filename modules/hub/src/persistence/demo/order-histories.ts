import { EventSource, OrderStatus } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import {
  shippedOrderCount,
  shippedOrderRows,
  shippedOrderStatus,
  unshippedOrderRow,
  unshippedOrderStatus,
} from './orders.js'
import { Draws, demoId, Stream } from './random.js'
import { routeOf } from './route.js'
import { type Timeline, timelineOf } from './timeline.js'
import { type DemoWorld, dayMs } from './world.js'

const { Draft, Placed, Confirmed, PartiallyShipped, Shipped, Received, Closed } = OrderStatus

/** How many statuses the orders on a shipment had so far, together. */
export function shippedHistoryCount(world: DemoWorld, ordinal: number): number {
  const orders = shippedOrderCount(world, ordinal)
  if (orders === 0) return 0
  const timeline = timelineOf(world, ordinal, routeOf(world, ordinal))
  let count = 0
  for (let index = 0; index < orders; index++)
    count += statusesUpTo(shippedOrderStatus(world, ordinal, index, timeline)).length
  return count
}

/** How many statuses an order had that waits for its shipment. */
export function unshippedHistoryCount(number: number): number {
  return statusesUpTo(unshippedOrderStatus(number)).length
}

/** Rows of HubOrderStatusHistories of the orders on a shipment. */
export function* shippedHistoryRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  if (shippedOrderCount(world, ordinal) === 0) return
  const timeline = timelineOf(world, ordinal, routeOf(world, ordinal))
  let index = 0
  for (const order of shippedOrderRows(world, ordinal))
    yield* historyRows(world, order, ordinal * 4 + index++, timeline)
}

/** Rows of HubOrderStatusHistories of an order that waits for its shipment. */
export function unshippedHistoryRows(world: DemoWorld, number: number): Iterable<DemoRow> {
  return historyRows(world, unshippedOrderRow(world, number), (world.shipments + number) * 4, undefined)
}

/** The statuses of an order, in order. One that left in part has not left as a whole. */
function statusesUpTo(last: OrderStatus): readonly OrderStatus[] {
  if (last === PartiallyShipped) return [Draft, Placed, Confirmed, PartiallyShipped]
  return [Draft, Placed, Confirmed, Shipped, Received, Closed].filter((status) => status <= last)
}

function* historyRows(
  world: DemoWorld,
  order: DemoRow,
  ordinal: number,
  timeline: Timeline | undefined,
): Iterable<DemoRow> {
  const draws = new Draws(world.seed, Stream.OrderHistory, ordinal)
  const statuses = statusesUpTo(order.Status as OrderStatus)
  let time = (order.CreationTime as Date).getTime()
  for (const [index, status] of statuses.entries()) {
    if (index > 0)
      time = actualTime(status, timeline) ?? agreed(time, timeline?.actualDeparture ?? world.now, draws)
    yield {
      Id: demoId(Stream.OrderHistory, world.seed, ordinal, index),
      OrderId: order.Id as string,
      FromStatus: statuses[index - 1] ?? null,
      ToStatus: status,
      ChangeTime: new Date(time),
      Source: EventSource.Manual,
      CreationTime: new Date(time),
    }
  }
}

/** When an order left, arrived or was closed: with its shipment. */
function actualTime(status: OrderStatus, timeline: Timeline | undefined): number | null | undefined {
  if (status === Shipped || status === PartiallyShipped) return timeline?.actualDeparture
  if (status === Received) return timeline?.actualDelivery
  return status === Closed ? timeline?.modified : undefined
}

/** A day or some after the last change, and before what came next. */
function agreed(last: number, next: number, draws: Draws): number {
  return Math.floor(last + Math.min(draws.between(0.2, 4) * dayMs, (next - last) * 0.4))
}
