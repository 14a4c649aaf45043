import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createDefaultProxy } from '@keel/default-proxy'
import { createHubProxy, ShipmentStatus, ValidationError } from '@keel/hub-proxy'
import { SuperUser } from '@keel/identity/contracts'
import { createPricingProxy } from '@keel/pricing-proxy'
import { build } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

test.each([
  ['hub', ['zod']],
  ['pricing', ['zod']],
  ['default', ['zod']],
  ['platform', ['zod']],
  ['react', ['@tanstack', 'react', 'zod']],
])('what is published in proxies/%s needs %j alone', (name, needed) => {
  const folder = fileURLToPath(new URL(`../../../proxies/${name}/bundle/`, import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|d\.ts)$/.test(file),
  )
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:\bfrom\s*|\bimport\s+|\bimport\()['"]([^'"]+)['"]/g,
      ),
    ].map(([, specifier]) => specifier),
  )
  expect(files.length).toBeGreaterThan(10)
  const packages = imported
    .filter((specifier) => !specifier?.startsWith('.'))
    .map((specifier) => specifier?.split('/')[0])
  expect([...new Set(packages)].sort()).toEqual(needed)
})

test('a page that calls one service loads less than 20 kB of a proxy, compressed and beside zod', async () => {
  const entry = '\0page'
  const proxy = fileURLToPath(new URL('../../../proxies/hub/bundle/index.js', import.meta.url))
  const code = `import { createClient, ShipmentAppService } from ${JSON.stringify(proxy)}
globalThis.shipments = createClient(ShipmentAppService, { baseUrl: '' })`
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? entry : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    build: { write: false, minify: true, rollupOptions: { input: 'page', external: ['zod'] } },
  })) as unknown as { output: { code?: string }[] }
  const text = built.output.map((chunk) => chunk.code ?? '').join('')
  expect(text).toContain('ShipmentAppService')
  // Other services are left out.
  expect(text).not.toContain('VesselAppService')
  // So are enumerations that it does not use.
  expect(text).not.toContain('OwnOnly')
  expect(gzipSync(text).length / 1000).toBeLessThan(20)
}, 60_000)

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs `keel proxy probe`. */
function probe(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [join(root, 'framework/bin/keel.js'), 'proxy', 'probe', ...words]
  return new Promise((resolve) =>
    execFile(process.execPath, command, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

test('keel proxy probe finds a deployment reachable, in time and with every operation of the installed proxies', async () => {
  const { code, stdout } = await probe(app.host.url)
  for (const proxy of ['default', 'hub', 'pricing', 'platform'])
    expect(stdout).toMatch(
      new RegExp(`@keel/${proxy}-proxy +[1-9]\\d* operations as here; creations take idempotency keys`),
    )
  expect(stdout).toMatch(/✓ +Host +answers 200 within \d+ ms\n/)
  expect(stdout).toMatch(/✓ +Version +\S+ of \S+ \S+, Development\n/)
  expect(stdout).toMatch(/✓ +Clock +agrees/)
  expect([code, stdout.split('\n').at(-2)]).toEqual([0, '0 problems, 0 warnings'])
}, 60_000)

test('keel proxy probe names what a deployment lacks, a wrong clock and an address where nothing answers', async () => {
  const server = http.createServer(({ url }, response) => {
    response.setHeader('date', new Date(Date.now() - 60_000).toUTCString())
    response.end(JSON.stringify(url === '/api/abp/contract' ? { hashes: {} } : {}))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const other = await probe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '@keel/hub-proxy')
  expect(other.stdout).toContain('Hub.PortAppService: is not served')
  const [, apart = 0, uncertain = 0] =
    /✗ +Clock +differs from the clock here by (\d+) s, give or take (\d+) s/
      .exec(other.stdout)
      ?.map(Number) ?? []
  expect(uncertain).toBeGreaterThan(0)
  expect(Math.abs(apart - 60)).toBeLessThanOrEqual(uncertain)
  expect(other.code).toBe(1)
  const gone = await probe('http://127.0.0.1:1')
  expect([gone.code, gone.stdout]).toEqual([1, expect.stringMatching(/✗ +Host +does not answer: /)])
}, 60_000)
