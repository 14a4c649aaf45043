import { AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import {
  AddressRole,
  HubErrors,
  mostShipmentsUpserted,
  OrderAppService,
  OrganizationAppService,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentPermissions,
  UpsertOutcome,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logOf, newCorrelationId, tracked } from '../auditing/audit-logs.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  containerId,
  hubOf,
  modeId,
  portId,
  setColumn,
  storedRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/shipment/by-external-id'
const { Created, Updated, Unchanged, Failed } = UpsertOutcome

let app: App
let manager: AppCaller
let acme: string
let number = 0

beforeAll(async () => {
  app = await startApp()
  manager = await app.as({ roles: [OperationsManager] })
  acme = await addOrganization(app, 'ACME')
})
afterAll(() => app?.close())

const shipments = (who: AppCaller) => who.service(ShipmentAppService)
const organizations = (who: AppCaller) => who.service(OrganizationAppService)
const shipment = (more: object = {}) => {
  number += 1
  return {
    ...{ sourceSystem: 'SAP', externalId: `EXT-${number}`, shipmentReference: `UPS-${number}` },
    addresses: [{ role: AddressRole.ControllingCustomer, organizationId: acme }],
    ...more,
  }
}
const eventNamesOf = (id: string) =>
  hubOf(app).query({
    text: `select "EventName" from "AbpEventInbox" where "OrderKey" = $1
      union select "EventName" from "AbpEventOutbox" where "ExtraProperties" like '%' || $1 || '%' order by 1`,
    values: [id],
  })
const eventsOf = async (id: string): Promise<number> => {
  const found = await hubOf(app).query({
    text: `select 1 from "AbpEventInbox" where "OrderKey" = $1 union all select 1 from "AbpEventOutbox" where "ExtraProperties" like '%' || $1 || '%'`,
    values: [id],
  })
  return found.length
}

test('a shipment is created, changed, and left alone when it is sent again as it is', async () => {
  const input = shipment({ cargoDescription: 'Chairs', totalGrossWeight: 120.5 })
  const made = await send(manager, 'PUT', path, input)
  expect([made.status, made.body]).toEqual([200, { outcome: Created, id: expect.any(String) }])
  const { id } = made.body
  const before = await shipments(manager).get(id)
  expect(before).toMatchObject({
    sourceSystem: 'SAP',
    externalId: input.externalId,
    cargoDescription: 'Chairs',
  })
  const events = await eventsOf(id)
  expect(await shipments(manager).upsert(input)).toEqual({ outcome: Unchanged, id })
  expect(await shipments(manager).get(id)).toEqual(before)
  expect(await eventsOf(id)).toBe(events)
  expect(await shipments(manager).upsert({ ...input, cargoDescription: 'Tables' })).toEqual({
    ...{ outcome: Updated, id },
  })
  const { addresses: _, ...plain } = input
  const parties = [...input.addresses, { role: AddressRole.Consignor, companyName: 'Maker' }]
  expect(await shipments(manager).upsert({ ...plain, addresses: parties })).toEqual({ outcome: Updated, id })
  expect(await shipments(manager).upsert({ ...plain, addresses: parties })).toEqual({
    outcome: Unchanged,
    id,
  })
  const after = await shipments(manager).get(id)
  expect(after.addresses).toMatchObject([{ companyName: 'Maker' }, { organizationId: acme }])
})

test('of many rows each is written or refused on its own, and the answer tells what became of it', async () => {
  const [first, second, third, fourth] = [shipment(), shipment(), shipment(), shipment()]
  const { id } = await shipments(manager).upsert(first)
  const rows = [
    first,
    { ...second, shipmentReference: first.shipmentReference },
    { ...third, transportModeId: acme },
    fourth,
    { ...fourth, cargoDescription: 'Lamps' },
  ]
  const answer = await shipments(manager).upsertMany({ rows })
  expect(answer).toMatchObject({ created: 1, updated: 1, unchanged: 1, failed: 2 })
  expect(answer.rows).toEqual([
    { index: 0, outcome: Unchanged, id, faults: [] },
    {
      ...{ index: 1, outcome: Failed, id: null },
      faults: [{ member: null, code: HubErrors.ShipmentReferenceAlreadyExists, message: expect.any(String) }],
    },
    {
      ...{ index: 2, outcome: Failed, id: null },
      faults: [{ member: 'transportModeId', code: expect.any(String), message: expect.any(String) }],
    },
    { index: 3, outcome: Created, id: expect.any(String), faults: [] },
    { index: 4, outcome: Updated, id: answer.rows[3]?.id, faults: [] },
  ])
  expect(answer.rows[1]?.faults[0]?.message).not.toMatch(/^Hub:|\{/)
  const again = await shipments(manager).upsertMany({ rows: [rows[0], rows[3], rows[4]] as typeof rows })
  expect(again).toMatchObject({ created: 0, failed: 0 })
})

/** A request of the manager with what the audit log has of it. */
async function audited(url: string, body: object) {
  const correlationId = newCorrelationId()
  const response = await manager.fetch(
    url,
    tracked(correlationId, { method: 'PUT', body: JSON.stringify(body) }),
  )
  const reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
  const { entityChanges } = await logOf(reader, correlationId)
  // biome-ignore lint/suspicious/noExplicitAny: an answer about one row, or about many
  return { body: (await response.json()) as any, entityChanges }
}

/** Values that differ between two shipments that are otherwise the same. */
const own = [
  'Id',
  'ShipmentId',
  'ShipmentReference',
  'ExternalId',
  'ConcurrencyStamp',
  'CreationTime',
  'ChangeTime',
]

/** A shipment with what belongs to it, as it is stored and as events and the audit log tell of it. */
async function traceOf(id: string, changes: Awaited<ReturnType<typeof audited>>['entityChanges']) {
  const rowsOf = async (table: string, column: string, order: string) => {
    const text = `select * from "${table}" where "${column}" = $1 order by ${order}`
    return hubOf(app).query<{ Id: string }>({ text, values: [id] })
  }
  const parties = await rowsOf('HubShipmentAddresses', 'ShipmentId', '"Role", "Sequence"')
  const ids = [id, ...parties.map(({ Id }) => Id)]
  const withoutOwn = (row: object) => Object.entries(row).filter(([name]) => !own.includes(name))
  return {
    shipment: (await rowsOf('HubShipments', 'Id', '"Id"')).map(withoutOwn),
    parties: parties.map(withoutOwn),
    history: (await rowsOf('HubShipmentStatusHistories', 'ShipmentId', '"Id"')).map(withoutOwn),
    milestones: (await rowsOf('HubShipmentMilestones', 'ShipmentId', '"Sequence"')).map(withoutOwn),
    events: await eventNamesOf(id),
    audit: ids.map((row) =>
      changes
        ?.filter(({ entityId }) => entityId === row)
        .map(({ entityTypeFullName, changeType, propertyChanges }) => [
          entityTypeFullName,
          changeType,
          propertyChanges
            .filter(({ propertyName }) => !own.includes(propertyName))
            .map(({ propertyName, newValue }) => `${propertyName} ${newValue}`),
        ]),
    ),
  }
}

test('new shipments of one call are what they become when each is sent alone, in the audit log and events too', async () => {
  const inputs = () => [
    shipment(),
    shipment({
      ...{ transportModeId: modeId('Sea'), containerModeId: containerId('LCL') },
      ...{ firstConsolLegDeparturePortId: portId('NLRTM'), lastConsolLegArrivalPortId: portId('USNYC') },
      ...{ estimatedDeparture: '2026-12-01T10:00:00Z', estimatedArrival: '1969-12-24T00:00:00.5Z' },
      ...{ totalGrossWeight: 2500.25, totalVolume: 4.125, totalPackages: 12, isDangerousGoods: true },
    }),
    shipment({ addresses: null, cargoDescription: null, direction: 0 }),
    shipment({
      ...{
        cargoDescription: 'Quotes " and \\ and {braces}, null',
        goodsValue: '1234.5',
        goodsCurrencyCode: 'EUR',
      },
      addresses: [
        { role: AddressRole.Consignor, companyName: 'Mäker "Ltd"', city: 'Zürich', countryCode: 'CH' },
        { role: AddressRole.NotifyParty, companyName: 'First' },
        { role: AddressRole.NotifyParty, companyName: 'Second', email: 'second@example.com' },
        { role: AddressRole.ControllingCustomer, organizationId: acme },
      ],
    }),
  ]
  const rows = inputs()
  const together = await audited(`${path}/many`, { rows })
  expect(together.body).toMatchObject({ created: rows.length, failed: 0 })
  for (const [index, input] of inputs().entries()) {
    const alone = await audited(path, input)
    const expected = await traceOf(alone.body.id, alone.entityChanges)
    expect(expected.audit[0]).toHaveLength(1)
    expect(await traceOf(together.body.rows[index].id, together.entityChanges)).toEqual(expected)
  }
})

test('a faulty row among many new ones is refused alone', async () => {
  const rows: ReturnType<typeof shipment>[] = Array.from({ length: 30 }, () => shipment())
  rows[10] = { ...shipment(), ...{ transportModeId: acme } }
  rows[20] = { ...shipment(), shipmentReference: rows[5]?.shipmentReference ?? '' }
  const answer = await shipments(manager).upsertMany({ rows })
  const refused = answer.rows.filter(({ outcome }) => outcome === Failed)
  expect(refused).toMatchObject([
    { index: 10, id: null, faults: [{ member: 'transportModeId' }] },
    { index: 20, id: null, faults: [{ code: HubErrors.ShipmentReferenceAlreadyExists }] },
  ])
  expect(answer).toMatchObject({ created: 28, updated: 0, unchanged: 0, failed: 2 })
  for (const { index, id } of answer.rows)
    if (id) expect((await shipments(manager).get(id)).externalId).toBe(rows[index]?.externalId)
})

test('callers who send the same new shipments at once make one of each', async () => {
  const rows = Array.from({ length: 20 }, () => shipment())
  const answers = await Promise.all([1, 2, 3].map(() => shipments(manager).upsertMany({ rows })))
  expect(answers.reduce((all, { created }) => all + created, 0)).toBe(rows.length)
  expect(answers.map(({ failed }) => failed)).toEqual([0, 0, 0])
  expect(new Set(answers.flatMap((answer) => answer.rows.map(({ id }) => id))).size).toBe(rows.length)
})

test('two callers who send a new shipment at once make one of it', async () => {
  const input = shipment()
  const results = await Promise.all(Array.from({ length: 4 }, () => shipments(manager).upsert(input)))
  expect(new Set(results.map(({ id }) => id)).size).toBe(1)
  expect(results.map(({ outcome }) => outcome).sort()).toEqual([Created, Unchanged, Unchanged, Unchanged])
})

test('who may not create only changes, and a row that the caller does not see is refused as it is elsewhere', async () => {
  const { View, Edit } = ShipmentPermissions
  const editor = await app.as({ permissions: [View, Edit, OrganizationPermissions.AccessAll] })
  const input = shipment()
  expect(await shipments(editor).upsertMany({ rows: [input] })).toMatchObject({
    ...{ failed: 1, rows: [{ faults: [{ code: 'Volo.Authorization:010002' }] }] },
  })
  const { id } = await shipments(manager).upsert(input)
  expect(await shipments(editor).upsert({ ...input, cargoDescription: 'Lamps' })).toMatchObject({
    outcome: Updated,
  })
  const stranger = await app.as({ roles: [CustomerAdmin] })
  const refused = await send(stranger, 'PUT', path, { ...input, addresses: [] })
  expect([refused.status, faultyMembers(refused)]).toEqual([400, ['externalId', 'sourceSystem']])
  expect(await storedRow(app, 'HubShipments', id)).toMatchObject({ CargoDescription: 'Lamps' })
  await expect(shipments(await app.as({ permissions: [View] })).upsert(input)).rejects.toMatchObject({
    status: 403,
  })
})

test('too many rows, none, and rows without a key are refused', async () => {
  const rows = Array.from({ length: mostShipmentsUpserted + 1 }, () => shipment())
  for (const faulty of [{ rows }, { rows: [] }, { rows: [{ ...shipment(), externalId: null }] }])
    expect((await send(manager, 'PUT', `${path}/many`, faulty)).status).toBe(400)
})

test('organizations are created and changed by their external id', async () => {
  const input = { code: 'EXT1', fullName: 'External', countryCode: 'NL', externalId: 'CRM-1' }
  const { id, outcome } = await organizations(manager).upsert(input)
  expect(outcome).toBe(Created)
  const answer = await organizations(manager).upsertMany({
    rows: [
      input,
      { ...input, fullName: 'External Ltd' },
      { ...input, externalId: 'CRM-2', code: 'EXT2', parentOrganizationId: id },
      { ...input, externalId: 'CRM-3' },
    ],
  })
  expect(answer.rows.map((row) => row.outcome)).toEqual([Unchanged, Updated, Created, Failed])
  expect(answer.rows[3]?.faults[0]?.code).toBe(HubErrors.OrganizationCodeAlreadyExists)
  expect(await organizations(manager).get(answer.rows[2]?.id ?? '')).toMatchObject({
    hierarchyPath: '/EXT1/EXT2/',
  })
  const customer = await app.as({ roles: [CustomerAdmin], organizations: ['EXT1'] })
  expect(
    await organizations(customer).upsertMany({ rows: [{ ...input, code: 'EXT9', externalId: 'CRM-9' }] }),
  ).toMatchObject({
    failed: 1,
  })
})

test('orders of a buyer are created and changed by their external id, with their lines', async () => {
  const supplier = await addOrganization(app, 'MAKER')
  const line = { lineNumber: 1, productCode: 'SKU-1', quantity: '10', unitCode: 'C62', unitPrice: '2.5' }
  const input = {
    ...{ buyerId: acme, supplierId: supplier, externalId: 'PO-EXT-1', orderNumber: 'PO-1' },
    ...{ orderDate: '2026-11-01', currencyCode: 'EUR', lines: [line] },
  }
  const orders = manager.service(OrderAppService)
  const { id, outcome } = await orders.upsert(input)
  expect(outcome).toBe(Created)
  const answer = await orders.upsertMany({
    rows: [
      input,
      { ...input, lines: [{ ...line, quantity: '10.0000', unitPrice: '2.50' }] },
      { ...input, lines: [{ ...line, quantity: '12' }] },
      { ...input, externalId: 'PO-EXT-2' },
    ],
  })
  expect(answer.rows.map((row) => row.outcome)).toEqual([Unchanged, Unchanged, Updated, Failed])
  expect(answer.rows[3]?.faults).toMatchObject([{ code: HubErrors.OrderNumberAlreadyExists }])
  expect(await orders.get(id)).toMatchObject({ totalAmount: '30' })
  // A cancelled order can not be changed any more, and is still sent again as it is.
  await orders.cancel(id, { reason: 'Mistake' })
  const late = { ...input, lines: [{ ...line, quantity: '12' }] }
  expect(await orders.upsertMany({ rows: [late, { ...late, description: 'Chairs' }] })).toMatchObject({
    rows: [{ outcome: Unchanged }, { faults: [{ code: HubErrors.OrderNotEditable }] }],
  })
})

test('a deleted shipment is created anew under its key', async () => {
  const input = shipment()
  const { id } = await shipments(manager).upsert(input)
  await shipments(manager).delete(id)
  const again = await shipments(manager).upsert(input)
  expect(again).toMatchObject({ outcome: Created })
  expect(again.id).not.toBe(id)
})

test('a shipment of before keeps what a call leaves out', async () => {
  const [id = ''] = await addShipments(app, [
    { SourceSystem: 'OLD', ExternalId: '1', ShipmentReference: 'OLD-1', CargoDescription: 'Beds' },
  ])
  await setColumn(app, 'HubShipments', id, 'HouseBillNumber', 'HB-1')
  await shipments(manager).upsert({
    ...{ sourceSystem: 'OLD', externalId: '1', shipmentReference: 'OLD-1', cargoDescription: null },
  })
  expect(await storedRow(app, 'HubShipments', id)).toMatchObject({
    ...{ HouseBillNumber: 'HB-1', CargoDescription: null },
  })
})
