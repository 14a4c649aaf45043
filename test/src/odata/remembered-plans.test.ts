import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addShipments, hubOf } from '../support/hub-rows.js'

let app: App
let admin: AppCaller
let ids: string[] = []
/** More often than a statement is sent before it is prepared, and on more connections than one. */
const rounds = 6
const accept = 'application/json;odata.metadata=none'

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  ids = await addShipments(
    app,
    Array.from({ length: 5 }, (_, index) => ({ ShipmentReference: `Ü${index} "quoted"`, Status: index % 3 })),
  )
  await addDocuments(
    app,
    ids.map((ShipmentId, index) => ({ ShipmentId, Title: `Invoice ${index}` })),
  )
})
afterAll(() => app.close())

/** What an address answers, without annotations. */
async function valueAt(path: string): Promise<unknown> {
  const answer = await admin.fetch(`/odata${path}`, { headers: { accept } })
  expect([path, answer.status]).toEqual([path, 200])
  const text = await answer.text()
  if (answer.headers.get('content-type')?.startsWith('text/plain')) return text
  const value = JSON.parse(text) as Record<string, unknown>
  return 'value' in value ? value.value : value
}

/** Asks for all ids at once, again and again: the same text with other ids is one plan. */
async function expectEach(
  pathOf: (id: string) => string,
  expected: (index: number) => unknown,
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    expect(await Promise.all(ids.map((id) => valueAt(pathOf(id))))).toEqual(ids.map((_, at) => expected(at)))
}

const reference = (index: number) => `Ü${index} "quoted"`

test('addresses that differ in their key lead to different entities', async () => {
  await expectEach(
    (id) => `/Shipments(${id})?$select=Id,ShipmentReference`,
    (index) => ({ Id: ids[index], ShipmentReference: reference(index) }),
  )
  await expectEach((id) => `/Shipments/${id}/ShipmentReference`, reference)
  await expectEach((id) => `/Shipments(Id=${id})/ShipmentReference/$value`, reference)
  await expectEach(
    (id) => `/Shipments(${id})/Documents?$select=Title`,
    (index) => [{ Title: `Invoice ${index}` }],
  )
})

test('filters that differ in their ids find different rows, wherever the ids stand', async () => {
  const [first = ''] = ids
  const both = (index: number) => [...new Set([reference(0), reference(index)])]
  await expectEach(
    (id) => `/Shipments?$filter=Id%20eq%20${id}&$select=ShipmentReference`,
    (index) => [{ ShipmentReference: reference(index) }],
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20ne%20${id}`,
    () => '4',
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20eq%20${id}%20or%20Id%20eq%20${first}`,
    (index) => String(both(index).length),
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20eq%20${id}%20and%20Id%20eq%20${first.toUpperCase()}`,
    (index) => (index === 0 ? '1' : '0'),
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20in%20(${id},${first})`,
    (index) => String(both(index).length),
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20eq%20%27${id}%27`,
    () => '1',
  )
  await expectEach(
    (id) => `/Shipments/$count?$filter=Id%20eq%20@one&@one=${id}`,
    () => '1',
  )
  await expectEach(
    (id) => `/Documents?$filter=Shipment/Id%20eq%20${id}&$select=Title`,
    (index) => [{ Title: `Invoice ${index}` }],
  )
})

test('filters that differ in texts, numbers and times find different rows', async () => {
  const found = async (filter: string) =>
    valueAt(`/Documents/$count?$filter=${filter.replaceAll(' ', '%20')}`)
  for (let round = 0; round < rounds; round++)
    for (const index of ids.keys()) {
      expect(await found(`Title eq 'Invoice ${index}'`)).toBe('1')
      expect(await found(`contains(Title,'ice ${index}')`)).toBe('1')
      expect(await found(`startswith(Title,'Invoice_${index}')`)).toBe('0')
      expect(await found(`endswith(Title,'e ${index}') and Title ne 'Invoice 0'`)).toBe(index > 0 ? '1' : '0')
      expect(await found(`Title in ('Invoice ${index}','Invoice 0')`)).toBe(index > 0 ? '2' : '1')
      expect(await found(`Version gt ${index}`)).toBe(index === 0 ? '5' : '0')
      expect(await found(`Version add ${index} eq ${index + 1}`)).toBe('5')
      expect(await found(`Shipment/Status eq '${['Draft', 'Booked', 'Confirmed'][index % 3]}'`)).toBe(
        index % 3 === 2 ? '1' : '2',
      )
      expect(await found(`CreationTime lt 20${index + 10}-01-01T00:00:00Z`)).toBe('0')
      expect(await found(`CreationTime gt 20${index + 10}-01-01`)).toBe('5')
    }
})

test('what no plan may be asked with is refused, however many were asked before', async () => {
  const statusOf = async (filter: string) =>
    (await admin.fetch(`/odata/Documents?$filter=${filter.replaceAll(' ', '%20')}`)).status
  for (let day = 1; day <= rounds; day++) expect(await statusOf(`CreationTime gt 2024-02-0${day}`)).toBe(200)
  expect(await statusOf('CreationTime gt 2024-02-30')).toBe(400)
  for (const status of ['Draft', 'Booked', 'InTransit'])
    expect(await statusOf(`Shipment/Status eq '${status}'`)).toBe(200)
  expect(await statusOf("Shipment/Status eq 'Nowhere'")).toBe(400)
})

test('context and links of an answer are of the entity that was asked for', async () => {
  for (let round = 0; round < rounds; round++)
    for (const id of ids) {
      const property = await admin.fetch(`/odata/Shipments(${id})/ShipmentReference`)
      expect(((await property.json()) as Record<string, string>)['@odata.context']).toMatch(
        `$metadata#Shipments(${id})/ShipmentReference`,
      )
      const path = `/odata/Shipments?$filter=Id%20ne%20${id}&$orderby=ShipmentReference&$select=Id`
      const page = await admin.fetch(path, { headers: { prefer: 'maxpagesize=2' } })
      const { '@odata.nextLink': next = '' } = (await page.json()) as Record<string, string>
      expect(next).toContain(id)
      const second = await admin.fetch(next.replace(/^https?:\/\/[^/]+/, ''))
      const { value } = (await second.json()) as { value: { Id: string }[] }
      expect(value.map((row) => row.Id)).toEqual(ids.filter((other) => other !== id).slice(2))
      const other = next.replace(id, ids.find((one) => one !== id) ?? '')
      expect((await admin.fetch(other.replace(/^https?:\/\/[^/]+/, ''))).status).toBe(400)
    }
})

test('a key that is of no entity is not found, whoever was found before', async () => {
  await expectEach(
    (id) => `/Shipments(${id})?$select=Id`,
    (index) => ({ Id: ids[index] }),
  )
  const nobody = '00000000-0000-4000-8000-000000000000'
  expect((await admin.fetch(`/odata/Shipments(${nobody})?$select=Id`)).status).toBe(404)
})

test('counts and groups are of the rows as they are, whoever changes these or what they lead to', async () => {
  const hub = hubOf(app)
  const [document = ''] = await addDocuments(app, [{ ShipmentId: ids[0], Title: 'Counted' }])
  const filter = "$filter=Title%20eq%20'Counted'%20and%20Shipment/VesselName%20eq%20'Berta'"
  const count = () => valueAt(`/Documents/$count?${filter}`)
  const groups = () =>
    valueAt(
      `/Documents?$apply=filter(Title%20eq%20'Counted')/groupby((Shipment/VesselName),aggregate($count%20as%20N))`,
    )
  for (let round = 0; round < rounds; round++) {
    expect(await count()).toBe('0')
    expect(await groups()).toEqual([{ Shipment: { VesselName: null }, N: 1 }])
  }
  await hub.execute(sql`update "HubShipments" set "VesselName" = 'Berta' where "Id" = ${ids[0]}`)
  await expect.poll(count).toBe('1')
  await expect.poll(groups).toEqual([{ Shipment: { VesselName: 'Berta' }, N: 1 }])
  await hub.execute(sql`update "HubDocuments" set "IsDeleted" = true where "Id" = ${document}`)
  await expect.poll(count).toBe('0')
  await expect.poll(groups).toEqual([])
})
