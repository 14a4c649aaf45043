import { Databases } from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../app.js'
import { addRows, addShipments } from '../hub-rows.js'

let app: App
let admin: AppCaller
let id = ''

beforeAll(async () => {
  app = await startApp(undefined, { 'App:CorsOrigins': 'http://page.test' })
  admin = await app.admin()
  ;[id = ''] = await addShipments(app, [
    {
      ShipmentReference: 'S-1',
      HouseBillNumber: '9,81',
      BookingReference: 'one AND two',
      TotalPackages: 3,
      EstimatedDeparture: '2026-02-13T22:30:00Z',
    },
  ])
})
afterAll(() => app.close())

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await admin.fetch(`/odata${path.replaceAll(' ', '%20').replaceAll('+', '%2B')}`, { headers })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  // biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
  return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as any }
}

describe('keys that are texts', () => {
  const provider = "a/b?c=#ü' %"

  beforeAll(() =>
    addRows(app.host.get(Databases).named('Default'), 'AbpUserLogins', [
      { UserId: admin.userId, LoginProvider: provider, ProviderKey: 'k', ProviderDisplayName: 'Shown' },
    ]),
  )

  test('are percent-encoded in every link, and the links lead back', async () => {
    const full = 'application/json;odata.metadata=full'
    const [row] = (await get(`/UserLogins?$filter=UserId eq ${admin.userId}`, { accept: full })).body.value
    const [reference] = (await get(`/UserLogins/$ref?$filter=UserId eq ${admin.userId}`)).body.value
    const encoded = encodeURIComponent(provider.replaceAll("'", "''"))
    for (const link of [row['@odata.id'], reference['@odata.id']]) {
      expect(link).toContain(`LoginProvider='${encoded}'`)
      const path = link.slice(link.indexOf('/odata') + '/odata'.length)
      const { status, body } = await get(path)
      expect([path, status, body.ProviderDisplayName]).toEqual([path, 200, 'Shown'])
    }
    expect(row['@odata.editLink']).toContain(`LoginProvider='${encoded}'`)
    const property = await get(
      `/UserLogins(UserId=${admin.userId},LoginProvider='${encoded}')/ProviderDisplayName`,
    )
    expect(property.body['@odata.context']).toContain(`LoginProvider='${encoded}'`)
  })
})

test('$metadata is of the version that its header says', async () => {
  for (const version of ['4.0', '4.01']) {
    const xml = await get('/$metadata', { 'odata-maxversion': version })
    expect(xml.headers.get('odata-version')).toBe(version)
    expect(xml.body).toContain(`<edmx:Edmx Version="${version}"`)
    const json = await get('/$metadata?$format=json', { 'odata-maxversion': version })
    expect([json.headers.get('odata-version'), json.body.$Version]).toEqual([version, version])
  }
})

describe('groups of a batch', () => {
  const batch = async (...requests: object[]) => {
    const answer = await admin.fetch('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        requests: requests.map((one) => ({ method: 'GET', url: 'Ports/$count', ...one })),
      }),
    })
    return {
      status: answer.status,
      body: (await answer.json()) as { responses: Record<string, unknown>[] },
    }
  }

  test('are told with each answer', async () => {
    const { body } = await batch(
      { id: '1', atomicityGroup: 'g' },
      { id: '2', atomicityGroup: 'g' },
      { id: '3', dependsOn: ['g'] },
    )
    expect(body.responses.map(({ id, atomicityGroup, status }) => [id, atomicityGroup, status])).toEqual([
      ['1', 'g', 200],
      ['2', 'g', 200],
      ['3', undefined, 200],
    ])
  })

  test('stand together and share their name with no part', async () => {
    const apart = [{ id: '1', atomicityGroup: 'g' }, { id: '2' }, { id: '3', atomicityGroup: 'g' }]
    expect((await batch(...apart)).status).toBe(400)
    expect((await batch({ id: 'g' }, { id: '2', atomicityGroup: 'g' })).status).toBe(400)
    expect((await batch({ id: '2', atomicityGroup: 'g' }, { id: 'g' })).status).toBe(400)
    expect((await batch({ id: 'g', atomicityGroup: 'g' })).status).toBe(400)
  })
})

test.each([
  ['9,81', 1],
  ['9,82', 0],
  ['"AND"', 1],
  ['"NOT"', 0],
  ['"one AND"', 1],
  ['S-1 AND "AND"', 1],
])('$search=%s finds %i', async (search, found) => {
  expect(
    (await get(`/Shipments?$search=${encodeURIComponent(search)}&$count=true`)).body['@odata.count'],
  ).toBe(found)
})

test('a URL is read up to the documented length, and refused beyond it in our own words', async () => {
  const path = '/Ports/$count?$filter=true&x='
  const most = 16_384 - '/Ports/$count'.length - '$filter=true&x='.length
  expect((await get(path + 'a'.repeat(most))).status).toBe(200)
  for (const length of [most + 1, 30_000]) {
    const { status, body } = await get(path + 'a'.repeat(length))
    expect([length, status, body.error.message]).toEqual([length, 414, expect.stringContaining('$query')])
  }
})

test('a tag of If-Match that is not of the row as it is now is 412', async () => {
  const { headers } = await get(`/Shipments(${id})`)
  const tag = headers.get('etag') ?? ''
  const statusFor = async (value: string, more = {}) =>
    (await get(`/Shipments(${id})`, { 'if-match': value, ...more })).status
  expect(await statusFor(tag)).toBe(200)
  expect(await statusFor('*')).toBe(200)
  expect(await statusFor(`W/"1-a", ${tag}`)).toBe(200)
  expect(await statusFor('W/"1-a"')).toBe(412)
  expect(await statusFor('W/"1-a"', { 'if-none-match': tag })).toBe(412)
  expect(await statusFor(tag, { 'if-none-match': tag })).toBe(304)
})

test.each([
  'topcount(0,TotalPackages)',
  'bottomcount(0,TotalPackages)',
  'toppercent(150,TotalPackages)',
  'bottompercent(100.5,TotalPackages)',
])('$apply=%s asks for what there can not be: 400', async (apply) => {
  expect((await get(`/Shipments?$apply=${apply}`)).status).toBe(400)
  expect((await get(`/Shipments?$apply=${apply.replace(/\(.*?,/, '(1,')}`)).status).toBe(200)
})

test.each([
  ['hour(2026-01-01T00:30:00+05:30)', 0],
  ['minute(2026-01-01T00:30:00+05:30)', 30],
  ['day(2026-01-01T00:30:00+05:30)', 1],
  ['year(2026-01-01T00:30:00+05:30)', 2026],
  ['date(2026-01-01T00:30:00+05:30)', '2026-01-01'],
  ['time(2026-01-01T00:30:00-05:30)', '00:30:00'],
  ['totaloffsetminutes(2026-01-01T00:30:00+05:30)', 330],
  ['totaloffsetminutes(2026-01-01T00:30:00-05:30)', -330],
  ['totaloffsetminutes(2026-01-01T00:30:00Z)', 0],
  ['hour(EstimatedDeparture)', 22],
])('%s is %j, in the offset that was written', async (expression, value) => {
  const { body } = await get(`/Shipments?$filter=Id eq ${id}&$compute=${expression} as X&$select=X`, {
    accept: 'application/json;odata.metadata=none',
  })
  expect(body.value).toEqual([{ X: value }])
})

test('segments of nothing lead nowhere', async () => {
  for (const path of ['/Ports//', '//Ports', '/Ports//$count', `/Shipments(${id})//`])
    expect([path, (await get(path)).status]).toEqual([path, 404])
  expect((await get('/Ports/')).status).toBe(200)
})

test('pages of other origins may read the tag, the version and what preferences were followed', async () => {
  const { headers } = await get(`/Shipments(${id})`, { origin: 'http://page.test' })
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(/, */)
  expect(exposed).toEqual(expect.arrayContaining(['etag', 'odata-version', 'preference-applied']))
})

test.each([
  ['$filter=@Core.Description eq null', 501],
  ['$filter=OriginPort/@Core.Description eq null', 501],
  ['$filter=$these/aggregate(TotalPackages with sum) gt 1', 501],
  ['$filter=Documents/aggregate(FileSize with sum) gt 1', 501],
  ['$filter=TotalPackages in [1,3]', 200],
  ['$apply=groupby((rolluprecursive($root/Ports,H,Id)))', 501],
  ['$filter=$those/Id eq null', 400],
  ['$filter=@.x eq null', 400],
  ['$filter=Documents/total(FileSize) gt 1', 400],
])('%s is %i: what is known and not done is 501, what nobody knows 400', async (query, status) => {
  expect((await get(`/Shipments?${query}`)).status).toBe(status)
})
