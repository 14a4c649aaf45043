import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import { sql } from '@keel/framework/data'
import {
  AddressRole,
  ShipmentAppService,
  type ShipmentDto,
  ShipmentPermissions,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, countRows, hubOf } from '../support/hub-rows.js'
import { csvOf, dryRun, imported, reportOf, upload } from '../support/imports.js'

let app: App
let staff: AppCaller
beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  staff = await app.as({ roles: [SuperUser, OperationsManager] })
  for (const code of ['IMACME', 'IMBOLT', 'IMCORE', 'IMDARK']) await addOrganization(app, code)
})
afterAll(() => app?.close())

const byReference = (reference: string, who = staff): Promise<ShipmentDto> =>
  who.service(ShipmentAppService).getByReference(reference)
const isThere = (reference: string) =>
  countRows(app, sql`"HubShipments" where "ShipmentReference" = ${reference} and not "IsDeleted"`)
const keysOf = ({ faults }: Pick<ImportDto, 'faults'>) =>
  (faults ?? []).map(({ row, column, code }) => [row, column, code])
const partiesOf = ({ addresses }: ShipmentDto) =>
  (addresses ?? []).map(({ role, companyName, city }) => [role, companyName, city])

const header =
  'shipmentReference,transportMode,containerMode,departurePort,arrivalPort,estimatedDeparture,totalPackages,goodsValue,goodsCurrencyCode,consignor,consigneeCompanyName,consigneeCity,controllingCustomer'
const good = 'SEA,FCL,NLRTM,USNYC,2026-12-01T10:00:00Z,12,1000.50,EUR,IMBOLT,Widgets Inc,New York,IMACME'

test('shipments are imported with their parties, references by code, as drafts with a history', async () => {
  const report = await imported(staff, 'shipment', csvOf(header, `SI-1,${good}`, `SI-2,${good}`))
  expect(report).toMatchObject({ status: ImportStatus.Completed, insertedCount: 2, faults: [] })
  const shipment = await byReference('SI-1')
  expect(shipment).toMatchObject({
    status: ShipmentStatus.Draft,
    transportMode: { code: 'Sea' },
    containerMode: { code: 'FCL' },
    firstConsolLegDeparturePort: { unLocode: 'NLRTM' },
    lastConsolLegArrivalPort: { unLocode: 'USNYC' },
    estimatedDeparture: new Date('2026-12-01T10:00:00Z'),
    totalPackages: 12,
    goodsValue: '1000.5',
    controllingCustomer: { fullName: 'IMACME Company' },
    creatorId: staff.userId,
  })
  expect(partiesOf(shipment)).toEqual([
    [AddressRole.Consignor, 'IMBOLT Company', null],
    [AddressRole.Consignee, 'Widgets Inc', 'New York'],
    [AddressRole.ControllingCustomer, 'IMACME Company', null],
  ])
  const timeline = await staff.service(ShipmentAppService).getTimeline(shipment.id)
  expect(timeline).toMatchObject([{ kind: 'StatusChange', value: ShipmentStatus.Draft }])
})

test('a dry run names every fault with its row and column, also those of parties, and writes nothing', async () => {
  const file = csvOf(
    'shipmentReference,transportMode,containerMode,departurePort,totalPackages,estimatedDeparture,goodsValue,consignor,consigneeCity,consigneeEmail',
    'SI-D1,SEA,FCL,NLRTM,1,2026-12-01,,IMBOLT,,',
    'SI-D2,NOPE,FCL,XXXXX,-1,yesterday,,IMBOLT,,',
    'SI-D3,AIR,FCL,NLRTM,1,,,,,',
    'SI-D4,SEA,FCL,NLRTM,1,,12.5,NOBODY,Rotterdam,not-an-address',
    'SI-D5,SEA,FCL,NLRTM,1,,,IMBOLT,Rotterdam,',
    'SI-D1,SEA,FCL,NLRTM,1,,,,,',
    ',SEA,FCL,NLRTM,1,,,,,',
  )
  const report = await imported(staff, 'shipment', file, dryRun)
  expect(report).toMatchObject({ status: ImportStatus.Refused, rowCount: 7, insertedCount: 0 })
  expect(keysOf(report)).toEqual([
    [3, 'estimatedDeparture', 'Validation:Instant'],
    [3, 'transportMode', 'Hub:Validation:NoSuchCodeEntity'],
    [3, 'departurePort', 'Hub:Validation:NoSuchPort'],
    [3, 'totalPackages', 'Validation:Minimum'],
    [4, null, 'Hub:Shipment:ContainerModeNotValidForMode'],
    [5, 'consignor', 'Hub:Validation:NoActiveOrganization'],
    [5, 'consigneeEmail', expect.any(String)],
    [6, 'consigneeCity', 'Hub:Validation:CompanyNameRequired'],
    [7, 'shipmentReference', 'Import:RowTwice'],
    [8, 'shipmentReference', 'Validation:Required'],
  ])
  expect(await isThere('SI-D1')).toBe(0)
})

test('one fault keeps all rows of a file out', async () => {
  const report = await imported(
    staff,
    'shipment',
    csvOf('shipmentReference,transportMode', 'SI-A1,SEA', 'SI-A2,NOPE'),
  )
  expect(report).toMatchObject({ status: ImportStatus.Refused, insertedCount: 0, faultCount: 1 })
  expect(await isThere('SI-A1')).toBe(0)
})

test('rows with a reference that is there change its shipment: members without a column and parties in other roles stay', async () => {
  await imported(staff, 'shipment', csvOf(header, `SI-U1,${good}`, `SI-U2,${good}`))
  const before = await byReference('SI-U1')
  expect(await imported(staff, 'shipment', csvOf(header, `SI-U1,${good}`, `SI-U2,${good}`))).toMatchObject({
    insertedCount: 0,
    updatedCount: 0,
  })
  expect((await byReference('SI-U1')).concurrencyStamp).toBe(before.concurrencyStamp)
  const report = await imported(
    staff,
    'shipment',
    csvOf(
      'shipmentReference,totalPackages,consigneeCity,notifyPartyCompanyName,controllingCustomer',
      'SI-U1,99,Boston,Call me,IMCORE',
      'SI-U2,12,,,',
      'SI-U3,1,,,IMCORE',
    ),
  )
  expect(report).toMatchObject({
    status: ImportStatus.Completed,
    insertedCount: 1,
    updatedCount: 1,
    faults: [],
  })
  const shipment = await byReference('SI-U1')
  expect(shipment).toMatchObject({
    id: before.id,
    totalPackages: 99,
    transportMode: { code: 'Sea' },
    controllingCustomer: { fullName: 'IMCORE Company' },
  })
  expect(partiesOf(shipment)).toEqual([
    [AddressRole.Consignor, 'IMBOLT Company', null],
    [AddressRole.Consignee, 'Widgets Inc', 'Boston'],
    [AddressRole.NotifyParty, 'Call me', null],
    [AddressRole.ControllingCustomer, 'IMCORE Company', null],
  ])
  expect(partiesOf(await byReference('SI-U2'))).toHaveLength(3)
  const customer = await app.as({ roles: [CustomerAdmin], organizations: ['IMCORE'] })
  expect((await byReference('SI-U1', customer)).id).toBe(before.id)
})

test('imported shipments have the chargeable weight that their modes, weight and volume give', async () => {
  const columns = 'shipmentReference,transportMode,containerMode,totalGrossWeight,totalVolume'
  await imported(staff, 'shipment', csvOf(columns, 'SI-W1,AIR,LSE,100,1.2', 'SI-W2,SEA,LCL,2500,1'))
  expect((await byReference('SI-W1')).totalChargeableWeight).toBe(200)
  expect((await byReference('SI-W2')).totalChargeableWeight).toBe(2.5)
  await imported(staff, 'shipment', csvOf('shipmentReference,totalGrossWeight', 'SI-W1,300.2', 'SI-W2,2500'))
  expect((await byReference('SI-W1')).totalChargeableWeight).toBe(300.5)
  expect((await byReference('SI-W2')).totalChargeableWeight).toBe(2.5)
})

test('an exported list of shipments is imported again without a change', async () => {
  await imported(staff, 'shipment', csvOf(header, `SI-R1,${good}`))
  for (const format of ['as-csv-file', 'as-excel-file']) {
    const response = await staff.fetch(`/api/hub/shipment/${format}?filter=SI-R1`)
    const file = new File([await response.blob()], 'export')
    expect(await imported(staff, 'shipment', file)).toMatchObject({
      status: ImportStatus.Completed,
      rowCount: 1,
      insertedCount: 0,
      updatedCount: 0,
    })
  }
})

test('a file with German headers is imported, and faults of its parties are told in German by these headers', async () => {
  const culture = 'de'
  const headers = 'Sendung,Abgangshafen,Empfänger: Firma,Empfänger: Ort,Empfänger: E-Mail-Adresse'
  const [written, refused] = [
    await imported(staff, 'shipment', csvOf(headers, 'SI-G1,NLRTM,Werft,Kiel,werft@example.com'), {
      culture,
    }),
    await imported(staff, 'shipment', csvOf(headers, 'SI-G2,XXXXX,Werft,,werft', 'SI-G3,NLRTM,,Kiel,'), {
      culture,
    }),
  ]
  expect(written).toMatchObject({ status: ImportStatus.Completed, insertedCount: 1, ignoredColumns: [] })
  expect(partiesOf(await byReference('SI-G1'))).toEqual([[AddressRole.Consignee, 'Werft', 'Kiel']])
  expect(refused.faults.map(({ row, column, message }) => [row, column, message])).toEqual([
    [2, 'Abgangshafen', expect.stringContaining('es gibt keinen Hafen')],
    [2, 'Empfänger: E-Mail-Adresse', expect.stringContaining('muss eine E-Mail-Adresse sein')],
    [3, 'Empfänger: Firma', expect.stringContaining('braucht einen Namen')],
  ])
  const english = await reportOf(staff, 'shipment', refused.id, 'en')
  expect(english.faults.map(({ column }) => column)).toEqual(refused.faults.map(({ column }) => column))
  expect(english.faults[2]?.message).toBe('a company without an organization needs a name')

  const response = await staff.fetch('/api/hub/shipment/as-csv-file?filter=SI-G1', {
    headers: { 'accept-language': culture },
  })
  const exported = new File([await response.blob()], 'export.csv')
  expect(await imported(staff, 'shipment', exported, { culture })).toMatchObject({
    status: ImportStatus.Completed,
    rowCount: 1,
    insertedCount: 0,
    updatedCount: 0,
  })
})

test('a customer imports for the own organizations alone, and learns nothing of others', async () => {
  const [hidden] = await addShipments(app, [{ ShipmentReference: 'SI-HIDDEN' }])
  const customer = await app.as({ roles: [CustomerAdmin], organizations: ['IMACME'] })
  const file = (...rows: string[]) => csvOf('shipmentReference,controllingCustomer,consignor', ...rows)
  expect(await imported(customer, 'shipment', file('SI-C1,IMACME,', 'SI-C2,,'))).toMatchObject({
    status: ImportStatus.Completed,
    insertedCount: 2,
  })
  for (const reference of ['SI-C1', 'SI-C2'])
    expect((await byReference(reference, customer)).controllingCustomer?.fullName).toBe('IMACME Company')
  const foreign = await imported(
    customer,
    'shipment',
    file('SI-C3,IMDARK,', 'SI-C4,NOBODY,', 'SI-C5,,IMDARK', 'SI-C6,,NOBODY'),
  )
  const refusals = foreign.faults.map(({ column, code, message }) => [column, code, message])
  expect(refusals).toHaveLength(4)
  expect(refusals[0]).toEqual(refusals[1])
  expect(refusals[2]).toEqual(refusals[3])
  const taken = await imported(customer, 'shipment', file('SI-HIDDEN,,'))
  expect(keysOf(taken)).toEqual([[2, 'shipmentReference', 'Hub:Shipment:ReferenceAlreadyExists']])
  expect(taken.faults[0]?.message).toBe('There is already a shipment with the reference SI-HIDDEN.')
  expect(await isThere('SI-C3')).toBe(0)
  expect(await countRows(app, sql`"HubShipmentAddresses" where "ShipmentId" = ${hidden}`)).toBe(0)
  const system = await imported(customer, 'shipment', csvOf('shipmentReference,sourceSystem', 'SI-C7,ERP'))
  expect(keysOf(system)).toEqual([[2, 'sourceSystem', 'Hub:Validation:OnlyStaffChange']])
})

test('an import of shipments needs Create and Edit, and the value of goods a permission of its own', async () => {
  const { View, Create, Edit } = ShipmentPermissions
  const reader = await app.as({ permissions: [View, Create] })
  expect((await upload(reader, 'shipment', csvOf('shipmentReference', 'SI-P1'))).status).toBe(403)
  const writer = await app.as({ permissions: [View, Create, Edit] })
  const { body } = await upload(writer, 'shipment', csvOf('shipmentReference,goodsValue', 'SI-P1,1'))
  expect(keysOf(await reportOf(writer, 'shipment', body.id))).toEqual([
    [null, 'goodsValue', 'FieldPermissionRequired'],
  ])
  const template = await writer.fetch('/api/hub/shipment/import-template?format=csv')
  const columns = (await template.text()).trim().split(',')
  expect(columns).toEqual(expect.arrayContaining(['Shipment', 'Consignor', 'Consignor: City', 'Carrier']))
  expect(columns).not.toContain('Goods value')
})

test('a file of many shipments is one unit of work with an event for each shipment', async () => {
  const rows = Array.from({ length: 4100 }, (_, index) => `SI-M${index},${good}`)
  await hubOf(app).execute(
    sql`create table "TestToldShipments" as select "EventName", "ExtraProperties" from "AbpEventOutbox" limit 0`,
  )
  await hubOf(app).execute(sql`
    create function test_told() returns trigger language plpgsql as $$ begin
      insert into "TestToldShipments" values (new."EventName", new."ExtraProperties"); return new; end $$`)
  await hubOf(app).execute(sql`
    create trigger test_told before insert on "AbpEventOutbox" for each row execute function test_told()`)
  const report = await imported(staff, 'shipment', csvOf(header, ...rows))
  expect(report).toMatchObject({ status: ImportStatus.Completed, insertedCount: 4100 })
  const told = await hubOf(app).query(sql`
    select "EventName" as name, count(distinct t."ExtraProperties"::jsonb->>'Key')::int as n from "TestToldShipments" t
    join "HubShipments" s on s."Id"::text = t."ExtraProperties"::jsonb->>'Key' and s."ShipmentReference" like 'SI-M%' group by 1`)
  expect(told).toEqual([{ name: 'Hub.Shipment.Created', n: 4100 }])
  expect(
    await countRows(
      app,
      sql`"HubShipmentStatusHistories" h join "HubShipments" s on s."Id" = h."ShipmentId" where s."ShipmentReference" like 'SI-M%'`,
    ),
  ).toBe(4100)
})
