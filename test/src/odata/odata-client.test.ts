import { createHubProxy, type Query, type ShipmentDto, ShipmentStatus, type ValuesOf } from '@keel/hub-proxy'
import { SuperUser } from '@keel/identity/contracts'
import { createPricingProxy } from '@keel/pricing-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

type Shipments = Query<ShipmentDto, ValuesOf<ShipmentDto>>

let app: App
let caller: AppCaller
const hub = () => createHubProxy({ baseUrl: app.host.url, accessToken: () => caller.token })
beforeAll(async () => {
  app = await startApp()
  caller = await app.as({ roles: [SuperUser] })
  const { items } = await hub().ports.getList({ filter: 'DEHAM' })
  for (const [index, shipmentReference] of ["OQ-1'%_", 'OQ-2', 'OQ-3'].entries())
    await hub().shipments.create({
      shipmentReference,
      totalPackages: index * 10,
      goodsValue: '1234567890123456.78',
      goodsCurrencyCode: 'EUR',
      estimatedArrival: new Date(`2026-12-0${index + 1}T18:00:00.123Z`),
      ...(index < 2 && { lastConsolLegArrivalPortId: items[0]?.id }),
    })
})
afterAll(() => app.close())

test('a query gives rows in the types of the DTO', async () => {
  const { items, totalCount } = await hub().shipments.query((q) =>
    q.filter((s) => s.shipmentReference.eq("OQ-1'%_")).count(),
  )
  expect(totalCount).toBe(1)
  const [row] = items
  expect(row?.estimatedArrival).toEqual(new Date('2026-12-01T18:00:00.123Z'))
  expect(row?.goodsValue).toBe('1234567890123456.78')
  expect(row?.status).toBe(ShipmentStatus.Draft)
  expect(row).not.toHaveProperty('documents')
})

test('conditions go over related rows, lists, instants and nothing', async () => {
  const references = async (build: (all: Shipments) => Shipments): Promise<string[]> => {
    const { items } = await hub().shipments.query((q) =>
      build(q.filter((s) => s.shipmentReference.startsWith('OQ-'))),
    )
    return items.map((row) => row.shipmentReference).sort()
  }
  expect(await references((q) => q.filter((s) => s.lastConsolLegArrivalPort.unLocode.eq('DEHAM')))).toEqual([
    "OQ-1'%_",
    'OQ-2',
  ])
  expect(await references((q) => q.filter((s) => s.lastConsolLegArrivalPortId.eq(null)))).toEqual(['OQ-3'])
  expect(
    await references((q) => q.filter((s) => s.estimatedArrival.gt(new Date('2026-12-02T00:00:00Z')))),
  ).toEqual(['OQ-2', 'OQ-3'])
  expect(await references((q) => q.filter((s) => s.totalPackages.in([0, 20])))).toEqual(["OQ-1'%_", 'OQ-3'])
  expect(
    await references((q) => q.filter((s) => s.status.eq(ShipmentStatus.Booked).or(s.totalPackages.lt(10)))),
  ).toEqual(["OQ-1'%_"])
  expect(await references((q) => q.filter((s) => s.documents.any().not()))).toHaveLength(3)
  expect(await references((q) => q.filter((s) => s.shipmentReference.contains("'%_")))).toEqual(["OQ-1'%_"])
  expect(await references((q) => q.filter((s) => s.estimatedArrival.day().eq(3)))).toEqual(['OQ-3'])
})

test('what is selected and expanded is in the rows, and in their types', async () => {
  const { items } = await hub().shipments.query((q) =>
    q
      .filter((s) => s.shipmentReference.eq('OQ-2'))
      .select('id', 'shipmentReference')
      .expand('documents', (documents) => documents.select('fileName').top(5))
      .expand('lastConsolLegArrivalPort'),
  )
  const [row] = items
  expect(Object.keys(row ?? {}).sort()).toEqual([
    'documents',
    'id',
    'lastConsolLegArrivalPort',
    'shipmentReference',
  ])
  expect(row?.documents).toEqual([])
  expect(row?.lastConsolLegArrivalPort?.name).toBe('Hamburg')
  // @ts-expect-error: it was not selected
  expect(row?.status).toBeUndefined()
})

test('pages follow one another in the order asked for', async () => {
  const references: string[] = []
  const client = createHubProxy({
    baseUrl: app.host.url,
    accessToken: () => caller.token,
    headers: () => ({ prefer: 'maxpagesize=2' }),
  })
  let page = await client.shipments.query((q) =>
    q
      .filter((s) => s.shipmentReference.startsWith('OQ-'))
      .orderBy('totalPackages', 'desc')
      .select('shipmentReference'),
  )
  for (;;) {
    references.push(...page.items.map((row) => row.shipmentReference))
    if (!page.next) break
    page = await page.next()
  }
  expect(references).toEqual(['OQ-3', 'OQ-2', "OQ-1'%_"])
})

test('groups are counted and calculated by the host, in types of their own', async () => {
  const all = await hub().shipments.queryGroups((g) =>
    g
      .filter((s) => s.shipmentReference.startsWith('OQ-'))
      .by('status')
      .count('shipments')
      .countDistinct('shipmentReference', 'references')
      .sum('totalPackages', 'packages')
      .sum('goodsValue', 'value')
      .average('totalPackages', 'usual')
      .max('estimatedArrival', 'last')
      .orderBy('shipments', 'desc')
      .top(5),
  )
  expect(all).toEqual([
    {
      status: ShipmentStatus.Draft,
      shipments: 3,
      references: 3,
      packages: 30,
      value: '3703703670370370.34',
      usual: 10,
      last: new Date('2026-12-03T18:00:00.123Z'),
    },
  ])
  const packages: number | null | undefined = all[0]?.packages
  const value: string | null | undefined = all[0]?.value
  // @ts-expect-error: groups have what they are made by and what is calculated
  expect([packages, value, all[0]?.shipmentReference]).toEqual([30, '3703703670370370.34', undefined])
  const [total] = await hub().shipments.queryGroups((g) => g.count('all'))
  expect(total?.all).toBeGreaterThan(2)
  await expect(async () => hub().shipments.queryGroups((g) => g.count('a,b' as 'a'))).rejects.toThrow(
    TypeError,
  )
})

test('one row is read by its key', async () => {
  const { items } = await hub().shipments.query((q) =>
    q.filter((s) => s.shipmentReference.eq('OQ-2')).select('id'),
  )
  const { id = '' } = items[0] ?? {}
  const row = await hub().shipments.queryOne(id, (q) =>
    q.select('totalPackages').expand('lastConsolLegArrivalPort'),
  )
  expect([row.totalPackages, row.lastConsolLegArrivalPort?.unLocode]).toEqual([10, 'DEHAM'])
  expect((await hub().shipments.queryOne(id)).status).toBe(ShipmentStatus.Draft)
  const nobody = '11111111-1111-4111-8111-111111111111'
  await expect(hub().shipments.queryOne(nobody)).rejects.toMatchObject({ status: 404 })
  await expect(hub().shipments.queryOne("x') or true or ('")).rejects.toMatchObject({
    name: expect.any(String),
  })
})

test('facets count what was found', async () => {
  const { facets } = await hub().shipments.query((q) =>
    q.filter((s) => s.shipmentReference.startsWith('OQ-')).facets(),
  )
  expect(facets?.find(({ field }) => field === 'Status')?.values).toEqual([{ value: 'Draft', count: 3 }])
})

test('a query that is refused throws the error that the host told', async () => {
  await expect(hub().shipments.query((q) => q.top(-1))).rejects.toMatchObject({ status: 400 })
  const stranger = createHubProxy({ baseUrl: app.host.url })
  await expect(stranger.shipments.query()).rejects.toMatchObject({ status: 401 })
  const nobody = await app.as({})
  const limited = createHubProxy({ baseUrl: app.host.url, accessToken: () => nobody.token })
  await expect(limited.shipments.query()).rejects.toMatchObject({ status: 403 })
})

test('every set of the proxies has the members of its DTO', async () => {
  const options = { baseUrl: app.host.url, accessToken: () => caller.token }
  const members = Object.entries({ ...createHubProxy(options), ...createPricingProxy(options) })
  const sets = members.flatMap(([name, member]) =>
    'query' in member ? [{ name: capital(name), member }] : [],
  )
  const response = await fetch(`${app.host.url}/odata/`, {
    headers: { authorization: `Bearer ${caller.token}` },
  })
  const served = ((await response.json()) as { value: { name: string }[] }).value.map(({ name }) => name)
  const named = new Set(members.map(([name]) => capital(name)))
  expect(sets.map(({ name }) => name).sort()).toEqual(served.filter((name) => named.has(name)).sort())
  for (const { member } of sets) {
    const query = member.query as () => Promise<{ items: unknown[] }>
    expect(Array.isArray((await query()).items)).toBe(true)
  }
})

function capital(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`
}
