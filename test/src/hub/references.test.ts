import { ApiHost } from '@keel/api-host'
import { type EntityClass, ReferenceSet, ReferenceSets } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrder,
  addOrganization,
  addShipments,
  codeId,
  containerId,
  hubOf,
  modeId,
  portId,
  setColumn,
} from '../support/hub-rows.js'
import { templates, testServer } from '../support/test-databases.js'

/** Two hosts on the same databases: one holds the tables that others refer to in memory, the other one joins all of them. */
let held: App
let joined: TestHost
let staff: AppCaller
let shipmentId: string
let customerId: string

beforeAll(async () => {
  held = await startApp()
  joined = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: held.host,
    settings: { 'Database:MaxHeldRows': '1' },
  })
  staff = await held.admin()
  customerId = await addOrganization(held, 'ACME', { FullName: 'Ümläut "&" Söhne\\' })
  const supplierId = await addOrganization(held, 'GLOBEX')
  const rows = Array.from({ length: 40 }, (_, index) => ({
    ShipmentReference: `R-${String(index).padStart(3, '0')}`,
    TransportModeId: index % 5 ? modeId(index % 2 ? 'Sea' : 'Air') : null,
    ContainerModeId: index % 3 ? containerId('FCL') : null,
    FirstConsolLegDeparturePortId: portId(index % 2 ? 'CNSHA' : 'NLRTM'),
    LastConsolLegArrivalPortId: index % 4 ? portId('DEHAM') : null,
    IncotermId: codeId('Incoterm', 'FOB'),
    EstimatedDeparture: new Date(Date.UTC(2026, 10, 1 + index)).toISOString(),
    parties: index % 6 ? [{ role: 4, organizationId: customerId }] : [],
  }))
  const ids = await addShipments(held, rows)
  shipmentId = ids[1] ?? ''
  await addDocuments(held, [{ ShipmentId: shipmentId }])
  await addOrder(held, { ShipmentId: shipmentId, BuyerId: customerId, SupplierId: supplierId })
})
afterAll(async () => {
  await joined?.close()
  await held?.close()
})

async function answers(path: string): Promise<[held: string, joined: string]> {
  const headers = {
    authorization: `Bearer ${staff.token}`,
    prefer: 'odata.include-annotations="*"',
  }
  const [first, second] = [await held.host.fetch(path, { headers }), await joined.fetch(path, { headers })]
  expect([path, first.status, second.status]).toEqual([path, 200, 200])
  const texts = [await first.text(), await second.text()] as const
  return [texts[0], texts[1].replaceAll(joined.url, held.host.url)]
}

const lists = '/api/hub/shipment?maxResultCount=30&sorting=shipmentReference'
const odata = '/odata/Shipments'
test.each([
  ['a list', () => lists],
  ['a list that was read before', () => lists],
  ['a row', () => `/api/hub/shipment/${shipmentId}`],
  ['facets', () => `${lists}&includeFacets=true`],
  [
    'filters by codes',
    () => `${lists}&includeFacets=true&filters[departurePort][0]=cnsha&filters[organization][0]=Acme`,
  ],
  ['filters by codes that nothing has', () => `${lists}&includeFacets=true&filters[transportMode][0]=Rocket`],
  [
    'upcoming shipments',
    () => '/api/hub/shipment/upcoming-shipments?startDate=2026-11-01&endDate=2026-12-01',
  ],
  ['an export', () => '/api/hub/shipment/as-csv-file?sorting=shipmentReference'],
  ['documents', () => '/api/hub/document'],
  [
    '$select and $filter',
    () =>
      `${odata}?$select=ShipmentReference&$filter=FirstConsolLegDeparturePort/UnLocode eq 'CNSHA'&$count=true`,
  ],
  ['$orderby', () => `${odata}?$orderby=ControllingCustomer/FullName desc,ShipmentReference&$top=5`],
  [
    '$expand',
    () =>
      `${odata}?$expand=FirstConsolLegDeparturePort,TransportMode,ControllingCustomer&$orderby=ShipmentReference&$top=9`,
  ],
  ['facets of OData', () => `${odata}?$top=0`],
  [
    '$apply',
    () => `${odata}?$apply=groupby((TransportMode/Code),aggregate($count as N))&$orderby=TransportMode/Code`,
  ],
])('%s is the same, whether the rows referred to are held or joined', async (_, path) => {
  const [first, second] = await answers(path())
  expect(second).toBe(first)
  expect(first.length).toBeGreaterThan(20)
})

test('a change of a row that others refer to is seen at once in both ways', async () => {
  await answers(lists)
  await setColumn(held, 'HubOrganizations', customerId, 'FullName', 'Renamed')
  await expect
    .poll(async () => (await answers(lists)).map((text) => text.includes('Renamed')), { timeout: 10_000 })
    .toEqual([true, true])
})

test('a table that outgrows what may be held is joined, and is never read as a whole', async () => {
  const port = hubOf(held).entities.find(({ name }) => name === 'Port') as EntityClass
  const own = held.host.get(ReferenceSets)
  expect(await own.referred(port)).toBeInstanceOf(ReferenceSet)
  const other = joined.get(ReferenceSets)
  expect(await other.referred(port)).not.toBeInstanceOf(ReferenceSet)
  const some = await other.rows(port, [portId('NLRTM'), null, portId('NLRTM')])
  expect([some.has(portId('NLRTM')), some.has(portId('CNSHA'))]).toEqual([true, false])
})
