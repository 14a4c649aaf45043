import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addShipments } from '../support/hub-rows.js'

interface Page {
  readonly value: Record<string, unknown>[]
  readonly '@odata.nextLink'?: string
  readonly '@odata.count'?: number
}

/** More than the limits of this host let one request have. */
const rows = 23
const ours =
  "$filter=startswith(ShipmentReference,'F-')&$select=ShipmentReference&$orderby=ShipmentReference desc"

let app: App
let admin: AppCaller
let ids: string[] = []

beforeAll(async () => {
  app = await startApp(undefined, { 'OData:MaxTop': '5', 'OData:MaxSkip': '7' })
  admin = await app.admin()
  ids = await addShipments(
    app,
    Array.from({ length: rows }, (_, index) => ({ ShipmentReference: reference(index), Status: index % 3 })),
  )
  await addDocuments(
    app,
    Array.from({ length: rows }, (_, index) => ({ ShipmentId: ids[0] ?? '', Title: `D${index + 10}` })),
  )
})
afterAll(() => app.close())

const reference = (index: number) => `F-${index + 10}`

async function read(link: string, prefer = ''): Promise<Page> {
  const path = link.replace(/^https?:\/\/[^/]+\/odata/, '').replaceAll(' ', '%20')
  const answer = await admin.fetch(`/odata${path}`, { headers: { prefer } })
  const text = await answer.text()
  expect([path, answer.status, answer.status === 200 ? '' : text]).toEqual([path, 200, ''])
  return JSON.parse(text) as Page
}

/** All pages of a query, one after the other. */
async function pages(first: string, prefer = ''): Promise<Page[]> {
  const found: Page[] = []
  for (let link: string | undefined = first; link; link = found.at(-1)?.['@odata.nextLink']) {
    found.push(await read(link, prefer))
    expect(found.length).toBeLessThan(rows)
  }
  return found
}

function references(found: readonly Page[]): unknown[] {
  return found.flatMap(({ value }) => value.map(({ ShipmentReference }) => ShipmentReference))
}

const descending = Array.from({ length: rows }, (_, index) => reference(rows - 1 - index))

test.each([6, 12, 23, 24, 20_000, 30_000])('$top=%i gives that many rows over pages', async (top) => {
  const found = await pages(`/Shipments?${ours}&$top=${top}`)
  expect(Math.max(...found.map(({ value }) => value.length))).toBe(5)
  expect(references(found)).toEqual(descending.slice(0, top))
})

test('the links of requests that differ in a large $top alone say what is left of each', async () => {
  for (const top of [20_000, 30_000, 40_000, 20_001]) {
    const { '@odata.nextLink': link = '' } = await read(`/Shipments?${ours}&$top=${top}`)
    expect(new URL(link).searchParams.get('$top')).toBe(String(top - 5))
  }
})

test('a $top of any size is taken', async () => {
  for (const top of ['9'.repeat(15), '9'.repeat(40)])
    expect(references(await pages(`/Shipments?${ours}&$top=${top}`))).toEqual(descending)
})

test.each([7, 8, 14, 15, 21, 22])(
  '$skip=%i leaves out so many rows, however few one request skips',
  async (skip) => {
    expect(references(await pages(`/Shipments?${ours}&$skip=${skip}`))).toEqual(descending.slice(skip))
    expect(references(await pages(`/Shipments?${ours}&$skip=${skip}&$top=6`))).toEqual(
      descending.slice(skip, skip + 6),
    )
    expect(references(await pages(`/Shipments?${ours}&$skip=${skip}`, 'maxpagesize=1000'))).toEqual(
      descending.slice(skip),
    )
  },
)

test.each(['23', '24', '100000', '9'.repeat(40)])('$skip=%s behind all rows finds none', async (skip) => {
  const found = await pages(`/Shipments?${ours}&$skip=${skip}&$count=true`)
  expect(references(found)).toEqual([])
  expect(found.every((page) => page['@odata.count'] === rows)).toBe(true)
  expect((await read(`/Shipments?${ours}&$skip=${skip}&$top=0`)).value).toEqual([])
})

test('links that skip hold for other values of the filter too', async () => {
  for (const start of ['F-1', 'F-2', 'F-3']) {
    const found = await pages(
      `/Shipments?$filter=startswith(ShipmentReference,'${start}')&$orderby=ShipmentReference desc&$skip=8`,
    )
    expect(references(found)).toEqual(descending.filter((one) => one.startsWith(start)).slice(8))
  }
})

test('groups are skipped as well', async () => {
  const groups = "$apply=filter(startswith(ShipmentReference,'F-'))/groupby((ShipmentReference))"
  const found = await pages(`/Shipments?${groups}&$skip=16`)
  expect(references(found)).toEqual([...descending].reverse().slice(16))
})

test('an expanded collection takes any $top and $skip, and leads on', async () => {
  const expanded = async (options: string, prefer = '') => {
    const query = `/Shipments?$filter=Id eq ${ids[0]}&$select=Id&$expand=Documents($select=Title;$orderby=Title${options})`
    const [shipment] = (await read(query, prefer)).value as {
      Documents: { Title: string }[]
      'Documents@odata.nextLink'?: string
    }[]
    const link = shipment?.['Documents@odata.nextLink']
    const rest = link ? await pages(link, prefer) : []
    return {
      first: shipment?.Documents.length,
      titles: [...(shipment?.Documents ?? []), ...rest.flatMap(({ value }) => value)].map(
        ({ Title }) => Title,
      ),
    }
  }
  const all = Array.from({ length: rows }, (_, index) => `D${index + 10}`)
  expect((await expanded(';$top=2000')).titles).toEqual(all)
  expect((await expanded(';$skip=15')).titles).toEqual(all.slice(15))
  expect((await expanded(';$skip=15;$top=3')).titles).toEqual(all.slice(15, 18))
  expect((await expanded(';$skip=15;$top=0')).titles).toEqual([])
  expect(await expanded('', 'maxpagesize=2')).toEqual({ first: 2, titles: all })
  expect(await expanded(';$top=3', 'maxpagesize=2')).toEqual({ first: 2, titles: all.slice(0, 3) })
})

test.each([
  ['eq', 'or'],
  ['ne', 'and'],
])('a chain of 300 comparisons with %s is read as one list', async (comparison, chain) => {
  const chosen = descending.filter((_, index) => index % 4 === 0)
  const values = [...chosen, ...Array.from({ length: 300 - chosen.length }, (_, index) => `X${index}`)]
  const tests = values.map((value, index) =>
    index % 2 ? `ShipmentReference ${comparison} '${value}'` : `('${value}' ${comparison} ShipmentReference)`,
  )
  const text = tests.join(` ${chain} `)
  const query = `$select=ShipmentReference&$orderby=ShipmentReference desc&$filter=(${text}) and startswith(ShipmentReference,'F-')`
  const answer = await admin.fetch('/odata/Shipments/$query', {
    method: 'POST',
    headers: { 'content-type': 'text/plain', prefer: 'maxpagesize=100' },
    body: query,
  })
  expect(answer.status).toBe(200)
  expect(references([(await answer.json()) as Page])).toEqual(
    descending.filter((one) => chosen.includes(one) === (comparison === 'eq')).slice(0, 100),
  )
})

test('chains with null and with values that the property can not have mean what they say', async () => {
  const count = async (filter: string) => {
    const answer = await admin.fetch(`/odata/Shipments/$count?$filter=${encodeURIComponent(filter)}`)
    expect([filter, answer.status]).toEqual([filter, 200])
    return Number(await answer.text())
  }
  expect(await count("Status eq 'Draft' or Status eq 'Booked'")).toBe(16)
  expect(await count("Status ne 'Draft' and Status ne 'Booked'")).toBe(7)
  expect(await count('TotalPackages eq 1 or TotalPackages eq null')).toBe(rows)
  expect(await count('TotalPackages ne 1 and TotalPackages ne null')).toBe(0)
  expect(await count('TotalPackages ne 1 and TotalPackages ne 2')).toBe(rows)
  expect(await count('not (TotalPackages eq 1 or TotalPackages eq 2)')).toBe(rows)
  expect(await count('TotalPackages eq 2.5 or TotalPackages eq 99999999999')).toBe(0)
  expect(await count('TotalPackages ne 2.5 and TotalPackages ne 99999999999')).toBe(rows)
  expect(await count('OriginPort eq null or OriginPort eq null')).toBe(rows)
})
