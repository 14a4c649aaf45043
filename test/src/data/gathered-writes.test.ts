import { ApiHost } from '@keel/api-host'
import { Databases, raw, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { startTestHost, type TestCaller, type TestHost } from '@keel/framework/testing'
import {
  AddressRole,
  HubErrors,
  OrderAppService,
  ShipmentAppService,
  type ShipmentDto,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addOrganization, addShipments, containerId, modeId, portId } from '../support/hub-rows.js'
import {
  type RecordingProxy,
  settingsThrough,
  startRecordingProxy,
  type Turn,
} from '../support/recording-proxy.js'
import { directServer, templates, testServer } from '../support/test-databases.js'

/** A host straight at PostgreSQL, on few connections, so that each has prepared its statements soon. */
let app: App
let proxy: RecordingProxy
let host: TestHost
let admin: TestCaller

beforeAll(async () => {
  app = await startApp()
  proxy = await startRecordingProxy(directServer.urlOf('postgres'))
  host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: {
      ...settingsThrough(proxy, app),
      'Database:MaxPoolSize': '3',
      'Events:IsDeliveryEnabled': 'false',
    },
  })
  admin = await host.as({ subject: (await app.admin()).userId })
})
afterAll(async () => {
  await host?.close()
  await proxy?.close()
  await app?.close()
})

/** The turns in which a text was sent. */
async function turnsWith(text: string, work: () => Promise<unknown>): Promise<Turn[]> {
  const before = proxy.turns().length
  await work()
  return proxy
    .turns()
    .slice(before)
    .filter((turn) => turn.text.includes(text))
}

/** What PostgreSQL carries out in a turn: simple queries (Q) and executions (E), up to the end of its messages (S). */
const carriedOut = (turns: readonly Turn[]) =>
  turns.map(({ messages }) => messages.filter((message) => 'QES'.includes(message)).join(''))

test('a transaction, a shipment, its history, its event and reading it back are one turn', async () => {
  const shipments = admin.service(ShipmentAppService)
  for (let index = 0; index < 8; index += 1) await shipments.create({ shipmentReference: `Warm${index}` })
  const turns = await turnsWith('Measured', () => shipments.create({ shipmentReference: 'Measured' }))
  expect(carriedOut(turns)).toEqual(['EEEEES'])
})

test('the lines of an order are sent together', async () => {
  const orders = admin.service(OrderAppService)
  const [buyerId, supplierId] = [
    await addOrganization(app, 'GATHERS', { FullName: 'Gatherer' }),
    await addOrganization(app, 'SUPPLIES', { FullName: 'Supplier' }),
  ]
  const lines = Array.from({ length: 20 }, (_, index) => ({
    lineNumber: index + 1,
    productCode: `Bolts no. ${index}`,
    quantity: '2',
    unitCode: 'C62',
  }))
  const input = {
    buyerId,
    supplierId,
    orderNumber: 'O-gathered',
    orderDate: '2026-11-01',
    currencyCode: 'EUR',
    lines,
  }
  const turns = await turnsWith('Bolts no.', () => orders.create(input))
  expect(turns).toHaveLength(1)
})

test('the milestones of a booking are sent together', async () => {
  const organizationId = await addOrganization(app, 'BOOKS', { FullName: 'Booker' })
  const [id = '', ...warming] = await addShipments(
    app,
    Array.from({ length: 7 }, () => ({
      TransportModeId: modeId('Sea'),
      ContainerModeId: containerId('FCL'),
      FirstConsolLegDeparturePortId: portId('CNSHA'),
      LastConsolLegArrivalPortId: portId('NLRTM'),
      EstimatedDeparture: '2027-01-01T00:00:00Z',
      EstimatedArrival: '2027-02-01T00:00:00Z',
      BookingReference: 'BK',
      parties: [AddressRole.Consignor, AddressRole.Consignee].map((role) => ({ role, organizationId })),
    })),
  )
  for (const one of warming) await admin.service(ShipmentAppService).book(one, {})
  const turns = await turnsWith(id, () => admin.service(ShipmentAppService).book(id, {}))
  const { milestones = [] } = await admin.service(ShipmentAppService).get(id)
  const most = Math.max(...carriedOut(turns).map(({ length }) => length))
  expect(milestones?.length).toBeGreaterThan(3)
  expect(most).toBeGreaterThan(milestones?.length ?? 0)
})

test('a new shipment is read back from the tables alone that were written with it', async () => {
  const organizationId = await addOrganization(app, 'PARTY', { FullName: 'Party' })
  const shipments = admin.service(ShipmentAppService)
  let created: ShipmentDto | undefined
  const turns = await turnsWith('WithParty', async () => {
    created = await shipments.create({
      shipmentReference: 'WithParty',
      addresses: [{ role: AddressRole.Consignee, organizationId }],
    })
  })
  const read = ['HubShipmentAddresses', 'HubShipmentMilestones', 'HubOrders', 'HubDocuments'].filter(
    (table) => turns.some(({ text }) => text.includes(`from "${table}" c where`)),
  )
  expect(read).toEqual(['HubShipmentAddresses'])
  expect(created?.addresses).toHaveLength(1)
  expect(created).toEqual(await shipments.get(created?.id ?? ''))
})

test('the writes around a new row are known until another statement may have written', async () => {
  const hub = host.get(Databases).named('Hub')
  const add = async () => {
    const id = sequentialGuid()
    const statement = { text: 'select $1 as "GatheredThings"', values: [id] }
    await hub.write(statement, undefined, { table: 'GatheredThings', rows: [{ id }] })
    return () => UnitOfWork.current?.writesWithRow(hub, 'GatheredThings', id)?.length
  }
  const known = await UnitOfWork.gathering(async () => {
    const first = await add()
    const second = await add()
    const before = [first(), second()]
    await hub.query(sql`select 1`)
    const afterReading = first()
    await hub.execute(raw('update "HubPorts" set "Name" = "Name" where false'))
    return [
      ...before,
      afterReading,
      first(),
      UnitOfWork.current?.writesWithRow(hub, 'HubPorts', sequentialGuid()),
    ]
  })
  expect(known).toEqual([2, 2, 2, undefined, undefined])
})

test('a write that is refused is answered as if it were sent alone, and nothing stays', async () => {
  const shipments = admin.service(ShipmentAppService)
  await shipments.create({ shipmentReference: 'Twice' })
  const hub = host.get(Databases).named('Hub')
  const counts = () =>
    hub.query(sql`select (select count(*) from "HubShipmentStatusHistories") as histories,
      (select count(*) from "HubShipments") as shipments`)
  const before = await counts()
  await expect(shipments.create({ shipmentReference: 'Twice' })).rejects.toMatchObject({
    code: HubErrors.ShipmentReferenceAlreadyExists,
  })
  expect(await counts()).toEqual(before)
})

test('gathered writes run in their order, before every statement after them, and at the latest at the end', async () => {
  const hub = host.get(Databases).named('Hub')
  const insert = (place: string) => ({
    text: 'insert into "GatheredThings" ("Place", "Others") select $1, array_agg("Place") from "GatheredThings"',
    values: [place],
  })
  const select = {
    text: 'select "Place" from "GatheredThings" where "Place" <> all($1) order by 1',
    values: [['x']],
  }
  await hub.execute(raw('create table "GatheredThings" ("Place" text primary key, "Others" text[])'))
  const seen = await UnitOfWork.run(async () => {
    const texts = await UnitOfWork.gathering(async () => {
      for (const place of ['a "quoted"', 'b\\', 'c']) await hub.write(insert(place))
      const text = await hub.queryText(select)
      await hub.write(insert('d'))
      const objects = await hub.query(select)
      await hub.write(insert('e'))
      return [text.flat(), objects.map(({ Place }) => Place)]
    })
    return [...texts, await hub.execute(toSql(select))]
  })
  const first = ['a "quoted"', 'b\\', 'c']
  expect(seen).toEqual([first, [...first, 'd'], 5])
  const others = await hub.query(sql`select "Others" as others from "GatheredThings" where "Place" = 'e'`)
  expect(others).toEqual([{ others: [...first, 'd'] }])
  const refused = UnitOfWork.gathering(async () => {
    await hub.write(insert('f'))
    await hub.write(insert('c'), () => new Error('There is a c.'))
    await hub.write(insert('g'), () => new Error('There is a g.'))
    return hub.queryText(select)
  })
  await expect(refused).rejects.toThrow('There is a c.')
  const unsent = UnitOfWork.gathering(async () => {
    await hub.write(insert('h'))
    throw new Error('Something else.')
  })
  await expect(unsent).rejects.toThrow('Something else.')
  expect(await hub.queryText(select)).toHaveLength(5)
})

test('a write with a value that is no text is sent at once', async () => {
  const hub = host.get(Databases).named('Hub')
  const statement = { text: 'select $1::bytea', values: [Buffer.from(sequentialGuid())] }
  const [first, second] = await UnitOfWork.gathering(async () => {
    const before = proxy.turns().length
    await hub.write(statement)
    const after = proxy.turns().length
    return [before, after]
  })
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(0)
})

function toSql({ text, values }: { text: string; values: unknown[] }) {
  const [before = '', after = ''] = text.split('$1')
  return { texts: [before, after], values }
}
