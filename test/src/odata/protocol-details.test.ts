import { Databases } from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addRows, addShipments } from '../support/hub-rows.js'

let app: App
let admin: AppCaller
let id = ''

beforeAll(async () => {
  app = await startApp(undefined, {
    'App:CorsOrigins': 'http://page.test',
    'OData:UnservedSets:0': 'OpenIddictTokens',
  })
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

test('sets that a host leaves out are nowhere', async () => {
  expect((await get('/OpenIddictTokens')).status).toBe(404)
  expect(JSON.stringify((await get('')).body)).not.toContain('OpenIddictTokens')
  const metadata = (await get('/$metadata')).body
  expect(metadata).not.toContain('OpenIddictToken"')
  expect(metadata).toContain('OpenIddictAuthorization"')
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

test('every 501 tells the code that the documentation lists', async () => {
  const { status, body } = await get('/Shipments?$apply=nest(identity as A)')
  expect([status, body.error.details]).toEqual([
    501,
    [
      { code: 'Position', message: '0' },
      { code: 'Transformation', message: 'The standard describes it in Data Aggregation 3.4.3, 3.5.' },
    ],
  ])
})

test.each([
  ['/Best()', 501],
  ['/Shipments/Core.Best(Size=3)', 501],
  ['/Shipments/Core.Best', 501],
  ['/Shipments(ID)/Core.Best()/Id', 501],
  ['/Shipments/Core.Shipment', 200],
  ['/Shipments/$each', 501],
  ['/$crossjoin(Ports,Countries)', 501],
  ['/$all', 501],
  ['/$count', 404],
  ['/Shipments/$metadata', 404],
  ['/Best', 404],
  ['/Roles/Core.Best', 501],
])('the path %s is %i', async (path, status) => {
  expect((await get(path.replace('ID', id))).status).toBe(status)
})

test('lists are equal when as many items are', async () => {
  for (const [filter, count] of [
    ["[TotalPackages,BookingReference] eq [3,'one AND two']", 1],
    ['[TotalPackages,BookingReference] in [[4,"one AND two"],[3,"one AND two"]]', 1],
    ['[TotalPackages,BookingReference] in [[3],[3,"x"]]', 0],
    ['[TotalPackages] ne [3,3]', 1],
    ['[TotalPackages] ne [3]', 0],
    ['[VesselName,null] eq [null,null]', 1],
    ['TotalPackages in [1,TotalPackages add 0]', 1],
    ['@l eq [3]&@l=[TotalPackages]', 1],
    ['[] eq []', 1],
    ['[TotalPackages] in []', 0],
  ] as const)
    expect([filter, (await get(`/Shipments/$count?$filter=${filter}`)).body]).toEqual([filter, String(count)])
})

test.each([
  ['$filter=@Core.Description eq null', 501],
  ['$filter=OriginPort/@Core.Description eq null', 501],
  ['$filter=$these/aggregate(TotalPackages with sum) gt 1', 501],
  ['$filter=Documents/aggregate(FileSize with sum) gt 1', 200],
  ['$filter=TotalPackages in [1,3]', 200],
  ['$filter=TotalPackages in [1,TotalPackages]', 200],
  ['$filter=[TotalPackages,1] in [[1,2],[3,1]]', 200],
  ['$filter=[TotalPackages,1] eq 3', 501],
  ['$filter=TotalPackages in [[1],[3]]', 501],
  ['$filter=OriginPort eq {"Name":"x"}', 501],
  ['$filter={"a":TotalPackages} eq null', 501],
  ['$filter=contains(["a"],["a"])', 501],
  ["$filter=hassubset(['a'],['a'])", 501],
  ['$filter=Core.Best(Size=TotalPackages) eq 1', 501],
  ['$filter=Documents/Core.Best()/Id eq null', 501],
  ['$filter=Aggregation.isroot(HierarchyNodes=$root/Ports,HierarchyQualifier=%27H%27,Node=Id)', 501],
  ['$filter=Documents(1)/Id eq null', 501],
  ['$filter=@Messages/any()', 501],
  ['$filter=@a/TotalPackages eq 3&@a=$it', 200],
  ['$filter=@a/Name eq 3&@a=$it', 400],
  ['$filter=isdefined(TotalPackages)', 501],
  ['$apply=groupby((rolluprecursive($root/Ports,H,Id)))', 501],
  ['$apply=groupby((rollup(Status)))', 501],
  ['$apply=ancestors($root/Ports,H,Id,identity)', 501],
  ['$apply=aggregate(TotalPackages with sum from Status with max as A)', 501],
  ['$apply=aggregate(TotalPackages with Custom.concat as A)', 501],
  ['$apply=aggregate(TotalPackages with concat as A)', 400],
  ['$apply=Custom.Best(Count=2)', 400],
  ['$select=Core.*', 501],
  ['$index=x', 400],
  ['$filter=Best(TotalPackages) eq 1', 400],
  ['$filter=Documents/Best()/Id eq null', 400],
  ['$filter=$those/Id eq null', 400],
  ['$filter=@.x eq null', 400],
  ['$filter=Documents/total(FileSize) gt 1', 400],
])('%s is %i: what is known and not done is 501, what nobody knows 400', async (query, status) => {
  expect((await get(`/Shipments?${query}`)).status).toBe(status)
})
