import { OrderStatus } from '../../contracts/enumerations.js'
import { round } from './cargo.js'
import type { DemoRow } from './demo-table.js'
import { share } from './movements.js'
import { shippedOrderRows, unshippedOrderRow } from './orders.js'
import { Draws, demoId, Stream } from './random.js'
import type { DemoWorld } from './world.js'

/** How many lines orders on a shipment have together. */
export function shippedLineCount(world: DemoWorld, ordinal: number): number {
  let lines = 0
  let index = 0
  for (const order of shippedOrderRows(world, ordinal))
    lines += lineCount(world, order, ordinal * 4 + index++)
  return lines
}

/** How many lines an order has that waits for its shipment. */
export function unshippedLineCount(world: DemoWorld, number: number): number {
  return lineCount(world, unshippedOrderRow(world, number), (world.shipments + number) * 4)
}

/** Rows of HubOrderLines of the orders on a shipment. */
export function* shippedLineRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  let index = 0
  for (const order of shippedOrderRows(world, ordinal)) yield* lineRows(world, order, ordinal * 4 + index++)
}

/** Rows of HubOrderLines of an order that waits for its shipment. */
export function* unshippedLineRows(world: DemoWorld, number: number): Iterable<DemoRow> {
  yield* lineRows(world, unshippedOrderRow(world, number), (world.shipments + number) * 4)
}

/** 4.4 lines on average, and never more than pieces. */
function lineCount(world: DemoWorld, { TotalQuantity }: DemoRow, order: number): number {
  const draws = new Draws(world.seed, Stream.OrderLine, order)
  return Math.min(1 + draws.below(8), TotalQuantity as number)
}

/** The lines of an order: their quantities and amounts add up to its own. */
function* lineRows(world: DemoWorld, order: DemoRow, ordinal: number): Iterable<DemoRow> {
  const draws = new Draws(world.seed, Stream.OrderLine, ordinal)
  draws.unit() // of the count
  const lines = lineCount(world, order, ordinal)
  const total = order.TotalQuantity as number
  const amount = order.TotalAmount as number
  const status = order.Status as OrderStatus
  const isShipped = status >= OrderStatus.Shipped
  let rest = amount
  for (let index = 0; index < lines; index++) {
    const quantity = share(total, lines, index)
    const isLast = index === lines - 1
    const lineAmount = isLast ? round(rest, 2) : round((amount * quantity) / total, 2)
    rest -= lineAmount
    yield {
      Id: demoId(Stream.OrderLine, world.seed, ordinal, index),
      OrderId: order.Id as string,
      LineNumber: index + 1,
      ProductCode: `${draws.pick(['AX', 'BK', 'CM', 'DR', 'EL', 'FN'])}-${draws.digits(5)}`,
      Description: order.Description as string | null,
      Quantity: quantity,
      UnitCode: 'PCE',
      QuantityShipped:
        status === OrderStatus.PartiallyShipped ? partOf(quantity, index) : isShipped ? quantity : 0,
      QuantityReceived: status >= OrderStatus.Received ? quantity : 0,
      UnitPrice: round(lineAmount / quantity, 4),
      LineAmount: lineAmount,
      CreationTime: order.CreationTime as Date,
    }
  }
}

/** How much of a line has left of an order that left in part: of the first line half, of others all, nothing or most. */
function partOf(quantity: number, index: number): number {
  return Math.ceil(quantity * ([0.5, 1, 0, 0.75][index % 4] as number))
}
