import { OrderStatus, ShipmentStatus } from '../../contracts/enumerations.js'
import { cargoOf, round } from './cargo.js'
import type { DemoRow } from './demo-table.js'
import type { DemoOrganization } from './organizations.js'
import { partiesOf } from './parties.js'
import { Choice, demoId, Stream } from './random.js'
import { codeIdOf, portIdOf } from './reference-ids.js'
import { type Route, routeOf } from './route.js'
import { shipmentId } from './shipments.js'
import { isCancelled, type Timeline, timelineOf } from './timeline.js'
import { type DemoWorld, dayMs, drawsFor } from './world.js'

const counts = new Choice<number>([
  [76, 1],
  [17, 2],
  [5, 3],
  [2, 4],
])

/** 45 % of shipments carry orders; a cancelled shipment has lost its own. */
export function shippedOrderCount(world: DemoWorld, ordinal: number): number {
  if (isCancelled(world, ordinal)) return 0
  const draws = drawsFor(world, Stream.OrderCount, ordinal)
  return draws.chance(0.45 / 0.97) ? counts.draw(draws) : 0
}

/** Orders that are not on a shipment yet: 15 % of all orders. */
export function unshippedOrderCount(world: DemoWorld): number {
  return Math.round(world.shipments * 0.105)
}

/** Rows of HubOrders on one shipment. */
export function* shippedOrderRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const count = shippedOrderCount(world, ordinal)
  if (count === 0) return
  const route = routeOf(world, ordinal)
  const timeline = timelineOf(world, ordinal, route)
  const { consignor, consignee } = partiesOf(world, ordinal, route)
  for (let index = 0; index < count; index++) {
    yield orderRow(world, {
      ordinal,
      index,
      shipmentId: shipmentId(world, ordinal),
      status: shippedOrderStatus(world, ordinal, index, timeline),
      orderedBefore: timeline.estimatedDeparture ?? world.now + 30 * dayMs,
      arrival: timeline.estimatedArrival,
      route,
      buyer: consignee,
      supplier: consignor,
    })
  }
}

/** The row of HubOrders of an order that waits for its shipment. */
export function unshippedOrderRow(world: DemoWorld, number: number): DemoRow {
  // Trades like a shipment that does not exist.
  const ordinal = world.shipments + number
  const route = routeOf(world, ordinal)
  const { consignor, consignee } = partiesOf(world, ordinal, route)
  return orderRow(world, {
    ordinal,
    index: 0,
    shipmentId: null,
    status: unshippedOrderStatus(number),
    orderedBefore: world.now + ((number * 37) % 60) * dayMs,
    arrival: null,
    route,
    buyer: consignee,
    supplier: consignor,
  })
}

/** The status of an order on a shipment, counted from 0. One in seven of those under way left in part. */
export function shippedOrderStatus(
  world: DemoWorld,
  ordinal: number,
  index: number,
  { status, actualDelivery }: Timeline,
): OrderStatus {
  if (status === ShipmentStatus.Completed) return OrderStatus.Closed
  if (actualDelivery !== null) return OrderStatus.Received
  if (status < ShipmentStatus.InTransit)
    return status >= ShipmentStatus.Booked ? OrderStatus.Confirmed : OrderStatus.Placed
  const isPart = drawsFor(world, Stream.OrderHistory, ordinal * 8 + index).chance(1 / 7)
  return isPart ? OrderStatus.PartiallyShipped : OrderStatus.Shipped
}

/** The status of an order that waits for its shipment: a draft, placed or confirmed. */
export function unshippedOrderStatus(number: number): OrderStatus {
  return number % 3
}

interface OrderPlan {
  ordinal: number
  index: number
  shipmentId: string | null
  status: OrderStatus
  orderedBefore: number
  arrival: number | null
  route: Route
  buyer: DemoOrganization
  supplier: DemoOrganization
}

function orderRow(world: DemoWorld, plan: OrderPlan): DemoRow {
  const { ordinal, index, route } = plan
  const draws = drawsFor(world, Stream.Order, ordinal * 8 + index)
  const ordered = Math.min(
    plan.orderedBefore - draws.between(35, 90) * dayMs,
    world.now - draws.between(0.1, 5) * dayMs,
  )
  const exWorks = Math.max(plan.orderedBefore - draws.between(5, 15) * dayMs, ordered + dayMs)
  const isConfirmed = plan.status >= OrderStatus.Confirmed
  const cargo = cargoOf(world, ordinal, route)
  const quantity = 1 + draws.below(cargo.packages * 12)
  return {
    Id: demoId(Stream.Order, world.seed, ordinal, index),
    OrderNumber: `PO${40_000_000 + ordinal * 4 + index}`,
    BuyerId: plan.buyer.id,
    SupplierId: plan.supplier.id,
    ShipmentId: plan.shipmentId,
    OrderDate: calendarDate(ordered),
    RequiredExWorksDate: draws.optional(calendarDate(exWorks)),
    RequiredInStoreDate: draws.optional(
      calendarDate((plan.arrival ?? exWorks + 45 * dayMs) + draws.between(5, 20) * dayMs),
    ),
    CargoReadyDate: isConfirmed ? calendarDate(exWorks + draws.between(-2, 3) * dayMs) : null,
    IncotermId: draws.optional(codeIdOf('Incoterm', draws.pick(['FCA', 'EXW', 'DAP', 'CPT']))),
    TransportModeId: draws.optional(codeIdOf('TransportMode', route.mode)),
    OriginPortId: portIdOf(route.from),
    DestinationPortId: portIdOf(route.to),
    CurrencyCode: draws.pick(['USD', 'USD', 'EUR', 'CNY']),
    TotalAmount: round(quantity * draws.logNormal(14, 0.9), 2),
    TotalQuantity: quantity,
    Status: plan.status,
    Description: draws.optional(cargo.description.replace(/^\d+ \w+ of /, '')),
    CreationTime: new Date(Math.floor(ordered / 60_000) * 60_000),
    ConcurrencyStamp: draws.hex(4),
  }
}

function calendarDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
