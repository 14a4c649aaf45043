import {
  AddressRole,
  HubErrors,
  mostUpserted,
  OrderAppService,
  OrganizationAppService,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentPermissions,
  UpsertOutcome,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, hubOf, setColumn, storedRow } from '../support/hub-rows.js'
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
  const rows = Array.from({ length: mostUpserted + 1 }, () => shipment())
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
