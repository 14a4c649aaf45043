import { type DemoRow, type DemoTable, demoTable } from './demo-table.js'
import { documentCount, documentRows } from './documents.js'
import {
  exceptionRows,
  type HappeningCounts,
  happeningCounts,
  noteRows,
  referenceRows,
} from './happenings.js'
import { milestoneCount, milestoneRows } from './milestones.js'
import {
  consolCount,
  consolRows,
  consolShipmentRows,
  containerCount,
  containerRows,
  legCount,
  legRows,
  shipmentContainerRows,
  vesselCount,
  vesselRows,
} from './movements.js'
import {
  shippedHistoryCount,
  shippedHistoryRows,
  unshippedHistoryCount,
  unshippedHistoryRows,
} from './order-histories.js'
import { shippedLineCount, shippedLineRows, unshippedLineCount, unshippedLineRows } from './order-lines.js'
import { shippedOrderCount, shippedOrderRows, unshippedOrderCount, unshippedOrderRow } from './orders.js'
import {
  addressCount,
  contactCount,
  organizationAddressRows,
  organizationContactRows,
} from './organization-details.js'
import { type DemoUser, memberRows, membershipCount, organizationRows } from './organizations.js'
import { dangerousGoodsCount, dangerousGoodsRows, packLineCount, packLineRows } from './pack-lines.js'
import { addressRows, partyCount } from './parties.js'
import { bookedSailingCount, bookedSailingRows, weeklySailingCount, weeklySailingRows } from './sailings.js'
import { shipmentRow } from './shipments.js'
import { statusHistoryCount, statusHistoryRows } from './status-histories.js'
import { terminalCount, terminalRows } from './terminals.js'
import { trackingEventCount, trackingEventRows } from './tracking-events.js'
import { type DemoWorld, makeWorld } from './world.js'

export type { DemoTable, DemoValue } from './demo-table.js'
export type { DemoUser } from './organizations.js'

/**
 * A Hub full of coherent rows, tables in the order of their foreign keys. The same seed gives the same ids on
 * any machine, and with the same `now` the same rows. Nothing is kept: each row is made when it is read.
 */
export function demoTables(options: {
  shipments: number
  seed: number
  now: Date
  userIds: readonly DemoUser[]
}): DemoTable[] {
  const world = makeWorld(options)
  const { seed, now, userIds } = options
  const { organizations } = world
  const unshippedOrders = unshippedOrderCount(world)
  let unshippedLines = 0
  let unshippedHistories = 0
  for (let number = 0; number < unshippedOrders; number++) {
    unshippedLines += unshippedLineCount(world, number)
    unshippedHistories += unshippedHistoryCount(number)
  }
  return [
    demoTable('HubOrganizations', organizations.length, () => organizationRows(seed, now, organizations)),
    demoTable('HubOrganizationAddresses', addressCount(organizations), () =>
      organizationAddressRows(seed, now, organizations),
    ),
    demoTable('HubOrganizationContacts', contactCount(organizations), () =>
      organizationContactRows(seed, now, organizations),
    ),
    demoTable(
      'HubOrganizationMembers',
      userIds.reduce((sum, user) => sum + membershipCount(user), 0),
      () => memberRows(seed, now, organizations, userIds),
    ),
    demoTable('HubShipments', world.shipments, () =>
      perShipment(world, (ordinal) => [shipmentRow(world, ordinal)]),
    ),
    demoTable('HubShipmentAddresses', total(world, partyCount), () =>
      perShipment(world, (ordinal) => addressRows(world, ordinal)),
    ),
    demoTable('HubShipmentStatusHistories', total(world, statusHistoryCount), () =>
      perShipment(world, (ordinal) => statusHistoryRows(world, ordinal)),
    ),
    demoTable('HubShipmentMilestones', total(world, milestoneCount), () =>
      perShipment(world, (ordinal) => milestoneRows(world, ordinal)),
    ),
    ...happenings.map(([table, count, rows]) =>
      demoTable(
        table,
        total(world, (_, ordinal) => happeningCounts(world, ordinal)[count]),
        () => perShipment(world, (ordinal) => rows(world, ordinal)),
      ),
    ),
    demoTable('HubOrders', total(world, shippedOrderCount) + unshippedOrders, () =>
      orderRows(world, unshippedOrders),
    ),
    demoTable('HubOrderLines', total(world, shippedLineCount) + unshippedLines, () =>
      lineRows(world, unshippedOrders),
    ),
    demoTable('HubOrderStatusHistories', total(world, shippedHistoryCount) + unshippedHistories, () =>
      orderHistoryRows(world, unshippedOrders),
    ),
    demoTable('HubTerminals', terminalCount, () => terminalRows(seed)),
    demoTable('HubVessels', vesselCount, () => vesselRows(seed)),
    demoTable('HubSailingSchedules', weeklySailingCount + total(world, bookedSailingCount), () =>
      sailingRows(world),
    ),
    ...carriage.map(([table, count, rows]) =>
      demoTable(table, total(world, count), () => perShipment(world, (ordinal) => rows(world, ordinal))),
    ),
    demoTable('HubDocuments', total(world, documentCount), () =>
      perShipment(world, (ordinal) => documentRows(world, ordinal)),
    ),
  ]
}

/** Tables of how shipments are carried, in the order of their foreign keys: how many rows a shipment has, and the rows. */
const carriage: readonly (readonly [
  table: string,
  count: (world: DemoWorld, ordinal: number) => number,
  rows: (world: DemoWorld, ordinal: number) => Iterable<DemoRow>,
])[] = [
  ['HubConsols', consolCount, consolRows],
  ['HubConsolLegs', legCount, legRows],
  ['HubConsolShipments', consolCount, consolShipmentRows],
  ['HubContainers', containerCount, containerRows],
  ['HubShipmentContainers', containerCount, shipmentContainerRows],
  ['HubPackLines', packLineCount, packLineRows],
  ['HubPackLineDangerousGoods', dangerousGoodsCount, dangerousGoodsRows],
  ['HubTrackingEvents', trackingEventCount, trackingEventRows],
]

/** Tables of what happens to shipments: the name of their count, and the rows of one shipment. */
const happenings: readonly (readonly [
  table: string,
  count: keyof HappeningCounts,
  rows: (world: DemoWorld, ordinal: number) => Iterable<DemoRow>,
])[] = [
  ['HubShipmentReferenceNumbers', 'references', referenceRows],
  ['HubShipmentNotes', 'notes', noteRows],
  ['HubShipmentExceptions', 'exceptions', exceptionRows],
]

function total(world: DemoWorld, count: (world: DemoWorld, ordinal: number) => number): number {
  let sum = 0
  for (let ordinal = 0; ordinal < world.shipments; ordinal++) sum += count(world, ordinal)
  return sum
}

function* perShipment(world: DemoWorld, rowsOf: (ordinal: number) => Iterable<DemoRow>): Iterable<DemoRow> {
  for (let ordinal = 0; ordinal < world.shipments; ordinal++) yield* rowsOf(ordinal)
}

function* orderRows(world: DemoWorld, unshipped: number): Iterable<DemoRow> {
  yield* perShipment(world, (ordinal) => shippedOrderRows(world, ordinal))
  for (let number = 0; number < unshipped; number++) yield unshippedOrderRow(world, number)
}

function* lineRows(world: DemoWorld, unshipped: number): Iterable<DemoRow> {
  yield* perShipment(world, (ordinal) => shippedLineRows(world, ordinal))
  for (let number = 0; number < unshipped; number++) yield* unshippedLineRows(world, number)
}

function* orderHistoryRows(world: DemoWorld, unshipped: number): Iterable<DemoRow> {
  yield* perShipment(world, (ordinal) => shippedHistoryRows(world, ordinal))
  for (let number = 0; number < unshipped; number++) yield* unshippedHistoryRows(world, number)
}

function* sailingRows(world: DemoWorld): Iterable<DemoRow> {
  yield* weeklySailingRows(world)
  yield* perShipment(world, (ordinal) => bookedSailingRows(world, ordinal))
}
