import { OrganizationPermissions, type ShipmentDto, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, containerId, modeId, portId } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

const shipment = '/api/hub/shipment'
const dayMs = 86_400_000
let app: App
let staff: AppCaller

beforeAll(async () => {
  app = await startApp()
  staff = await app.as({ permissions: [ShipmentPermissions.View, OrganizationPermissions.AccessAll] })
  const soon = {
    EstimatedDeparture: new Date(Date.now() + 2 * dayMs),
    EstimatedArrival: new Date(Date.now() + 20 * dayMs),
    FirstConsolLegDeparturePortId: portId('NLRTM'),
    LastConsolLegArrivalPortId: portId('USLAX'),
    ContainerModeId: containerId('FCL'),
  }
  await addShipments(app, [
    { ShipmentReference: 'T-reference-Quay', TransportModeId: modeId('Road') },
    { ShipmentReference: 'T-house', HouseBillNumber: 'quay-1', TransportModeId: modeId('Air') },
    { ShipmentReference: 'T-master', MasterBillNumber: 'XQUAYX', TransportModeId: modeId('Sea'), ...soon },
    { ShipmentReference: 'T-other', TransportModeId: modeId('Sea'), ...soon },
  ])
})
afterAll(() => app?.close())

async function found(query: string, path = shipment): Promise<unknown> {
  const { status, body } = await send(staff, 'GET', `${path}?${query}`)
  expect(status).toBe(200)
  return { total: body.totalCount, all: body.items.map((item: ShipmentDto) => item.shipmentReference).sort() }
}

test('the text of Filter is looked for in references and bill numbers of shipments, in any case', async () => {
  const three = { total: 3, all: ['T-house', 'T-master', 'T-reference-Quay'] }
  expect(await found('Filter=quay')).toEqual(three)
  expect(await found('filter=QUAY', '/api/app/shipment')).toEqual(three)
  expect(await found('filter=quay-1')).toEqual({ total: 1, all: ['T-house'] })
  expect(await found('Filter=q.ay')).toEqual({ total: 0, all: [] })
  expect(await found('Filter=quay', `${shipment}/upcoming-shipments`)).toEqual({
    total: 1,
    all: ['T-master'],
  })
})

test('the text of Filter stands beside filters and facets, and in files', async () => {
  expect(await found('Filter=quay&Filters.TransportMode=Air')).toEqual({ total: 1, all: ['T-house'] })
  const { body } = await send(staff, 'GET', `${shipment}?Filter=quay&IncludeFacets=true`)
  const [modes] = body.facets.filter(({ field }: { field: string }) => field === 'TransportMode')
  expect(modes.values.map(({ value }: { value: string }) => value).sort()).toEqual(['Air', 'Road', 'Sea'])
  const file = await staff.fetch(`${shipment}/as-csv-file?Filter=quay-1`)
  expect((await file.text()).trim().split('\n')).toHaveLength(2)
})
