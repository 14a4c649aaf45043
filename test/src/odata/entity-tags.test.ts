import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, hubOf, portId } from '../support/hub-rows.js'

let app: App
let admin: AppCaller
let shipment = ''

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  const rows = [{ ShipmentReference: 'S1', OriginPortId: portId('DEHAM') }, { ShipmentReference: 'S2' }]
  ;[shipment = ''] = await addShipments(app, rows)
})
afterAll(() => app.close())

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return admin.fetch(`/odata/${path.replaceAll(' ', '%20')}`, { headers })
}

test('an entity that has not changed is not sent again', async () => {
  const first = await get(`Shipments(${shipment})?$select=ShipmentReference`)
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^W\/"\d+-[0-9a-f]+"$/)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')
  expect(await first.json()).toMatchObject({ '@odata.etag': tag, ShipmentReference: 'S1' })
  const again = await get(`Shipments(${shipment})?$select=ShipmentReference`, { 'if-none-match': tag })
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, ''])
  await hubOf(app).execute(sql`update "HubShipments" set "VesselName" = 'Anna' where "Id" = ${shipment}`)
  const changed = await get(`Shipments(${shipment})`, { 'if-none-match': tag })
  expect([changed.status, changed.headers.get('etag') === tag]).toEqual([200, false])
})

test('what one entity leads to has a tag of its own', async () => {
  const port = await get(`Shipments(${shipment})/OriginPort`)
  const same = await get(`Ports(${portId('DEHAM')})`)
  expect(port.headers.get('etag')).toBe(same.headers.get('etag'))
})

test('answers with other entities in them have no tag, but their entities have', async () => {
  const expanded = await get(`Shipments(${shipment})?$expand=OriginPort`, { 'if-none-match': '*' })
  expect([expanded.status, expanded.headers.get('etag')]).toEqual([200, null])
  expect(await expanded.json()).toHaveProperty(['@odata.etag'], expect.stringMatching(/^W\/"\d+-[0-9a-f]+"$/))
})

test('rows of a collection say their tags where all metadata is asked for', async () => {
  const one = (await get(`Shipments(${shipment})`)).headers.get('etag')
  for (const query of [
    '$orderby=ShipmentReference',
    '$apply=filter(Status eq null or true)/top(5)&$orderby=ShipmentReference',
  ]) {
    const full = await get(`Shipments?${query}`, { accept: 'application/json;odata.metadata=full' })
    const { value } = (await full.json()) as { value: Record<string, unknown>[] }
    expect([query, value[0]?.['@odata.etag']]).toEqual([query, one])
  }
  const minimal = (await (await get('Shipments?$top=1')).json()) as { value: Record<string, unknown>[] }
  expect(minimal.value[0]).not.toHaveProperty(['@odata.etag'])
})

test('who wants no metadata gets no tag', async () => {
  const bare = await get(`Shipments(${shipment})?$select=Status`, {
    accept: 'application/json;odata.metadata=none',
  })
  expect([bare.headers.get('etag'), await bare.json()]).toEqual([null, { Status: 'Draft' }])
})
