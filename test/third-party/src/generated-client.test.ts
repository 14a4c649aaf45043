import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../../src/support/app.js'
import { addShipments, portId } from '../../src/support/hub-rows.js'
import { type GeneratedClient, generateClient } from './generated-client.js'

let app: App
let admin: AppCaller
let generated: GeneratedClient
beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  await addShipments(app, [
    { ShipmentReference: 'G-1', Status: 1, LastConsolLegArrivalPortId: portId('DEHAM') },
    { ShipmentReference: 'G-2', Status: 0 },
  ])
  generated = await generateClient(await (await app.host.fetch('/odata/$metadata')).text())
}, 180_000)
afterAll(async () => {
  generated?.remove()
  await app.close()
})

/** What somebody writes who was given the generated client. */
const program = `
import { ODataHttpClient } from '@odata2ts/http-client-api'
import { CoreService } from './CoreService'
import { ShipmentStatus } from './CoreModel'

export async function firstRows(client: ODataHttpClient, root: string, set: string): Promise<unknown[]> {
  const service = new CoreService(client, root) as unknown as Record<string, () => { query(build: (b: { top(n: number): void }) => void): Promise<{ data: { value: unknown[] } }> }>
  const { data } = await service[set]!().query((builder) => builder.top(2))
  return data.value
}

export async function booked(client: ODataHttpClient, root: string): Promise<string[]> {
  const service = new CoreService(client, root)
  const { data } = await service.Shipments().query((builder, shipment) =>
    builder
      .select('Id', 'ShipmentReference', 'Status')
      .filter(shipment.ShipmentReference.startsWith('G-').and(shipment.LastConsolLegArrivalPort.props.UnLocode.eq('DEHAM')))
      .expanding('LastConsolLegArrivalPort', (port) => port.select('Name'))
      .orderBy(shipment.ShipmentReference.asc())
      .count(true)
      .top(10),
  )
  const one = await service.Shipments(data.value[0]!.Id).query()
  return data.value.map((row) => [data['@odata.count'], row.ShipmentReference, row.LastConsolLegArrivalPort?.Name, row.Status === ShipmentStatus.Booked, one.data.ShipmentReference].join(' '))
}
`

test('the client that odata2ts generates compiles, and reads every set', { timeout: 180_000 }, async () => {
  expect(await generated.compile(program)).toBe('')
  const { firstRows, booked } = generated.load()
  const client = { get: fetchJson }
  const { value } = (await (await app.host.fetch('/odata')).json()) as { value: { name: string }[] }
  expect(value.length).toBeGreaterThanOrEqual(40)
  for (const { name } of value)
    expect(Array.isArray(await firstRows(client, `${app.host.url}/odata`, name))).toBe(true)
  expect(await booked(client, `${app.host.url}/odata`)).toEqual(['1 G-1 Hamburg true G-1'])
})

async function fetchJson(url: string) {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${admin.token}`, accept: 'application/json' },
  })
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${await response.text()}`)
  return {
    status: response.status,
    statusText: response.statusText,
    headers: {},
    data: await response.json(),
  }
}
