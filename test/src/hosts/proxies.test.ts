import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDefaultProxy } from '@keel/default-proxy'
import { createHubProxy, ShipmentStatus, ValidationError } from '@keel/hub-proxy'
import { SuperUser } from '@keel/identity/contracts'
import { createPricingProxy } from '@keel/pricing-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let caller: AppCaller
beforeAll(async () => {
  app = await startApp()
  caller = await app.as({ roles: [SuperUser] })
})
afterAll(() => app.close())

test('the Hub proxy creates, lists, changes and deletes a shipment, with types', async () => {
  const hub = createHubProxy({ baseUrl: app.host.url, accessToken: () => caller.token })
  const { items } = await hub.ports.getList({ filter: 'DEHAM' })
  const created = await hub.shipments.create({
    shipmentReference: 'P-1',
    estimatedArrival: new Date('2026-12-24T18:00:00Z'),
    lastConsolLegArrivalPortId: items[0]?.id,
  })
  expect(created.estimatedArrival?.getUTCDate()).toBe(24)
  const page = await hub.shipments.getList({ filters: { ArrivalPort: ['DEHAM'] }, includeFacets: true })
  expect(page.items.map(({ shipmentReference, status }) => [shipmentReference, status])).toEqual([
    ['P-1', ShipmentStatus.Draft],
  ])
  expect((await hub.shipments.update(created.id, { totalPackages: 7 })).totalPackages).toBe(7)
  await hub.shipments.delete(created.id)
  await expect(hub.shipments.get(created.id)).rejects.toMatchObject({ status: 404 })
})

test('a proxy throws the error that the host threw, with every fault', async () => {
  const hub = createHubProxy({ baseUrl: app.host.url, accessToken: () => caller.token })
  const refused = hub.shipments.create({ shipmentReference: '', totalPackages: -1 })
  await expect(refused).rejects.toBeInstanceOf(ValidationError)
  await expect(refused).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['shipmentReference'] }, { members: ['totalPackages'] }],
  })
})

test('the Pricing and Default proxies find their service through RemoteServices, Default being the fall-back', async () => {
  const settings = { RemoteServices: { Default: { BaseUrl: app.host.url } } }
  const pricing = createPricingProxy({ settings, accessToken: () => caller.token })
  expect((await pricing.currencies.getList({ filter: 'Euro' })).items.map(({ code }) => code)).toContain(
    'EUR',
  )
  const core = createDefaultProxy({ settings, accessToken: () => caller.token })
  expect((await core.shipments.getList({})).totalCount).toBe(0)
})

test('a proxy without an address says which setting gives it one', () => {
  expect(() => createHubProxy({ settings: {} })).toThrow(/RemoteServices:Hub:BaseUrl/)
})

test.each(['hub', 'pricing', 'default', 'platform'])(
  'what is published of the %s proxy needs zod alone',
  (name) => {
    const folder = fileURLToPath(new URL(`../../../proxies/${name}/bundle/`, import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(js|d\.ts)$/.test(file),
    )
    const imported = files.flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)].map(
        ([, specifier]) => specifier,
      ),
    )
    expect(files.length).toBeGreaterThan(10)
    const packages = imported
      .filter((specifier) => !specifier?.startsWith('.'))
      .map((specifier) => specifier?.split('/')[0])
    expect([...new Set(packages)]).toEqual(['zod'])
  },
)
