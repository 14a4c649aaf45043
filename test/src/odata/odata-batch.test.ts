import { ShipmentPermissions } from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments } from '../support/hub-rows.js'

let app: App
let caller: AppCaller
let ids: string[]
beforeAll(async () => {
  app = await startApp(undefined, {
    'OData:MaxBatchParts': '20',
    'OData:MaxBodyBytes': '20000',
    'OData:MaxBatchAnswerBytes': '1000000',
    'OData:MaxQueryBytes': '1000',
  })
  caller = await app.as({ roles: [SuperUser] })
  ids = await addShipments(app, [{ ShipmentReference: 'B-1' }, { ShipmentReference: 'B-2' }])
})
afterAll(() => app.close())

interface Part {
  readonly id: string
  readonly status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: parts answer all shapes
  readonly body: any
}

async function post(
  body: unknown,
  headers: Record<string, string> = {},
  sender: Pick<AppCaller, 'fetch'> = caller,
) {
  return sender.fetch('/odata/$batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function parts(requests: readonly unknown[], headers: Record<string, string> = {}): Promise<Part[]> {
  const response = await post({ requests }, headers)
  expect(response.status).toBe(200)
  return ((await response.json()) as { responses: Part[] }).responses
}

const get = (id: string, url: string, more: object = {}) => ({ id, method: 'GET', url, ...more })

test('a batch in JSON answers every part in order, by three forms of addresses', async () => {
  const answers = await parts([
    get('1', `Shipments(${ids[0]})?$select=ShipmentReference`),
    get('2', `/odata/Shipments(${ids[1]})?$select=ShipmentReference`),
    get('3', `${app.host.url}/odata/Shipments/$count`),
    get('4', "Shipments?$filter=ShipmentReference eq 'B-2'&$select=ShipmentReference", {
      headers: { Accept: 'application/json;odata.metadata=none' },
    }),
    {
      id: '5',
      method: 'POST',
      url: 'Ports/$query',
      headers: { 'content-type': 'text/plain' },
      body: '$top=1&$select=UnLocode',
    },
    get('6', '$metadata'),
  ])
  expect(answers.map(({ id, status }) => [id, status])).toEqual(
    ['1', '2', '3', '4', '5', '6'].map((id) => [id, 200]),
  )
  expect(answers[0]?.body.ShipmentReference).toBe('B-1')
  expect(answers[1]?.body.ShipmentReference).toBe('B-2')
  expect(Number(answers[2]?.body)).toBe(2)
  expect(answers[2]?.headers['content-type']).toMatch(/^text\/plain/)
  expect(answers[3]?.body).toEqual({ value: [{ ShipmentReference: 'B-2' }] })
  expect(answers[4]?.body.value).toHaveLength(1)
  expect(answers[5]?.body).toContain('<edmx:Edmx')
})

test('a part fails alone, and what depends on it', async () => {
  const answers = await parts([
    get('bad', 'Shipments?$filter=x%20eq'),
    get('none', 'NoSuchSet'),
    get('after', 'Ports?$top=1', { dependsOn: ['bad'] }),
    get('later', 'Ports?$top=1', { dependsOn: ['after'] }),
    get('good', 'Ports?$top=1'),
    get('fine', 'Ports?$top=1', { dependsOn: ['good'] }),
    { id: 'write', method: 'PATCH', url: `Shipments(${ids[0]})`, body: {} },
    get('elsewhere', 'http://example.com/odata/Ports'),
    get('beside', '/api/hub/port'),
    get('nested', '$batch'),
    get('reference', '$good/Name'),
    get('keyed', 'Ports?$top=1', { headers: { authorization: 'Bearer x' } }),
  ])
  expect(Object.fromEntries(answers.map(({ id, status }) => [id, status]))).toEqual({
    bad: 400,
    none: 404,
    after: 424,
    later: 424,
    good: 200,
    fine: 200,
    write: 405,
    elsewhere: 400,
    beside: 400,
    nested: 400,
    reference: 501,
    keyed: 400,
  })
  expect(answers.find(({ id }) => id === 'write')?.headers.allow).toBe('GET, HEAD')
  expect(answers[0]?.body.error.target).toBe('$filter')
})

test('who prefers not to go on after a failure gets nothing after it', async () => {
  const requests = [get('1', 'Ports?$top=1'), get('2', 'NoSuchSet'), get('3', 'Ports?$top=1')]
  expect(await parts(requests, { prefer: 'odata.continue-on-error=false' })).toHaveLength(2)
  expect(await parts(requests, { prefer: 'odata.continue-on-error' })).toHaveLength(3)
  expect(await parts(requests)).toHaveLength(3)
})

test('every part is authorised on its own', async () => {
  const reader = await app.as({ permissions: [ShipmentPermissions.View] })
  const response = await post(
    { requests: [get('1', 'Shipments?$top=1'), get('2', 'Users?$top=1')] },
    {},
    reader,
  )
  const { responses } = (await response.json()) as { responses: Part[] }
  expect(responses.map(({ status }) => status)).toEqual([200, 403])
})

test('a malformed batch is refused as a whole', async () => {
  for (const body of [
    '',
    '{',
    '[]',
    '{}',
    '{"requests":{}}',
    { requests: [{}] },
    { requests: [{ id: '1', method: 'GET' }] },
    { requests: [get('1', 'Ports'), get('1', 'Ports')] },
    { requests: [get('1', 'Ports', { dependsOn: ['1'] })] },
    { requests: [get('1', 'Ports', { dependsOn: ['2'] }), get('2', 'Ports', { dependsOn: ['1'] })] },
    { requests: Array.from({ length: 21 }, (_, index) => get(String(index), 'Ports?$top=0')) },
  ])
    expect([body, (await post(body)).status]).toEqual([body, 400])
  expect((await post('x'.repeat(20_001))).status).toBe(413)
  expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post('x', { 'content-type': 'multipart/mixed' })).status).toBe(415)
  expect((await post({ requests: [] }, { accept: 'text/html' })).status).toBe(406)
  expect((await caller.fetch('/odata/$batch')).status).toBe(405)
  expect((await app.host.fetch('/odata/$batch', { method: 'POST', body: '{}' })).status).toBe(401)
})

test('parts are counted before they are looked at', async () => {
  const faulty = { requests: Array.from({ length: 21 }, () => ({})) }
  const messages = await Promise.all(
    [
      faulty,
      `{"requests":[{}${',{}'.repeat(6000)}]}`,
      { requests: [get('1', 'Ports', { headers: Object.fromEntries(names(101)) })] },
      { requests: [get('1', 'Ports', { dependsOn: names(21).map(([name]) => name) })] },
      `{"requests":[{"id":"1","method":"GET","url":"Ports","body":${'['.repeat(5000)}${']'.repeat(5000)}}]}`,
    ].map(async (body) => {
      const response = await post(body)
      const { error } = (await response.json()) as { error: { message: string } }
      return [response.status, error.message]
    }),
  )
  expect(messages).toEqual([
    [400, 'A batch may have at most 20 parts.'],
    [400, 'The batch is malformed: JSON may have at most 10000 members and items.'],
    [400, 'The batch is malformed: requests.0 has more than 100 headers.'],
    [400, 'The batch is malformed: requests.0 depends on more than 20 parts.'],
    [400, 'The batch is malformed: JSON may be nested at most 32 deep.'],
  ])
  const boundaries = await post(`--b\r\n`.repeat(2000), { 'content-type': 'multipart/mixed; boundary=b' })
  expect([boundaries.status, await boundaries.text()]).toEqual([
    400,
    expect.stringContaining('A batch may have at most 20 parts.'),
  ])
})

const names = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`n${index}`, ''])

test('parts whose answers would make the answer too large are refused alone', async () => {
  const answers = await parts([
    ...Array.from({ length: 19 }, (_, index) => get(String(index), '$metadata')),
    get('19', 'Ports?$top=1'),
  ])
  const refused = answers.filter(({ status }) => status !== 200)
  expect([refused.length > 0, answers[0]?.status, answers[19]?.status]).toEqual([true, 200, 200])
  expect(refused[0]).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('at most 1000000 bytes together') } },
  })
  const size = answers.reduce(
    (sum, { status, body }) => sum + (status === 200 ? JSON.stringify(body).length : 0),
    0,
  )
  expect(size).toBeLessThan(1_100_000)
})

test('a query in a body has a length of its own, in a batch and outside', async () => {
  const query = `$filter=Name eq '${'x'.repeat(1000)}'`
  const alone = await caller.fetch('/odata/Ports/$query', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: query,
  })
  const [part] = await parts([
    { id: '1', method: 'POST', url: 'Ports/$query', headers: { 'content-type': 'text/plain' }, body: query },
  ])
  expect([alone.status, part?.status]).toEqual([413, 413])
})

test('a part with a URL that is too long is refused alone', async () => {
  const answers = await parts([get('1', `Ports?$filter=${'a'.repeat(17_000)}`), get('2', 'Ports?$top=1')])
  expect(answers.map(({ status }) => status)).toEqual([414, 200])
})

const boundary = 'batch_1'
function multipart(...requests: readonly string[]): string {
  const pieces = requests.map(
    (request, index) =>
      `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${index + 1}\r\n\r\n${request}\r\n`,
  )
  return `preamble\r\n${pieces.join('')}--${boundary}--\r\n`
}
const mixed = { 'content-type': `multipart/mixed; boundary=${boundary}` }

test('a multipart batch is answered as one, by three forms of addresses', async () => {
  const response = await post(
    multipart(
      `GET Shipments(${ids[0]})?$select=ShipmentReference HTTP/1.1\r\nAccept: application/json;odata.metadata=none\r\n\r\n`,
      'GET /odata/Ports/$count HTTP/1.1\r\nHost: example.com\r\n\r\n',
      `GET ${app.host.url}/odata/NoSuchSet HTTP/1.1\r\n\r\n`,
      'GET Ports?$top=1',
      'POST Ports/$query HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n$top=1&$select=UnLocode',
    ),
    mixed,
  )
  expect(response.status).toBe(200)
  const [, delimiter = ''] = /boundary=(\S+)/.exec(response.headers.get('content-type') ?? '') ?? []
  const text = await response.text()
  expect(text.endsWith(`--${delimiter}--\r\n`)).toBe(true)
  const answers = text.split(`--${delimiter}`).slice(1, -1)
  expect(answers.map((part) => /HTTP\/1\.1 (\d+)/.exec(part)?.[1])).toEqual([
    '200',
    '200',
    '404',
    '400',
    '200',
  ])
  expect(answers.map((part) => /Content-ID: (\d+)/.exec(part)?.[1])).toEqual(['1', '2', '3', '4', '5'])
  expect(answers[0]).toContain('\r\n\r\n{"ShipmentReference":"B-1"}')
  expect(answers[0]).toContain('odata-version: 4.0')
})

test('a multipart batch may be answered in JSON, and the other way round', async () => {
  const json = await post(multipart('GET Ports/$count HTTP/1.1\r\n\r\n'), {
    ...mixed,
    accept: 'application/json',
  })
  expect(((await json.json()) as { responses: Part[] }).responses[0]?.id).toBe('1')
  const back = await post({ requests: [get('x', 'Ports/$count')] }, { accept: 'multipart/mixed' })
  expect(await back.text()).toContain('Content-ID: x')
})

test('parts that are no requests are answered so, and a batch without an end is refused', async () => {
  const changeSet = `--${boundary}\r\nContent-Type: multipart/mixed;boundary=c\r\n\r\n--c--\r\n--${boundary}\r\nContent-Type: text/plain\r\n\r\nx\r\n--${boundary}--`
  const statuses = [...(await (await post(changeSet, mixed)).text()).matchAll(/HTTP\/1\.1 (\d+)/g)]
  expect(statuses.map(([, status]) => status)).toEqual(['501', '400'])
  expect(
    (await post(`--${boundary}\r\nContent-Type: application/http\r\n\r\nGET x HTTP/1.1`, mixed)).status,
  ).toBe(400)
})
