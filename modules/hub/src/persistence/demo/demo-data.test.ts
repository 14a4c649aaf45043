import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isContainerNumber } from '../../domain/container-number.js'
import { codeEntities } from '../reference/code-entities.js'
import { ports } from '../reference/ports.js'
import { type DemoTable, type DemoValue, demoTables } from './demo-data.js'
import { demoMembers } from './demo-members.js'
import { organizationCount } from './organizations.js'

type Row = Record<string, DemoValue>

const now = new Date('2026-11-21T00:00:00Z')
const options = {
  shipments: 4_000,
  seed: 7,
  now,
  userIds: [
    { userId: '11111111-1111-4111-8111-111111111111', userName: 'ann', organizationOrdinals: [0, 5] },
    {
      userId: '22222222-2222-4222-8222-222222222222',
      userName: 'bob',
      organizationOrdinals: [],
      isStaff: true,
    },
  ],
}
const tables = demoTables(options)
const organizations = rowsOf('HubOrganizations')
const shipments = rowsOf('HubShipments')
const addresses = rowsOf('HubShipmentAddresses')
const orders = rowsOf('HubOrders')
const documents = rowsOf('HubDocuments')
const shipmentsById = new Map(shipments.map((shipment) => [shipment.Id, shipment]))
const codes = new Map(codeEntities.map((entity) => [entity.id as DemoValue, entity]))

test('the tables come in the order of their foreign keys', () => {
  assert.deepEqual(
    tables.map(({ table }) => table),
    [
      'HubOrganizations',
      'HubOrganizationAddresses',
      'HubOrganizationContacts',
      'HubOrganizationMembers',
      'HubShipments',
      'HubShipmentAddresses',
      'HubShipmentStatusHistories',
      'HubShipmentMilestones',
      'HubShipmentReferenceNumbers',
      'HubShipmentNotes',
      'HubShipmentExceptions',
      'HubOrders',
      'HubOrderLines',
      'HubOrderStatusHistories',
      'HubTerminals',
      'HubVessels',
      'HubSailingSchedules',
      'HubConsols',
      'HubConsolLegs',
      'HubConsolShipments',
      'HubContainers',
      'HubShipmentContainers',
      'HubPackLines',
      'HubPackLineDangerousGoods',
      'HubTrackingEvents',
      'HubDocuments',
    ],
  )
})

test('count is the number of rows, and every row has every column', () => {
  for (const { count, columns, rows } of tables) {
    const widths = [...rows].map((row) => row.length)
    assert.equal(widths.length, count)
    assert.deepEqual([...new Set(widths)], [columns.length])
  }
})

test('the same seed makes the same rows', () => {
  const again = demoTables(options)
  for (const [index, { rows }] of tables.entries())
    assert.deepEqual([...(again[index]?.rows ?? [])].slice(0, 500), [...rows].slice(0, 500))
})

test('ids follow from the seed and not from the clock', () => {
  const ofShipments = (made: DemoTable[]) => ids(made.find(({ table }) => table === 'HubShipments'))
  const later = ofShipments(demoTables({ ...options, now: new Date('2027-03-01') }))
  const otherSeed = ofShipments(demoTables({ ...options, seed: 8 }))
  assert.deepEqual(later, column(shipments, 'Id'))
  assert.notEqual(otherSeed[0], shipments[0]?.Id)
})

test('ids are UUIDs, each once', () => {
  for (const table of tables) {
    assert.equal(new Set(ids(table)).size, table.count)
    for (const id of ids(table))
      assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})

test('every reference is an S with eight digits, each once', () => {
  assert.equal(new Set(column(shipments, 'ShipmentReference')).size, shipments.length)
  for (const shipment of shipments) assert.match(String(shipment.ShipmentReference), /^S\d{8}$/)
})

test('120 organizations serve 2,000 shipments and 8,000 serve a million', () => {
  assert.deepEqual([20, 2_000, 1_000_000].map(organizationCount), [120, 120, 8_000])
})

test('the legs of a consol lead from the port of departure of its shipment to the port of arrival, each from where the last one ended', () => {
  const legs = groupBy(rowsOf('HubConsolLegs'), 'ConsolId')
  const consols = new Map(rowsOf('HubConsols').map((consol) => [consol.Id, consol]))
  for (const { ConsolId, ShipmentId } of rowsOf('HubConsolShipments')) {
    const shipment = shipmentsById.get(ShipmentId as string)
    const way = legs.get(ConsolId) ?? []
    assert.equal(way[0]?.DeparturePortId, shipment?.FirstConsolLegDeparturePortId)
    assert.equal(way.at(-1)?.ArrivalPortId, shipment?.LastConsolLegArrivalPortId)
    assert.deepEqual(way[0]?.ActualDeparture, shipment?.ActualDeparture)
    assert.deepEqual(way.at(-1)?.ActualArrival, shipment?.ActualArrival)
    for (const [index, leg] of way.slice(1).entries())
      assert.equal(leg.DeparturePortId, way[index]?.ArrivalPortId)
    assert.equal(consols.get(ConsolId)?.MasterBillNumber, shipment?.MasterBillNumber)
  }
  assert.equal(legs.size, consols.size)
})

test('containers have valid numbers once they are packed, and carry the goods of full loads', () => {
  const containers = rowsOf('HubContainers')
  const numbers = column(containers, 'ContainerNumber').filter((number) => number !== null)
  assert.ok(numbers.length > containers.length / 2)
  assert.ok(numbers.every((number) => isContainerNumber(String(number))))
  const loads = groupBy(rowsOf('HubShipmentContainers'), 'ShipmentId')
  for (const [shipment, parts] of loads)
    assert.ok(
      sum(parts, 'Packages') ===
        (shipmentsById.get(shipment as string)?.TotalPackages ?? sum(parts, 'Packages')),
    )
})

test('pack lines add up to the packages and the weight of their shipment', () => {
  for (const [id, lines] of groupBy(rowsOf('HubPackLines'), 'ShipmentId')) {
    const { TotalPackages, TotalGrossWeight } = shipmentsById.get(id as string) ?? {}
    if (TotalPackages !== null) assert.equal(sum(lines, 'PackageCount'), TotalPackages)
    if (TotalGrossWeight !== null)
      assert.ok(Math.abs(sum(lines, 'GrossWeightKg') - (TotalGrossWeight as number)) < 0.1)
  }
})

test('order lines add up to the quantity and the amount of their order', () => {
  const lines = groupBy(rowsOf('HubOrderLines'), 'OrderId')
  for (const { Id, TotalQuantity, TotalAmount } of orders) {
    assert.equal(sum(lines.get(Id) ?? [], 'Quantity'), TotalQuantity)
    assert.ok(Math.abs(sum(lines.get(Id) ?? [], 'LineAmount') - (TotalAmount as number)) < 0.005)
  }
})

test('orders that left in part have lines that did, and no other order has', () => {
  const lines = groupBy(rowsOf('HubOrderLines'), 'OrderId')
  const partial = orders.filter(({ Status }) => Status === 3)
  assert.ok(partial.length > 10)
  for (const { Id, Status, TotalQuantity } of orders) {
    const shipped = sum(lines.get(Id) ?? [], 'QuantityShipped')
    if (Status === 3) assert.ok(shipped > 0 && shipped <= (TotalQuantity as number))
    else assert.equal(shipped, (Status as number) > 3 ? TotalQuantity : 0)
  }
})

test('the history of an order leads from a draft to its status, in time, and it leaves with its shipment', () => {
  const histories = groupBy(rowsOf('HubOrderStatusHistories'), 'OrderId')
  assert.equal(histories.size, orders.length)
  for (const { Id, Status, ShipmentId } of orders) {
    const changes = histories.get(Id) ?? []
    assert.deepEqual(
      [changes[0]?.FromStatus, changes[0]?.ToStatus, changes.at(-1)?.ToStatus],
      [null, 0, Status],
    )
    for (const [index, { FromStatus, ToStatus, ChangeTime }] of changes.entries()) {
      assert.equal(FromStatus, changes[index - 1]?.ToStatus ?? null)
      assert.ok(
        Number(ChangeTime) >= Number(changes[index - 1]?.ChangeTime ?? 0) &&
          Number(ChangeTime) <= Number(now),
      )
      if (ToStatus === 3 || ToStatus === 4)
        assert.deepEqual(ChangeTime, shipmentsById.get(ShipmentId as string)?.ActualDeparture)
    }
  }
})

test('departures lie ahead, each once, and shipments that have not left by sea and air are booked on one of their own ways', () => {
  const sailings = new Map(rowsOf('HubSailingSchedules').map((sailing) => [sailing.Id, sailing]))
  assert.ok(sailings.size > 1_440)
  const keys = [...sailings.values()].map((one) =>
    [
      one.CarrierId,
      one.VoyageFlightNumber,
      one.DeparturePortId,
      one.ArrivalPortId,
      Number(one.EstimatedDeparture),
    ].join(),
  )
  assert.equal(new Set(keys).size, sailings.size)
  for (const { EstimatedDeparture, EstimatedArrival } of sailings.values())
    assert.ok(
      Number(now) < Number(EstimatedDeparture) && Number(EstimatedDeparture) < Number(EstimatedArrival),
    )
  const booked = rowsOf('HubConsolLegs').filter(({ SailingScheduleId }) => SailingScheduleId !== null)
  assert.ok(booked.length > 100)
  for (const leg of booked) {
    const sailing = sailings.get(leg.SailingScheduleId as string)
    const way = [
      'CarrierId',
      'VesselId',
      'VoyageFlightNumber',
      'DeparturePortId',
      'ArrivalPortId',
      'EstimatedDeparture',
    ]
    assert.deepEqual(
      way.map((name) => leg[name]),
      way.map((name) => sailing?.[name]),
    )
  }
})

test('legs begin and end at terminals of their ports, the next one where the last one ended', () => {
  const terminals = new Map(rowsOf('HubTerminals').map((terminal) => [terminal.Id, terminal]))
  const keys = [...terminals.values()].map(({ PortId, Code }) => `${PortId} ${Code}`)
  assert.equal(new Set(keys).size, terminals.size)
  for (const way of groupBy(rowsOf('HubConsolLegs'), 'ConsolId').values())
    for (const [index, leg] of way.entries()) {
      for (const [id, port] of [
        [leg.DepartureTerminalId, leg.DeparturePortId],
        [leg.ArrivalTerminalId, leg.ArrivalPortId],
      ])
        if (id !== null) assert.equal(terminals.get(id as string)?.PortId, port)
      if (index > 0) assert.equal(leg.DepartureTerminalId, way[index - 1]?.ArrivalTerminalId)
    }
})

test('what happened to a shipment was reported, and nothing that lies ahead', () => {
  const events = rowsOf('HubTrackingEvents')
  const actual = events.filter(({ Classifier }) => Classifier === 2)
  assert.ok(actual.every(({ EventTime }) => (EventTime as Date).getTime() <= now.getTime() + 86_400_000))
  const departed = new Set(
    actual.filter(({ EventTypeCode }) => EventTypeCode === 'DEPA').map(({ ShipmentId }) => ShipmentId),
  )
  for (const { Id, ActualDeparture } of shipments)
    assert.equal(departed.has(Id as string), ActualDeparture !== null)
})

test('a hierarchy path is the path of the parent and the own code', () => {
  const byId = new Map(organizations.map((organization) => [organization.Id, organization]))
  const depths = new Set<number>()
  for (const { Code, HierarchyPath, ParentOrganizationId } of organizations) {
    assert.equal(HierarchyPath, `${byId.get(ParentOrganizationId as string)?.HierarchyPath ?? '/'}${Code}/`)
    depths.add(String(HierarchyPath).split('/').length - 2)
  }
  assert.deepEqual([...depths].sort(), [1, 2, 3])
  assert.equal(new Set(column(organizations, 'Code')).size, organizations.length)
})

test('a user sees through the given organizations, the first by default, and staff belong to a forwarder', () => {
  const members = rowsOf('HubOrganizationMembers').map(({ OrganizationId, IsDefault }) => [
    OrganizationId,
    IsDefault,
  ])
  assert.deepEqual(members, [
    [organizations[0]?.Id, true],
    [organizations[5]?.Id, false],
    [organizations.find(({ IsForwarder }) => IsForwarder)?.Id, true],
  ])
})

test('60 users have 75 memberships, most of them in big customers', () => {
  const members = rowsOf('HubOrganizationMembers', demoTables({ ...options, userIds: demoMembers }))
  const pairs = members.map(({ UserId, OrganizationId }) => `${UserId} ${OrganizationId}`)
  assert.deepEqual([new Set(column(members, 'UserId')).size, pairs.length, new Set(pairs).size], [60, 75, 75])
  const [largest = 0] = [...groupBy(members, 'OrganizationId').values()].map((rows) => rows.length)
  assert.ok(largest > 5)
})

test('visible to exactly the organizations in roles that see', () => {
  const expected = new Map(shipments.map((shipment) => [shipment.Id, new Set<DemoValue>()]))
  for (const { ShipmentId, Role, OrganizationId } of addresses) {
    if (OrganizationId !== null && ![5, 6, 14].includes(Role as number))
      expected.get(ShipmentId as string)?.add(OrganizationId as string)
  }
  for (const { Id, VisibleOrganizationIds } of shipments) {
    const visible = VisibleOrganizationIds as string[]
    assert.deepEqual([...visible].sort(), [...(expected.get(Id as string) ?? [])].sort())
  }
})

test('consignor, consignee and controlling customer exist exactly once, no role twice', () => {
  const rolesByShipment = new Map<DemoValue, number[]>()
  for (const { ShipmentId, Role } of addresses) {
    rolesByShipment.set(ShipmentId as string, [
      ...(rolesByShipment.get(ShipmentId as string) ?? []),
      Role as number,
    ])
  }
  for (const shipment of shipments) {
    const roles = rolesByShipment.get(shipment.Id as string) ?? []
    assert.deepEqual(roles.slice(0, 3), [0, 1, 4])
    assert.equal(new Set(roles).size, roles.length)
  }
})

test('the controlling customer is the one of the addresses', () => {
  for (const { ShipmentId, Role, OrganizationId } of addresses) {
    if (Role === 4)
      assert.equal(shipmentsById.get(ShipmentId as string)?.ControllingCustomerId, OrganizationId)
  }
})

test('container modes fit the transport mode', () => {
  for (const { TransportModeId, ContainerModeId } of shipments) {
    if (ContainerModeId === null) continue
    const mode = codes.get(TransportModeId as string)?.code ?? ''
    assert.ok(codes.get(ContainerModeId as string)?.attributes?.modes?.includes(mode))
  }
})

test('ships call at sea ports and aircraft at airports', () => {
  const portsById = new Map(ports.map((port) => [port.id, port]))
  for (const { TransportModeId, FirstConsolLegDeparturePortId } of shipments) {
    const mode = codes.get(TransportModeId as string)?.code
    const port = portsById.get(FirstConsolLegDeparturePortId as string)
    if (port && mode === 'Sea') assert.ok(port.isSeaport, port.unLocode)
    if (port && mode === 'Air') assert.ok(port.isAirport, port.unLocode)
  }
})

test('what happened, happened in order and before now', () => {
  for (const row of shipments) {
    const past = times(row, ['ActualPickup', 'ActualDeparture', 'ActualArrival', 'ActualDelivery'])
    assert.deepEqual(
      past,
      [...past].sort((a, b) => a - b),
      String(row.ShipmentReference),
    )
    for (const time of [...past, ...times(row, ['CreationTime', 'LastModificationTime'])])
      assert.ok(time <= now.getTime())
    const planned = times(row, [
      'CreationTime',
      'CargoReadyDate',
      'EstimatedPickup',
      'EstimatedDeparture',
      'EstimatedArrival',
      'EstimatedDelivery',
    ])
    assert.deepEqual(
      planned,
      [...planned].sort((a, b) => a - b),
      String(row.ShipmentReference),
    )
  }
})

test('the status says which dates there are', () => {
  for (const row of shipments) {
    const status = row.Status as number
    const reached = (step: number) => status !== 10 && status >= step
    assert.equal(row.ActualPickup !== null, reached(3))
    assert.equal(row.ActualDeparture !== null, reached(4))
    assert.equal(row.ActualArrival !== null, reached(5))
    assert.equal(row.ActualDelivery !== null, reached(8))
    if (status === 0) assert.equal(row.EstimatedDeparture, null)
    if (reached(1)) {
      for (const name of [
        'EstimatedDeparture',
        'EstimatedArrival',
        'FirstConsolLegDeparturePortId',
        'LastConsolLegArrivalPortId',
        'TransportModeId',
        'ContainerModeId',
      ]) {
        assert.notEqual(row[name], null)
      }
    }
  }
})

test('the history of a shipment goes from draft to its status, in time', () => {
  const histories = new Map<DemoValue, Row[]>()
  for (const row of rowsOf('HubShipmentStatusHistories'))
    histories.set(row.ShipmentId as DemoValue, [...(histories.get(row.ShipmentId as DemoValue) ?? []), row])
  for (const { Id, Status } of shipments) {
    const lines = histories.get(Id as DemoValue) ?? []
    assert.deepEqual([lines[0]?.FromStatus, lines[0]?.ToStatus, lines.at(-1)?.ToStatus], [null, 0, Status])
    for (const [index, { FromStatus, ChangeTime }] of lines.entries()) {
      assert.equal(FromStatus, lines[index - 1]?.ToStatus ?? null)
      assert.ok(
        Number(ChangeTime) >= Number(lines[index - 1]?.ChangeTime ?? 0) &&
          Number(ChangeTime) <= now.getTime(),
      )
    }
  }
})

test('a reason is given for each hold, a currency for each value', () => {
  for (const row of shipments) {
    assert.equal(row.IsOnHold, row.HoldReason !== null)
    assert.equal(row.GoodsValue === null, row.GoodsCurrencyCode === null)
  }
})

test('bills look right and air waybills have their check digit', () => {
  for (const { HouseBillNumber, MasterBillNumber, TransportModeId } of shipments) {
    if (HouseBillNumber !== null) assert.match(String(HouseBillNumber), /^[A-Z]{3}\d{7}$/)
    if (MasterBillNumber === null) continue
    if (codes.get(TransportModeId as string)?.code === 'Air') {
      const [, serial, digit] = /^\d{3}-(\d{7})(\d)$/.exec(String(MasterBillNumber)) ?? []
      assert.equal(Number(digit), Number(serial) % 7)
    } else assert.match(String(MasterBillNumber), /^[A-Z]{4}\d{9}$/)
  }
})

test('no order is its own supplier, and each number exists once', () => {
  for (const { BuyerId, SupplierId } of orders) assert.notEqual(BuyerId, SupplierId)
  assert.equal(new Set(column(orders, 'OrderNumber')).size, orders.length)
})

test('documents appear between creation and now, at most five days after arrival', () => {
  for (const { ShipmentId, CreationTime } of documents) {
    const shipment = shipmentsById.get(ShipmentId as string) as Row
    const latest = shipment.ActualArrival
      ? Math.min(Number(shipment.ActualArrival) + 5 * 86_400_000, now.getTime())
      : now.getTime()
    assert.ok(Number(CreationTime) >= Number(shipment.CreationTime) && Number(CreationTime) <= latest)
  }
})

test('a second version replaces a superseded first one of the same type', () => {
  const byId = new Map(documents.map((document) => [document.Id, document]))
  const second = documents.filter((document) => document.Version === 2)
  assert.ok(second.length > 0)
  for (const { ReplacesDocumentId, DocumentTypeId, ShipmentId } of second) {
    const first = byId.get(ReplacesDocumentId as string)
    assert.deepEqual(
      [first?.Status, first?.DocumentTypeId, first?.ShipmentId],
      [2, DocumentTypeId, ShipmentId],
    )
  }
})

const planned = shipments.filter((row) => row.EstimatedDeparture !== null)

const shares: [what: string, actual: number, expected: number, tolerance: number][] = [
  ['by sea', shareOf(hasCode('TransportModeId', 'Sea'), planned), 0.71, 0.03],
  ['by air', shareOf(hasCode('TransportModeId', 'Air'), planned), 0.22, 0.03],
  ['in full containers', shareOf(hasCode('ContainerModeId', 'FCL'), planned), 0.5, 0.04],
  ['without dates', shareOf((row) => row.EstimatedDeparture === null), 0.07, 0.005],
  ['in transit', shareOf((row) => row.Status === 4), 0.097, 0.01],
  ['cancelled', shareOf((row) => row.Status === 10), 0.03, 0.01],
  ['on hold', shareOf((row) => row.IsOnHold === true), 0.02, 0.008],
  ['leaving within 14 days', shareOf((row) => daysAhead(row) > 0 && daysAhead(row) <= 14), 0.06, 0.006],
  ['leaving within 60 days', shareOf((row) => daysAhead(row) > 0 && daysAhead(row) <= 60.1), 0.18, 0.01],
  [
    'of the biggest customer',
    shareOf((row) => row.ControllingCustomerId === organizations[0]?.Id),
    0.08,
    0.015,
  ],
  [
    'with orders',
    new Set(column(orders, 'ShipmentId').filter((id) => id !== null)).size / shipments.length,
    0.45,
    0.03,
  ],
]

test.each(shares)(
  'the share of shipments %s is %f, expected %f within %f',
  (_, actual, expected, tolerance) => {
    assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}`)
  },
)

const means: [what: string, actual: number, expected: number, tolerance: number][] = [
  ['addresses per shipment', addresses.length / shipments.length, 4.8, 0.05],
  ['references per shipment', rowsOf('HubShipmentReferenceNumbers').length / shipments.length, 0.5, 0.03],
  ['notes per shipment', rowsOf('HubShipmentNotes').length / shipments.length, 0.75, 0.04],
  ['exceptions per shipment', rowsOf('HubShipmentExceptions').length / shipments.length, 0.13, 0.02],
  ['milestones per shipment', rowsOf('HubShipmentMilestones').length / shipments.length, 9.9, 0.3],
  ['documents per shipment', documents.length / shipments.length, 3.1, 0.1],
  [
    'orders waiting for a shipment',
    orders.filter((order) => order.ShipmentId === null).length / orders.length,
    0.15,
    0.02,
  ],
]

test.each(means)('%s: %f, expected %f within %f', (_, actual, expected, tolerance) => {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}`)
})

function rowsOf(name: string, among: readonly DemoTable[] = tables): Row[] {
  const table = among.find((candidate) => candidate.table === name)
  if (!table) throw new Error(`There is no table ${name}`)
  return Array.from(table.rows, (row) =>
    Object.fromEntries(table.columns.map((key, index) => [key, row[index] ?? null])),
  )
}

function ids(table: (typeof tables)[number] | undefined): (DemoValue | undefined)[] {
  return Array.from(table?.rows ?? [], (row) => row[0])
}

function column(rows: Row[], name: string): DemoValue[] {
  return rows.map((row) => row[name] as DemoValue)
}

function groupBy(rows: Row[], name: string): Map<DemoValue | undefined, Row[]> {
  const groups = new Map<DemoValue | undefined, Row[]>()
  for (const row of rows)
    groups.set(row[name] as DemoValue, [...(groups.get(row[name] as DemoValue) ?? []), row])
  return groups
}

function sum(rows: Row[], name: string): number {
  return rows.reduce((total, row) => total + (row[name] as number), 0)
}

function times(row: Row, names: string[]): number[] {
  return names
    .map((name) => row[name])
    .filter((value) => value instanceof Date)
    .map((value) => value.getTime())
}

function daysAhead(row: Row): number {
  return row.EstimatedDeparture instanceof Date
    ? (row.EstimatedDeparture.getTime() - now.getTime()) / 86_400_000
    : 0
}

function shareOf(matches: (row: Row) => boolean, among = shipments): number {
  return among.filter(matches).length / among.length
}

function hasCode(name: string, code: string): (row: Row) => boolean {
  return (row) => codes.get(row[name] as string)?.code === code
}
