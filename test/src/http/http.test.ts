import http from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { HttpHost } from '@keel/framework/http'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { isPooled, wellStatus } from '../support/test-databases.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const shipments = '/api/hub/shipment'
const ports = '/api/hub/port'
const nil = '00000000-0000-0000-0000-000000000000'

let app: App
let caller: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, {
    'App:CorsOrigins': 'http://localhost:4200/, https://*.keel.example',
    'App:AllowedCorsOrigins:0': 'https://admin.example',
    'App:MaxJsonBodyBytes': '20000',
    'App:MaxJsonValues': '5000',
    'App:HealthCheckUrl': '/healthz',
  })
  caller = await app.as({ roles: [Admin], permissions: [ShipmentPermissions.View] })
})
afterAll(() => app?.close())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  app.host.fetch(path, { headers, redirect: 'manual' })
const post = (body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Response> =>
  caller.fetch(shipments, {
    method: 'POST',
    body: body ?? null,
    headers: { 'content-type': 'application/json', ...headers },
  })
const create = (body: unknown): Promise<Answer> => send(caller, 'POST', shipments, body)
const messagesOf = ({ body }: Answer): string[] =>
  (body.error.validationErrors as { message: string }[]).map(({ message }) => message)

let created = 0
const reference = (): string => `H-${++created}`

describe('a request that is not understood', () => {
  test('malformed JSON is told in ABP’s envelope', async () => {
    const response = await post('{"shipmentReference": ')
    expect(response.status).toBe(400)
    expect(response.headers.get('_abperrorformat')).toBe('true')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: null, message: 'Your request is not valid!', data: null })
    expect(error.validationErrors).toEqual([
      { message: expect.stringMatching(/^The body is not valid JSON: /), members: [] },
    ])
  })

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonx', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=UTF-8', 200],
    ['application/problem+json', 200],
  ])('a body of the type %s answers %d', async (type, status) => {
    const response = await post(JSON.stringify({ shipmentReference: reference() }), { 'content-type': type })
    expect(response.status).toBe(status)
  })

  test('a body without a type is not read', async () => {
    const body = new Blob([JSON.stringify({ shipmentReference: reference() })])
    const response = await caller.fetch(shipments, { method: 'POST', body })
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { error: { message: 'The body must be application/json, not without a content type.' } },
    ])
  })

  test('a body that is too large is refused, and the host goes on', async () => {
    const response = await post(JSON.stringify({ shipmentReference: 'x'.repeat(20_000) }))
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { message: 'The body is larger than 20000 bytes.' } },
    ])
  })

  test('a small body that unpacks to a large one is refused', async () => {
    const packed = gzipSync(JSON.stringify({ shipmentReference: 'x'.repeat(1_000_000) }))
    expect((await post(packed, { 'content-encoding': 'gzip' })).status).toBe(413)
  })

  test('a packed body is read', async () => {
    const packed = gzipSync(JSON.stringify({ shipmentReference: reference() }))
    expect((await post(packed, { 'content-encoding': 'gzip' })).status).toBe(200)
  })

  test.each([
    ['not packed at all', 'gzip', 400],
    ['packed in an unknown way', 'rar', 415],
  ])('a body that is %s answers its kind of error', async (_what, encoding, status) => {
    expect((await post('{"shipmentReference":"x"}', { 'content-encoding': encoding })).status).toBe(status)
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['a list of objects', [{ shipmentReference: 'x' }]],
    ['a text', '"text"'],
    ['a number', 5],
    ['true', true],
  ])('%s in place of an object answers 400', async (_what, body) => {
    const answer = await create(body === null ? 'null' : body)
    expect([answer.status, answer.body.error.validationErrors.length]).toEqual([400, 1])
  })

  test('no body at all lacks what is required', async () => {
    const response = await caller.fetch(shipments, { method: 'POST' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { validationErrors: [{ members: ['shipmentReference'] }] } },
    ])
  })

  test('a body that is nested without end answers 400', async () => {
    const depth = 4000
    const answer = await create(`{"addresses":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(answer.status).toBe(400)
  })

  test.each([
    [31, 200],
    [32, 400],
    [4000, 400],
  ])('%i levels where nothing is declared answer %i', async (levels, status) => {
    const nested = '['.repeat(levels) + ']'.repeat(levels)
    const answer = await create(`{"shipmentReference":"${reference()}","extra":${nested}}`)
    expect(answer.status).toBe(status)
  })

  test('more members and items than may be answer 400 and how many there may be, declared or not', async () => {
    const ofItems = (count: number): Promise<Answer> =>
      create(`{"shipmentReference":"${reference()}","extra":[${'0,'.repeat(count - 1)}0]}`)
    const [some, more] = [await ofItems(4990), await ofItems(5000)]
    expect([some.status, more.status, messagesOf(more)]).toEqual([
      200,
      400,
      ['JSON may have at most 5000 members and items.'],
    ])
  })

  test('of many faults the first two hundred are told', async () => {
    const answer = await send(
      caller,
      'PUT',
      '/api/permission-management/permissions?providerName=R&providerKey=admin',
      { permissions: Array.from({ length: 500 }, () => ({})) },
    )
    expect([answer.status, messagesOf(answer).length]).toEqual([400, 200])
  })

  test('the path of a fault is cut where a caller made it long', async () => {
    const answer = await send(caller, 'GET', `${shipments}?Filters={"${'k'.repeat(4000)}":[["a"]]}`)
    expect([answer.status, answer.text.length < 5000]).toEqual([400, true])
  })

  test('JSON in another encoding than UTF-8 answers 415', async () => {
    const answer = await post(Buffer.from('{}', 'utf16le'), {
      'content-type': 'application/json; charset=utf-16',
    })
    expect(answer.status).toBe(415)
  })

  test.each([
    ['totalPackages', '2147483648'],
    ['totalPackages', '1e308'],
    ['totalPackages', '123456789012345678901234567890'],
    ['totalPackages', '1.5'],
    ['totalPackages', '-1'],
    ['totalGrossWeight', '1e999'],
    ['totalGrossWeight', '"1e999"'],
    ['totalGrossWeight', '"NaN"'],
    ['totalGrossWeight', `"${'9'.repeat(500)}"`],
    ['goodsValue', '1e21'],
    ['goodsValue', '0.001'],
    ['estimatedDeparture', '"0000-01-01T00:00:00Z"'],
    ['estimatedDeparture', '"0001-01-01T00:00:00+14:00"'],
    ['estimatedDeparture', '"9999-12-31T23:59:59-14:00"'],
    ['estimatedDeparture', '1e300'],
  ])('%s of %s is out of range', async (member, value) => {
    const answer = await create(`{"shipmentReference":"${reference()}","${member}":${value}}`)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  })

  test.each([
    ['totalPackages', 2_147_483_647],
    ['totalGrossWeight', 999_999_999_999_999.9],
    ['totalGrossWeight', 5e-324],
    ['estimatedDeparture', '0001-01-01T00:00:00Z'],
    ['estimatedDeparture', '9999-12-31T23:59:59.999Z'],
  ])('%s of %s is kept exactly', async (member, value) => {
    const { status, body } = await create({ shipmentReference: reference(), [member]: value })
    const kept = (await (await caller.fetch(`${shipments}/${body.id}`)).json()) as Record<string, unknown>
    const same =
      member === 'estimatedDeparture'
        ? new Date(kept[member] as string).toISOString() === new Date(value).toISOString()
        : kept[member] === value
    expect([status, same]).toEqual([200, true])
  })

  test.each([
    `${ports}?skipCount=9223372036854775808`,
    `${ports}?maxResultCount=1001`,
    `${ports}?skipCount=-1`,
    `${ports}?skipCount=0x10`,
    `${ports}?sorting=name;drop table x`,
    `${ports}?sorting=${'name,'.repeat(60)}name`,
    `${shipments}?Filters=[1`,
    `${shipments}?Filters={"Status":`,
    `${shipments}?Filters[Nothing]=x`,
    `${shipments}?Filters=text`,
    `${shipments}?includeFacets=maybe`,
    `${shipments}/upcoming-shipments?startDate=tomorrow`,
    `${shipments}?${'a[b][c][d][e][f][g]=1'}`,
    `${shipments}?${'a=1&'.repeat(2001)}`,
    `${ports}/not-a-guid`,
    `${ports}/${nil}0`,
  ])('%s answers 400', async (path) => {
    expect((await send(caller, 'GET', path)).status).toBe(400)
  })

  test.each([
    `${ports}?skipCount=9007199254740991`,
    `${ports}?filter=${'x'.repeat(256)}`,
    `${ports}?filter=%25_%5C'"`,
    `${shipments}?Filters[Status]=99999999999999999999`,
    `${shipments}?Filters[DeparturePort]='; drop table x`,
  ])('%s answers an empty page', async (path) => {
    expect(await send(caller, 'GET', path)).toMatchObject({ status: 200, body: { items: [] } })
  })

  test('of a simple parameter that is given twice the first counts, and of a list every value', async () => {
    const queries = [
      'maxResultCount=2&maxResultCount=3&MAXRESULTCOUNT=nonsense',
      'maxResultCount=2&sorting=name&sorting=nonsense&filter=&filter=',
    ]
    for (const query of queries)
      expect(await send(caller, 'GET', `${ports}?${query}`)).toMatchObject({
        status: 200,
        body: { items: [{}, {}] },
      })
    const lists = await send(
      caller,
      'GET',
      `${shipments}?Filters[Status]=Draft&Filters[Status]=Booked&includeFacets=false&includeFacets=true`,
    )
    expect(lists.body).toMatchObject({
      appliedFilters: [{ field: 'Status', values: ['Draft', 'Booked'] }],
      facets: null,
    })
    const named = '/api/abp/application-localization?cultureName=de&cultureName=fr'
    const { body } = await send(app.host, 'GET', named)
    expect(body.currentCulture.cultureName).toBe('de')
  })

  test('names of Object.prototype in a query are ignored as any other', async () => {
    const path = `${ports}?__proto__[maxResultCount]=1&constructor=2&maxResultCount=3`
    expect(await send(caller, 'GET', path)).toMatchObject({ status: 200, body: { items: [{}, {}, {}] } })
  })

  test.each([
    `${ports}/%`,
    `${ports}/%ZZ`,
    `${ports}/%C3%28`,
    `${ports}?filter=%`,
    `${ports}?filter=%E0%A4%A`,
    `${ports}?%ZZ=1`,
  ])('the broken percent-encoding of %s answers 400', async (path) => {
    const answer = await send(caller, 'GET', path)
    expect([answer.status, messagesOf(answer)]).toEqual([
      400,
      [expect.stringMatching(/has a broken percent-encoding\.$/)],
    ])
  })

  test.each([
    ['a path', 'GET', `${ports}/%00`, undefined],
    ['a query', 'GET', `${ports}?filter=a%00b`, undefined],
    ['a filter', 'GET', `${shipments}?Filters[Status]=a%00b`, undefined],
    ['the name of a filter', 'GET', `${shipments}?Filters[a%00b]=x`, undefined],
    ['sorting', 'GET', `${ports}?sorting=name%00`, undefined],
    ['a body', 'POST', shipments, { shipmentReference: 'a\0b' }],
    [
      'a nested member of a body',
      'POST',
      shipments,
      { shipmentReference: 'NUL', addresses: [{ role: 1, companyName: 'A', city: 'a\0b' }] },
    ],
  ])('a NUL character in %s answers 400', async (_where, method, path, body) => {
    const answer = await send(caller, method, path, body)
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('22021')
  })

  test.each([
    ['a text', '"cargoDescription":"a\\ud800b"', ['cargoDescription']],
    ['an own field', '"extraProperties":{"Berth":"\\udc00"}', ['extraProperties.Berth']],
    ['a name', '"extraProperties":{"\\ud83d":"x"}', ['extraProperties.\ud83d']],
  ])(
    'half of a surrogate pair in %s answers 400, as JSON in PostgreSQL has none',
    async (_where, member, members) => {
      const answer = await create(`{"shipmentReference":"${reference()}",${member}}`)
      expect([answer.status, faultyMembers(answer)]).toEqual([400, members])
    },
  )

  test('a whole pair is stored', async () => {
    const answer = await create(`{"shipmentReference":"${reference()}","cargoDescription":"a\\ud83d\\ude80"}`)
    expect(answer).toMatchObject({ status: 200, body: { cargoDescription: 'a🚀' } })
  })
})

describe('ABP’s rules for JSON', () => {
  test('members come in any case, unknown ones are ignored, numbers and booleans may be texts', async () => {
    const name = reference()
    const body = {
      SHIPMENTREFERENCE: name,
      TotalPackages: '12',
      totalgrossweight: '1.5',
      nobodyKnows: { a: [1] },
      id: nil,
    }
    expect(await create(body)).toMatchObject({
      status: 200,
      body: { shipmentReference: name, totalPackages: 12, totalGrossWeight: 1.5 },
    })
  })

  test('every fault comes back at once', async () => {
    const answer = await create({
      shipmentReference: 'x'.repeat(101),
      totalPackages: -1,
      estimatedArrival: 'x',
      cargoDescription: 'x'.repeat(501),
    })
    expect([answer.status, faultyMembers(answer)]).toEqual([
      400,
      ['cargoDescription', 'estimatedArrival', 'shipmentReference', 'totalPackages'],
    ])
  })

  test('names of a query come in any case, and a filter may come as JSON', async () => {
    const name = reference()
    await create({ shipmentReference: name })
    const filters = encodeURIComponent('{"status":["draft"]}')
    const answer = await send(
      caller,
      'GET',
      `${shipments}?MAXRESULTCOUNT=1&FILTERS=${filters}&includefacets=True`,
    )
    expect(answer.body).toMatchObject({
      items: [{}],
      appliedFilters: [{ field: 'Status', values: ['draft'] }],
      facets: expect.any(Array),
    })
  })
})

describe('routes', () => {
  test('an unknown one answers 404 in ABP’s envelope', async () => {
    const response = await get('/api/hub/nothing?x=1')
    expect([response.status, response.headers.get('_abperrorformat'), await response.json()]).toMatchObject([
      404,
      'true',
      { error: { message: 'Nothing answers at GET /api/hub/nothing.' } },
    ])
  })

  test('the wrong verb answers 405 with those that are right', async () => {
    const response = await caller.fetch(`${shipments}/${nil}`, { method: 'PATCH' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PUT'])
  })

  test('a method that HTTP does not know of answers no 500', async () => {
    expect((await caller.fetch(shipments, { method: 'PROPFIND' })).status).toBe(405)
  })

  test('HEAD answers as GET does, without the body', async () => {
    const got = await caller.fetch(`${ports}?maxResultCount=1`)
    const head = await caller.fetch(`${ports}?maxResultCount=1`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(Buffer.byteLength(await got.text())),
      '',
    ])
  })

  test.each([`${ports}/?maxResultCount=1`, '/API/Hub/Port?maxResultCount=1'])('%s is found', async (path) => {
    expect((await caller.fetch(path)).status).toBe(200)
  })

  test('a path of 10,000 characters answers no 500', async () => {
    expect((await caller.fetch(`${ports}/${'x'.repeat(10_000)}`)).status).toBeLessThan(500)
  })

  test('a stranger is refused before the body is read', async () => {
    const response = await app.host.fetch(shipments, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.status).toBe(401)
  })

  test('who lacks the permission is refused before the body is read', async () => {
    const reader = await app.as({ permissions: [PortPermissions.View] })
    const response = await reader.fetch(shipments, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { code: 'Volo.Authorization:010002', data: { PolicyName: 'Shipment.Create' } } },
    ])
  })
})

describe('headers', () => {
  test('a correlation id comes back as it was sent', async () => {
    const response = await get('/health/live', { 'x-correlation-id': 'a-b_c.1' })
    expect(response.headers.get('x-correlation-id')).toBe('a-b_c.1')
  })

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one with blanks', 'a b'],
    ['markup', '<script>'],
    ['a long one', 'x'.repeat(65)],
  ])('in place of %s a correlation id of 32 hexadecimal digits is made', async (_what, sent) => {
    const response = await get('/health/live', sent === undefined ? {} : { 'x-correlation-id': sent })
    expect(response.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
  })

  test('errors carry a correlation id too', async () => {
    const response = await get('/nothing', { 'x-correlation-id': 'mine' })
    expect(response.headers.get('x-correlation-id')).toBe('mine')
  })

  test.each(['/health/live', ports, '/swagger/'])(
    '%s carries the security headers and says nothing of the server',
    async (path) => {
      const { headers } = await get(path)
      expect(
        ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'x-powered-by', 'server'].map(
          (name) => headers.get(name),
        ),
      ).toEqual(['nosniff', 'DENY', 'no-referrer', null, null])
    },
  )

  test.each(['en', 'xx-YY,zz;q=0.1', '*', 'de;q=0', ',;q=,', 'x'.repeat(2000)])(
    'Accept-Language: %s is no reason to fail',
    async (language) => {
      expect((await get('/health/live', { 'accept-language': language })).status).toBe(200)
    },
  )
})

describe('CORS', () => {
  const allowed = async (origin: string): Promise<string | null> =>
    (await get('/health/live', { origin })).headers.get('access-control-allow-origin')

  test.each([
    'http://localhost:4200',
    'https://admin.example',
    'https://a.keel.example',
    'https://a.b.keel.example',
  ])('%s may call', async (origin) => {
    expect(await allowed(origin)).toBe(origin)
  })

  test.each([
    'http://localhost:4201',
    'https://keel.example',
    'https://evilkeel.example',
    'https://a.keel.example.evil.com',
    'null',
  ])('%s may not call', async (origin) => {
    expect(await allowed(origin)).toBeNull()
  })

  test('a page may send credentials and read the headers that clients need', async () => {
    const { headers } = await get(ports, { origin: 'http://localhost:4200' })
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining([
        '_AbpErrorFormat',
        'Abp-Tenant-Resolve-Error',
        'X-Correlation-Id',
        'X-Keel-Seen',
        'X-Keel-Warning',
        'Retry-After',
      ]),
    )
    expect(headers.get('vary')).toContain('Origin')
  })

  test('a preflight is answered for the headers of ABP’s clients, without credentials', async () => {
    const response = await app.host.fetch(shipments, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:4200',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-requested-with,authorization,__tenant',
      },
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'x-requested-with,authorization,__tenant',
    )
    expect(response.headers.get('access-control-allow-methods')).toContain('PUT')
  })

  test('a preflight of a stranger allows nothing', async () => {
    const response = await app.host.fetch(shipments, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
    })
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('the OpenAPI document may differ by origin and by encoding', async () => {
    const { headers } = await get('/swagger/v1/swagger.json', { origin: 'http://localhost:4200' })
    expect(headers.get('vary')).toBe('Origin, Accept-Encoding')
  })
})

describe('what a host answers beside its services', () => {
  test('the root leads to the docs UI', async () => {
    const response = await get('/')
    expect([response.status, response.headers.get('location')]).toEqual([302, '/swagger'])
  })

  test('the docs UI and what it loads answer', async () => {
    const page = await app.host.fetch('/swagger')
    const html = await page.text()
    expect([page.status, html]).toEqual([200, expect.stringContaining('<title>Keel API</title>')])
    const assets = [...html.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)].map(
      ([, path]) => new URL(path as string, page.url).href,
    )
    expect(assets.length).toBeGreaterThan(2)
    const statuses = await Promise.all(assets.map(async (url) => (await fetch(url)).status))
    expect(statuses).toEqual(assets.map(() => 200))
  })

  test.each(['/swagger/', '/swagger/index.html'])('%s is the docs UI', async (path) => {
    const page = await get(path)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<title>Keel API</title>'),
    ])
  })

  test.each([
    ['GET', '/swagger/v2/swagger.json'],
    ['GET', '/swagger/v1/swagger.json/nothing'],
    ['GET', '/swagger/nothing'],
    ['GET', '/swagger/v1/swagger-ui-init.js'],
    ['GET', '/swagger/package.json'],
    ['POST', '/swagger'],
    ['POST', '/swagger/v1/swagger.json'],
  ])('%s %s is 404', async (method, path) => {
    expect((await app.host.fetch(path, { method })).status).toBe(404)
  })

  test('the page that ends the docs UI’s sign-in answers', async () => {
    const response = await get('/swagger/oauth2-redirect.html')
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('oauth2')])
  })

  test('/health/live asks nobody', async () => {
    expect(await send(app.host, 'GET', '/health/live')).toMatchObject({
      status: 200,
      body: { status: 'Healthy' },
    })
  })

  test.each(['/health/ready', '/healthz'])(
    '%s tells of every database, of events, of jobs and of room for files',
    async (path) => {
      const answer = await send(app.host, 'GET', path)
      expect(answer).toMatchObject({
        status: 200,
        // Through a pooler no notifications arrive.
        body: {
          status: wellStatus,
          totalDuration: expect.stringMatching(/^00:00:\d\d\.\d{7}$/),
        },
      })
      const names = Object.keys(answer.body.entries).filter((name) => !name.endsWith('change feed'))
      expect(names.sort()).toEqual([
        'Default database',
        'Events',
        'Files',
        'Hub database',
        'Jobs',
        'Pricing database',
        'Uploads',
      ])
      expect(Object.keys(answer.body.entries).length > names.length).toBe(isPooled)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  test('no cache keeps that there is nothing, also for API keys, which caches do not know', async () => {
    const { status, headers } = await send(caller, 'GET', `/api/identity/users/by-id/${nil}`)
    expect([status, headers.get('cache-control')]).toEqual([204, 'no-store'])
  })

  test('the health check has moved from where it is by default', async () => {
    expect((await get('/health-status')).status).toBe(404)
  })

  testOfOneProcess('connections are kept for two minutes, and headers may take as long', async () => {
    const response = await get('/health/live')
    expect(response.headers.get('keep-alive')).toBe('timeout=120')
    const { server } = Reflect.get(app.host.get(HttpHost), 'connections') as { server: http.Server }
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([120_000, 120_000])
  })
})

describe('who breaks the protocol does no harm', () => {
  const request = (first: string, rest = ''): string =>
    `${first}\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\n${rest}`
  const json = 'Content-Type: application/json\r\n'

  test.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a request line without an end', `GET /${'x'.repeat(200_000)}`, 431],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n', 400],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
    [
      'two lengths',
      request(`POST ${shipments} HTTP/1.1`, 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
      400,
    ],
    [
      'a length and chunks',
      request(`POST ${shipments} HTTP/1.1`, 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}'),
      400,
    ],
    [
      'a broken chunk',
      request(`POST ${shipments} HTTP/1.1`, `${json}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}`),
      400,
    ],
    [
      'a wish to upgrade',
      request('GET /health/live HTTP/1.1', 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      200,
    ],
    ['an absolute address', request(`GET http://x/health/live HTTP/1.1`, '\r\n'), 200],
    ['an address that is none', request('GET //// HTTP/1.1', '\r\n'), 404],
    ['a star', request('OPTIONS * HTTP/1.1', '\r\n'), 404],
  ])('%s', async (_what, text, status) => {
    expect(await statusOfRaw(text)).toBe(status)
    expect((await get('/health/live')).status).toBe(200)
  })

  test.each([
    ['in the middle of the headers', request(`POST ${shipments} HTTP/1.1`, json)],
    [
      'in the middle of the body',
      request(`POST ${shipments} HTTP/1.1`, `${json}Content-Length: 100\r\n\r\n{"shipment`),
    ],
    ['before the answer', request(`GET ${shipments}?includeFacets=true HTTP/1.1`, '\r\n')],
  ])('hanging up %s', async (_when, text) => {
    const socket = connect(Number(new URL(app.host.url).port))
    await new Promise<unknown>((resolve) => socket.write(signed(text), resolve))
    socket.resetAndDestroy()
    expect((await get('/health/live')).status).toBe(200)
  })

  function signed(text: string): string {
    return text.replace('TOKEN', caller.token)
  }

  /** The status that a raw text is answered with. */
  function statusOfRaw(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: Number(new URL(app.host.url).port) }, () => socket.write(signed(text)))
      socket.once('data', (data) => {
        resolve(Number(data.toString().split(' ')[1]))
        socket.destroy()
      })
      socket.once('error', reject)
    })
  }
})
