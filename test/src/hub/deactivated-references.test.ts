import { sql } from '@keel/framework/data'
import {
  CodeEntityAppService,
  CodeEntityPermissions,
  DocumentAppService,
  DocumentPermissions,
  OrganizationAppService,
  OrganizationPermissions,
  PortAppService,
  PortPermissions,
  ShipmentAppService,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { codeId, hubOf, portId } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let staff: AppCaller
let shipments: ShipmentAppService
const port = portId('DEBRV')
const incoterm = codeId('Incoterm', 'DAP')

beforeAll(async () => {
  app = await startApp()
  const groups = [
    ShipmentPermissions,
    DocumentPermissions,
    OrganizationPermissions,
    PortPermissions,
    CodeEntityPermissions,
  ]
  staff = await app.as({
    permissions: [
      OrganizationPermissions.AccessAll,
      ...groups.flatMap((group) => [group.View, group.Create, group.Edit, group.Delete]),
    ],
  })
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app?.close())

test('a deactivated port or code entity is refused on a new shipment, and stays on one that has it', async () => {
  const old = await shipments.create({
    shipmentReference: 'D-old',
    firstConsolLegDeparturePortId: port,
    incotermId: incoterm,
  })
  const organizations = staff.service(OrganizationAppService)
  const company = { code: 'DORM', fullName: 'Dormant', countryCode: 'DE' }
  const settled = await organizations.create({ ...company, closestPortId: port })
  await staff.service(PortAppService).delete(port)
  await staff.service(CodeEntityAppService).delete(incoterm)

  const refused = await send(staff, 'POST', '/api/hub/shipment', {
    shipmentReference: 'D-new',
    firstConsolLegDeparturePortId: port,
    incotermId: incoterm,
  })
  expect([refused.status, faultyMembers(refused)]).toEqual([
    400,
    ['firstConsolLegDeparturePortId', 'incotermId'],
  ])
  expect(JSON.stringify(refused.body)).toContain('this port is deactivated')

  await shipments.update(old.id, { totalPackages: 2 })
  await shipments.update(old.id, { firstConsolLegDeparturePortId: port, incotermId: incoterm })
  const moved = await send(staff, 'PUT', `/api/hub/shipment/${old.id}`, { lastConsolLegArrivalPortId: port })
  expect([moved.status, faultyMembers(moved)]).toEqual([400, ['lastConsolLegArrivalPortId']])

  await organizations.update(settled.id, { shortName: 'D', closestPortId: port })
  const other = await send(staff, 'POST', '/api/hub/organization', {
    ...company,
    code: 'OTHER',
    closestPortId: port,
  })
  expect([other.status, faultyMembers(other)]).toEqual([400, ['closestPortId']])
})

test('a deactivated document type is refused on a document that had another one', async () => {
  const { id: shipmentId } = await shipments.create({ shipmentReference: 'D-document' })
  const [type, gone] = [codeId('DocumentType', 'CIV'), codeId('DocumentType', 'PKL')]
  const file = new File(['a,b\n1,2\n'], 'a.csv', { type: 'text/csv' })
  const { id } = await staff.service(DocumentAppService).upload({ shipmentId, documentTypeId: type, file })
  await hubOf(app).execute(
    sql`update "HubCodeEntities" set "IsActive" = false where "Id" in (${gone}, ${type})`,
  )
  hubOf(app).feed.changed('HubCodeEntities')
  const kept = await send(staff, 'PUT', `/api/hub/document/${id}`, { documentTypeId: type, title: 'Kept' })
  expect(kept.status).toBe(200)
  const refused = await send(staff, 'PUT', `/api/hub/document/${id}`, { documentTypeId: gone })
  expect([refused.status, faultyMembers(refused)]).toEqual([400, ['documentTypeId']])
})
