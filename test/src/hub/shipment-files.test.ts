import { type FileContent, ValidationError } from '@keel/framework/contracts'
import { sql } from '@keel/framework/data'
import { readSpreadsheet, type SheetColumns } from '@keel/framework/spreadsheets'
import { ShipmentAppService, ShipmentPermissions } from '@keel/hub/contracts'
import { OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, containerId, hubOf, modeId, portId } from '../support/hub-rows.js'

const columns = {
  reference: { header: 'Shipment', kind: 'text' },
  status: { header: 'Status', kind: 'text' },
  mode: { header: 'Transport mode', kind: 'text' },
  from: { header: 'Departure port', kind: 'text' },
  departs: { header: 'Estimated departure', kind: 'instant' },
  customer: { header: 'Customer', kind: 'text' },
  cargo: { header: 'Cargo', kind: 'text' },
  packages: { header: 'Packages', kind: 'number' },
  weight: { header: 'Gross weight (kg)', kind: 'number' },
  value: { header: 'Goods value', kind: 'decimal' },
} as const satisfies SheetColumns

let app: App
let staff: AppCaller
let customer: AppCaller
beforeAll(async () => {
  app = await startApp()
  const ours = await addOrganization(app, 'OURS')
  const theirs = await addOrganization(app, 'THEIRS')
  staff = await app.as({ roles: [OperationsManager] })
  const { View, ViewGoodsValue } = ShipmentPermissions
  customer = await app.as({ permissions: [View, ViewGoodsValue], organizations: ['OURS'] })
  const row = {
    ShipmentReference: 'ONE',
    Status: 4,
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSHA'),
    EstimatedDeparture: '2026-11-22T10:30:00Z',
    CargoDescription: '=HYPERLINK("x"), "quoted"\nand more',
    TotalPackages: 12,
    TotalGrossWeight: 1234.5,
    GoodsValue: '99999.95',
    GoodsCurrencyCode: 'EUR',
    parties: [{ role: 4, organizationId: ours }],
  }
  await addShipments(app, [
    row,
    { ...row, ShipmentReference: 'TWO', TransportModeId: modeId('Air'), ContainerModeId: null },
    { ...row, ShipmentReference: 'THREE', parties: [{ role: 4, organizationId: theirs }] },
  ])
})
afterAll(() => app?.close())

async function rowsOf(content: FileContent) {
  const file = new File([await new Response(content.stream()).blob()], content.name)
  const rows = []
  for await (const { values, faults } of readSpreadsheet(columns, file)) {
    expect(faults).toEqual([])
    rows.push(values)
  }
  return rows
}
const service = (caller: AppCaller) => caller.service(ShipmentAppService)

test('a list is a workbook and a CSV file with the same rows as it answers, all of the caller’s organizations', async () => {
  const input = { sorting: 'shipmentReference ASC' }
  const workbook = await service(customer).getListAsExcelFile(input)
  const text = await service(customer).getListAsCsvFile(input)
  expect([workbook.name, text.name]).toEqual(['shipments.xlsx', 'shipments.csv'])
  const one = {
    reference: 'ONE',
    status: 'In transit',
    mode: 'Sea',
    from: 'CNSHA',
    departs: new Date('2026-11-22T10:30:00Z'),
    customer: expect.any(String),
    cargo: '=HYPERLINK("x"), "quoted"\nand more',
    packages: 12,
    weight: 1234.5,
    value: '99999.95',
  }
  const expected = [one, { ...one, reference: 'TWO', mode: 'Air' }]
  expect(await rowsOf(workbook)).toEqual(expected)
  expect(await rowsOf(text)).toEqual(expected)
})

test('filters of the list are those of its files', async () => {
  const filtered = await service(staff).getListAsCsvFile({ filters: { TransportMode: ['Air'] } })
  expect((await rowsOf(filtered)).map(({ reference }) => reference)).toEqual(['TWO'])
  await expect(service(staff).getListAsCsvFile({ filters: { Weather: ['Bad'] } })).rejects.toBeInstanceOf(
    ValidationError,
  )
  await expect(service(staff).getListAsExcelFile({ sorting: 'weather' })).rejects.toBeInstanceOf(
    ValidationError,
  )
})

test.each([
  ['en', 'Shipment,Status,On hold,Transport mode,Container mode'],
  ['de', 'Sendung,Status,Angehalten,Transportart,Containerart'],
  ['zh-Hans', '货运,状态,暂停,运输方式,装箱方式'],
])('a file is headed in the caller’s language: %s', async (language, begin) => {
  const answer = await staff.fetch('/api/hub/shipment/as-csv-file?MaxResultCount=1', {
    headers: { 'accept-language': language },
  })
  const [heading = ''] = (await answer.text()).split('\r\n')
  expect(heading).toMatch(new RegExp(`^\\uFEFF?${begin}`))
  expect(heading.split(',')).toHaveLength(25)
  expect(heading).not.toContain('DisplayName')
})

test('who may not see shipments gets no file', async () => {
  const nobody = await app.as({})
  for (const file of ['excel', 'csv']) {
    const { status } = await nobody.fetch(`/api/hub/shipment/as-${file}-file`)
    expect(status).toBe(403)
  }
})

test('a file may have any number of rows, and is let go when its reader is', async () => {
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds", "CargoDescription")
    select gen_random_uuid(), 'MANY-' || n, 10, now(), 'stamp', '{}', repeat('cargo ', 40) from generate_series(1, 30000) n`)
  const filters = encodeURIComponent('Filters[Status]')
  const path = `/api/hub/shipment/as-csv-file?${filters}=Cancelled`
  const whole = await (await staff.fetch(path)).text()
  expect(whole.slice(0, 400)).toContain('MANY-')
  expect(whole.split('\r\n').filter((line) => line.startsWith('MANY-')).length).toBe(30_000)
  // More than the connections there are for streams.
  for (let time = 0; time < 8; time += 1) {
    const leaving = new AbortController()
    let response = await staff.fetch(path, { signal: leaving.signal })
    // A caller has one at a time, and the one before is let go a moment after its reader left.
    await expect
      .poll(
        async () => {
          if (response.status === 503) response = await staff.fetch(path, { signal: leaving.signal })
          return response.status
        },
        { timeout: 10_000 },
      )
      .toBe(200)
    await response.body?.getReader().read()
    leaving.abort()
  }
}, 60_000)
