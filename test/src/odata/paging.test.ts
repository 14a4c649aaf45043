import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addShipments } from '../support/hub-rows.js'

interface Page {
  readonly value: Record<string, unknown>[]
  readonly '@odata.nextLink'?: string
  readonly '@odata.count'?: number
}

const row = {
  IsOnHold: false,
  TotalPackages: null as number | null,
  EstimatedDeparture: null as string | null,
  TotalGrossWeight: null as number | null,
}

let app: App
let admin: AppCaller
let many = ''

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  const ids = await addShipments(
    app,
    Array.from({ length: 25 }, (_, index) => ({
      ...row,
      ShipmentReference: `P${String(index).padStart(2, '0')}`,
      Status: index % 3,
      IsOnHold: index % 2 === 0,
      TotalPackages: index % 4 === 0 ? null : index % 5,
      TotalGrossWeight: index % 3 === 0 ? null : index / 7,
      EstimatedDeparture:
        index % 6 === 0 ? null : `2026-01-${String((index % 5) + 1).padStart(2, '0')}T00:00:00.25Z`,
    })),
  )
  many = ids[0] ?? ''
  await addDocuments(
    app,
    Array.from({ length: 205 }, (_, index) => ({
      ShipmentId: many,
      Title: `D${String(index).padStart(3, '0')}`,
    })),
  )
})
afterAll(() => app.close())

async function read(caller: AppCaller, link: string, prefer = 'odata.maxpagesize=4'): Promise<Page> {
  const path = link.replace(/^https?:\/\/[^/]+\/odata/, '').replaceAll(' ', '%20')
  const answer = await caller.fetch(`/odata${path}`, { headers: { prefer } })
  expect([path, answer.status]).toEqual([path, 200])
  return (await answer.json()) as Page
}

/** All pages of a query, one after the other. */
async function pages(first: string): Promise<Page[]> {
  const found: Page[] = []
  for (let link: string | undefined = first; link; link = found.at(-1)?.['@odata.nextLink'])
    found.push(await read(admin, link))
  return found
}

test.each([
  '',
  '&$orderby=TotalPackages',
  '&$orderby=TotalPackages desc',
  '&$orderby=EstimatedDeparture desc,TotalPackages',
  '&$orderby=Status desc,TotalGrossWeight,IsOnHold',
  '&$orderby=TransportMode/Code,ShipmentReference desc',
  '&$orderby=length(ShipmentReference),TotalPackages add 1 desc',
])('pages of 4 have the rows of one large page in its order, each once: %s', async (order) => {
  const query = `/Shipments?$select=ShipmentReference${order}`
  const whole = await read(admin, query, '')
  const small = await pages(query)
  expect(small.length).toBe(7)
  expect(small.flatMap(({ value }) => value)).toEqual(whole.value)
})

test('groups are paged as well', async () => {
  const query = '/Shipments?$apply=groupby((TotalPackages,Status),aggregate($count as N))'
  const whole = await read(admin, query, '')
  const small = await pages(query)
  expect(small.length).toBeGreaterThan(3)
  expect(small.flatMap(({ value }) => value)).toEqual(whole.value)
})

test('$top is spread over the pages and $count tells of all rows', async () => {
  const small = await pages('/Shipments?$select=Id&$count=true&$top=6&$skip=3')
  expect(small.map(({ value }) => value.length)).toEqual([4, 2])
  expect(small.map((page) => page['@odata.count'])).toEqual([25, 25])
})

test('a row that comes between two pages moves none of the others', async () => {
  const query = '/Shipments?$select=ShipmentReference&$orderby=ShipmentReference'
  const first = await read(admin, query)
  await addShipments(app, [{ ...row, ShipmentReference: 'P00a', Status: 0 }])
  const second = await read(admin, first['@odata.nextLink'] ?? '')
  expect(second.value[0]).toEqual({ ShipmentReference: 'P04' })
})

test('a token holds for its own query alone', async () => {
  const next = (await read(admin, '/Shipments?$orderby=TotalPackages'))['@odata.nextLink'] ?? ''
  const token = new URL(next).searchParams.get('$skiptoken') ?? ''
  for (const query of [
    `$orderby=Status&$skiptoken=${token}`,
    `$orderby=TotalPackages&$filter=Status eq 'Draft'&$skiptoken=${token}`,
    `$orderby=TotalPackages&$skiptoken=${token.slice(0, -3)}`,
    `$orderby=TotalPackages&$skiptoken=x${token}`,
    '$skiptoken=abc',
    '$skiptoken=.',
  ]) {
    const answer = await admin.fetch(`/odata/Shipments?${query.replaceAll(' ', '%20')}`)
    expect([query, answer.status]).toEqual([query, 400])
  }
})

test('an expanded collection that is cut says where to go on, and there the rest is', async () => {
  const { value } = await read(
    admin,
    `/Shipments?$filter=Id eq ${many}&$top=1&$select=Id&$expand=Documents($select=Title;$orderby=Title;$filter=startswith(Title,'D'))`,
    '',
  )
  const [shipment] = value as { Documents: unknown[]; 'Documents@odata.nextLink'?: string }[]
  expect(shipment?.Documents).toHaveLength(200)
  const link = shipment?.['Documents@odata.nextLink'] ?? ''
  expect(link).toContain(`/odata/Shipments(${many})/Documents?`)
  const rest = await read(admin, link, '')
  expect(rest.value.map(({ Title }) => Title)).toEqual(['D200', 'D201', 'D202', 'D203', 'D204'])
})

test('a collection that is not cut says nothing of a rest', async () => {
  const { value } = await read(admin, `/Shipments?$filter=Id ne ${many}&$top=1&$select=Id&$expand=Documents`)
  expect(Object.keys(value[0] ?? {})).toEqual(['Id', 'Documents'])
})
