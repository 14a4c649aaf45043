import { randomUUID } from 'node:crypto'
import { ApiHost } from '@keel/api-host'
import { createClient } from '@keel/framework/client'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortAppService, PortPermissions, ShipmentAppService } from '@keel/hub/contracts'
import { PermissionAppService } from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { type FreezingProxy, startFreezingProxy } from '../support/freezing-proxy.js'
import { portId } from '../support/hub-rows.js'
import { cargoByKey, facetCounts, portNames } from '../support/own-reads.js'
import { type RoundRobinProxy, startRoundRobinProxy } from '../support/round-robin-proxy.js'
import { sizeOf } from '../support/size.js'
import { templates, testServer } from '../support/test-databases.js'
import type { Sender } from '../support/wire.js'

/** Rounds of each kind. */
const rounds = sizeOf(15, 200)
const seen = 'x-keel-seen'

/** The host that writes go to, and a copy that hears no notifications, so that it would know of them up to half a second later. */
let app: App
let copy: TestHost
let token: string
const proxies: FreezingProxy[] = []
/** Sends every other request to the copy, the first to the host. */
let both: RoundRobinProxy

beforeAll(async () => {
  app = await startApp()
  const settings: Record<string, string> = { 'AuthServer:Authority': app.host.issuer.address }
  for (const name of Object.keys(templates)) {
    const proxy = await startFreezingProxy(app.host.databaseUrl(name))
    proxies.push(proxy)
    settings[`ConnectionStrings:${name}`] = proxy.through(app.host.databaseUrl(name))
  }
  copy = await startTestHost(ApiHost, { server: testServer, templates, beside: app.host, settings })
  for (const proxy of proxies) proxy.freeze('change feeds')
  both = await startRoundRobinProxy([app.host.url, copy.url])
  token = await app.host.issuer.token({ subject: (await app.admin()).userId })
})
afterAll(async () => {
  await both.close()
  await copy.close()
  for (const proxy of proxies) await proxy.close()
  await app.close()
})

const headers = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${token}`, ...more })

/** Counts of shipments as the copy tells them, in three ways. */
async function countsOfCopy(more?: Record<string, string>): Promise<number[]> {
  const get = async (path: string) => (await copy.fetch(path, { headers: headers(more) })).text()
  return [
    Number(await get('/odata/Shipments/$count')),
    JSON.parse(await get('/odata/Shipments?$apply=aggregate($count as N)')).value[0].N,
    JSON.parse(await get('/api/hub/shipment?MaxResultCount=1&IncludeFacets=true')).totalCount,
  ]
}

async function create(): Promise<string | null> {
  const response = await app.host.fetch('/api/hub/shipment', {
    method: 'POST',
    headers: headers({ 'content-type': 'application/json' }),
    body: JSON.stringify({ shipmentReference: `SEEN-${randomUUID()}` }),
  })
  expect(response.status).toBe(200)
  return response.headers.get(seen)
}

test('a copy that is sent the token of a write counts with that write, and may be late without it', async () => {
  let withToken = 0
  let without = 0
  const isLate = (before: number[], after: number[]) =>
    after.some((count, index) => count !== (before[index] ?? 0) + 1)
  for (let round = 0; round < rounds; round += 1) {
    const before = await countsOfCopy({ [seen]: (await create()) ?? '' })
    const told = await create()
    if (isLate(before, await countsOfCopy({ [seen]: told ?? '' }))) withToken += 1
    const known = await countsOfCopy({ [seen]: told ?? '' })
    await create()
    if (isLate(known, await countsOfCopy())) without += 1
  }
  expect([withToken, without > 0]).toEqual([0, true])
})

/** Writes at the host, and gives a caller of the copy that carries the token of the write. */
async function write(
  method: string,
  path: string,
  body: object,
): Promise<{ reader: Sender; written: { id: string; shipmentReference: string } }> {
  const response = await app.host.fetch(path, {
    method,
    headers: headers({ 'content-type': 'application/json' }),
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  const told = headers({ [seen]: response.headers.get(seen) ?? '' })
  const reader: Sender = {
    fetch: (path, init) => copy.fetch(path, { ...init, headers: { ...told, ...(init?.headers as object) } }),
  }
  return { reader, written: (await response.json()) as { id: string; shipmentReference: string } }
}

test('facets, entities by key and names shown by reference are as the write with the token left them', async () => {
  const port = await (await app.admin()).service(PortAppService).get(portId('NLRTM'))
  const shipment = {
    firstConsolLegDeparturePortId: port.id,
    cargoDescription: 'first',
  }
  const post = () =>
    write('POST', '/api/hub/shipment', { ...shipment, shipmentReference: `SEEN-${randomUUID()}` })
  const rename = (name: string) => write('PUT', `/api/hub/port/${port.id}`, { ...port, name })
  const told: unknown[][] = []
  const expected: unknown[][] = []
  for (let round = 0; round < rounds; round += 1) {
    const [before = 0] = await facetCounts((await post()).reader)
    const { reader, written } = await post()
    told.push(await facetCounts(reader), await cargoByKey(reader, written.id))
    expected.push([before + 1, before + 1], ['first', 'first'])
    const renamed = await rename(`Port ${round}`)
    told.push(await portNames(renamed.reader, written))
    expected.push([`Port ${round}`, `Port ${round}`, `Port ${round}`])
  }
  await rename(port.name)
  expect(told).toEqual(expected)
})

test('the client of a contract sees its own writes whichever copy answers', async () => {
  const client = { baseUrl: both.url, accessToken: () => token }
  const shipments = createClient(ShipmentAppService, client)
  const permissions = createClient(PermissionAppService, client)
  const { userId } = await app.as({ permissions: [] })
  let stale = 0
  for (let round = 0; round < rounds; round += 1) {
    const { totalCount } = await shipments.getList({ maxResultCount: 1 })
    await shipments.create({ shipmentReference: `PROXY-${randomUUID()}` })
    // One request to each.
    for (let host = 0; host < 2; host += 1)
      if ((await shipments.getList({ maxResultCount: 1 })).totalCount !== totalCount + 1) stale += 1
    const isGranted = round % 2 === 0
    await permissions.update('U', userId, { permissions: [{ name: PortPermissions.View, isGranted }] })
    const shown = await permissions.get('U', userId)
    const again = await permissions.get('U', userId)
    for (const { groups } of [shown, again]) {
      const port = groups
        .flatMap((group) => group.permissions)
        .find(({ name }) => name === PortPermissions.View)
      if (port?.isGranted !== isGranted) stale += 1
    }
  }
  expect(stale).toBe(0)
})

test.each([
  ['garbage', '%%%'],
  ['a far future value of this host', 'AAAAAAAAzzzzzzzzzz.Hub.Default.Pricing'],
  ['databases that there are not', 'abc.Nowhere.Else'],
  ['a text without end', 'a'.repeat(7000)],
])('%s as a token neither makes a host wait nor changes the answer', async (_name, value) => {
  const before = await countsOfCopy()
  const start = performance.now()
  expect(await countsOfCopy({ [seen]: value })).toEqual(before)
  expect(performance.now() - start).toBeLessThan(1500)
})

test('a thousand invented tokens cost the database a bounded number of looks', async () => {
  const looks = () => proxies.reduce((sum, proxy) => sum + proxy.timesSent('"KeelTableVersions"'), 0)
  const before = looks()
  const start = performance.now()
  const ask = (index: number) =>
    copy.fetch('/api/hub/port?maxResultCount=1', { headers: headers({ [seen]: `made-up-${index}.Hub` }) })
  for (let hundred = 0; hundred < 10; hundred += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(hundred * 100 + index)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  }
  expect(looks() - before).toBeLessThan(30 + (performance.now() - start) / 5)
})
