import { Operator } from '@keel/identity/contracts'
import { DocumentPermissions, PortAppService, ShipmentAppService, ShipmentPermissions, ShipmentStatus } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from './app.js'

let app: App
let operator: AppCaller
let shipments: ShipmentAppService

beforeAll(async () => {
  app = await startApp()
  operator = await app.as({ roles: [Operator], permissions: [ShipmentPermissions.Delete] })
  shipments = operator.service(ShipmentAppService)
})
afterAll(() => app.close())

test('a shipment is created, read, listed, changed and deleted', async () => {
  const ports = await operator.service(PortAppService).getList({ filter: 'NLRTM' })
  const rotterdam = ports.items[0]
  const created = await shipments.create({
    shipmentReference: 'S-1',
    estimatedDeparture: '2026-12-01T10:00:00+02:00',
    firstConsolLegDeparturePortId: rotterdam?.id,
    totalPackages: 3,
    totalGrossWeight: 12.5,
    goodsValue: '1234.50',
    goodsCurrencyCode: 'EUR',
  })
  expect(created).toMatchObject({ shipmentReference: 'S-1', status: ShipmentStatus.Draft, totalPackages: 3, goodsValue: '1234.5' })
  expect(created.estimatedDeparture).toEqual(new Date('2026-12-01T08:00:00Z'))
  expect(created.firstConsolLegDeparturePort).toMatchObject({ unLocode: 'NLRTM', name: 'Rotterdam' })

  const changed = await shipments.update(created.id, { totalPackages: null, cargoDescription: 'Tulips', concurrencyStamp: created.concurrencyStamp })
  expect(changed).toMatchObject({ totalPackages: null, totalGrossWeight: 12.5, cargoDescription: 'Tulips' })
  const page = await shipments.getList({ filters: { DeparturePort: ['nlrtm'] }, includeFacets: true })
  expect(page).toMatchObject({ totalCount: 1, appliedFilters: [{ field: 'DeparturePort', values: ['nlrtm'] }] })
  expect(page.facets?.find(({ field }) => field === 'Status')).toEqual({ field: 'Status', values: [{ value: 'Draft', count: 1 }] })

  await shipments.delete(created.id)
  await expect(shipments.get(created.id)).rejects.toMatchObject({ status: 404 })
})

test('documents are part of a shipment only for callers with Document.View', async () => {
  const created = await shipments.create({ shipmentReference: 'S-documents' })
  const withoutDocuments = await app.as({ permissions: [ShipmentPermissions.View, 'Organization.AccessAll'] })
  const withDocuments = await app.as({ permissions: [ShipmentPermissions.View, DocumentPermissions.View, 'Organization.AccessAll'] })
  expect((await withoutDocuments.service(ShipmentAppService).get(created.id)).documents).toBeNull()
  expect((await withDocuments.service(ShipmentAppService).get(created.id)).documents).toEqual([])
})
