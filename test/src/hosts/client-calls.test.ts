import http from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createHubProxy,
  type ProxyOptions,
  refreshing,
  sharedReads,
  TimedOutError,
  type Tokens,
  withOptions,
} from '@keel/hub-proxy'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

// A host that fails as told: what clients do about it is the subject.
type Answer = (request: Received, response: http.ServerResponse) => void
interface Received {
  readonly verb: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

let server: http.Server
let url: string
let received: Received[]
let answers: Answer[]
beforeAll(async () => {
  server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { method = '', headers } = request
    const one = { verb: method, headers, body: Buffer.concat(pieces) }
    received.push(one)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  received = []
  answers = [good]
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const id = '11111111-1111-4111-8111-111111111111'
const port = { id, unLocode: 'DEHAM', name: 'Hamburg', countryCode: 'DE', isActive: true }
const json = (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}
const good = json(200, port)
const hangUp: Answer = (_request, response) => response.destroy()
const silence: Answer = () => undefined
const busy = json(503, { error: { message: 'Busy.' } })

const quick = { waitMs: () => 5 }
const hub = (options: Partial<ProxyOptions> = {}) =>
  createHubProxy({ baseUrl: url, retry: quick, ...options })

test('a call that may be sent twice is repeated after a failed connection and after 503', async () => {
  answers = [hangUp, busy, busy, good]
  expect((await hub().ports.get(id)).name).toBe('Hamburg')
  expect(received.length).toBe(4)
})

test('after three repetitions the last error is thrown', async () => {
  answers = [busy]
  await expect(hub().ports.get(id)).rejects.toMatchObject({ name: 'UnavailableError', message: 'Busy.' })
  expect(received.length).toBe(4)
})

test('the first repetition comes after two seconds and at most a quarter more', async () => {
  answers = [busy, good]
  const start = performance.now()
  await createHubProxy({ baseUrl: url }).ports.get(id)
  const waited = performance.now() - start
  expect(waited).toBeGreaterThan(1990)
  expect(received.length).toBe(2)
})

test('a server that asks for more time gets it, and is left alone when it asks for too much', async () => {
  answers = [json(429, {}, { 'retry-after': '1' }), good]
  const start = performance.now()
  await hub().ports.get(id)
  expect(performance.now() - start).toBeGreaterThan(990)
  answers = [json(503, {}, { 'retry-after': '3600' }), good]
  await expect(hub().ports.get(id)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 3600 })
  expect(received.length).toBe(3)
})

test('nothing is repeated where it is switched off, nor after other errors', async () => {
  answers = [busy]
  await expect(hub({ retry: false }).ports.get(id)).rejects.toThrow('Busy.')
  await expect(withOptions(hub(), { retry: false }).ports.get(id)).rejects.toThrow('Busy.')
  answers = [json(500, { error: { message: 'Broken.' } })]
  await expect(hub().ports.get(id)).rejects.toThrow('Broken.')
  expect(received.length).toBe(3)
})

test('a base URL that is none is told at once', async () => {
  await expect(createHubProxy({ baseUrl: 'api.example.com' }).ports.get(id)).rejects.toThrow(
    `api.example.com/api/hub/port/${id} is no address: the base URL has to be one, such as https://api.example.com`,
  )
})

test('a creation is repeated with an idempotency key alone, the same in each sending', async () => {
  answers = [busy]
  const input = { unLocode: 'DEHAM', name: 'Hamburg', countryCode: 'DE' } as never
  await expect(hub().ports.create(input)).rejects.toThrow('Busy.')
  expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])
  received = []
  answers = [busy, hangUp, good]
  await hub({ idempotencyKey: true }).ports.create(input)
  const [key, ...others] = received.map(({ headers }) => headers['idempotency-key'])
  expect(key).toMatch(/^[\da-f-]{36}$/)
  expect(others).toEqual([key, key])
  await hub({ idempotencyKey: true }).ports.create(input)
  expect(received.at(-1)?.headers['idempotency-key']).not.toBe(key)
  await withOptions(hub().ports, { idempotencyKey: 'mine' }).create(input)
  expect(received.at(-1)?.headers['idempotency-key']).toBe('mine')
})

test('a silent server and an answer that stalls are a time-out, and are not asked again', async () => {
  answers = [silence]
  const stalled = hub({ timeoutMs: 100 }).ports.get(id)
  await expect(stalled).rejects.toBeInstanceOf(TimedOutError)
  await expect(stalled).rejects.toMatchObject({
    name: 'TimedOutError',
    message: expect.stringMatching(/within 0\.1 s/),
  })
  answers = [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
    },
  ]
  await expect(hub({ timeoutMs: 100 }).ports.get(id)).rejects.toBeInstanceOf(TimedOutError)
  await expect(hub({ timeoutMs: 100 }).ports.query()).rejects.toBeInstanceOf(TimedOutError)
  expect(received.length).toBe(3)
})

test('a call ends with its signal, also while it waits for its repetition', async () => {
  answers = [silence]
  const controller = new AbortController()
  const call = withOptions(hub().ports, { signal: controller.signal }).get(id)
  setTimeout(() => controller.abort(), 50)
  await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  answers = [busy]
  const waiting = hub({ retry: { waitMs: () => 60_000 }, signal: AbortSignal.timeout(50) }).ports.get(id)
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(hub({ signal: AbortSignal.abort(new Error('left')) }).ports.get(id)).rejects.toThrow('left')
  expect(received.length).toBe(2)
})

test('credentials and language are sent as the headers that hosts read', async () => {
  await hub({ apiKey: 'k', tenant: () => 'acme', language: 'de', accessToken: () => 't' }).ports.get(id)
  expect(received[0]?.headers).toMatchObject({
    'x-api-key': 'k',
    __tenant: 'acme',
    'accept-language': 'de',
    authorization: 'Bearer t',
  })
})

test('many calls renew a token once, before it ends and after it was refused', async () => {
  let renewals = 0
  const renew = async (): Promise<Tokens> => {
    renewals++
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { accessToken: `token-${renewals}`, expiresAt: Date.now() + 3_600_000 }
  }
  const accessToken = refreshing({ initial: { accessToken: 'old', expiresAt: Date.now() + 20_000 }, renew })
  const client = hub({ accessToken })
  await Promise.all([1, 2, 3].map(() => client.ports.get(id)))
  expect([renewals, ...received.map(({ headers }) => headers.authorization)]).toEqual([
    1,
    ...Array(3).fill('Bearer token-1'),
  ])
  received = []
  answers = [
    ({ headers }, response) =>
      headers.authorization === 'Bearer token-2'
        ? good({} as Received, response)
        : json(401, {})({} as Received, response),
  ]
  const found = await Promise.all([1, 2, 3].map(() => client.ports.get(id)))
  expect([renewals, found.length, received.length]).toEqual([2, 3, 6])
  answers = [json(401, {})]
  received = []
  await expect(client.ports.get(id)).rejects.toMatchObject({ status: 401 })
  expect([renewals, received.length]).toEqual([3, 2])
})

test('a renewal that fails leaves a token in use as long as it lasts', async () => {
  const renew = async (): Promise<Tokens> => {
    throw new Error('no way')
  }
  const initial = { accessToken: 'old', expiresAt: Date.now() + 300 }
  const client = hub({ accessToken: refreshing({ initial, renew }) })
  await client.ports.get(id)
  await new Promise((resolve) => setTimeout(resolve, 350))
  await expect(client.ports.get(id)).rejects.toThrow('no way')
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old'])
})

test('tokens that are set while a renewal is under way win over it', async () => {
  let finish: (tokens: Tokens) => void = () => undefined
  const saved: (string | undefined)[] = []
  const tokens = refreshing({
    initial: { accessToken: 'old', expiresAt: 0 },
    renew: () => new Promise((resolve) => (finish = resolve)),
    store: { load: () => undefined, save: (kept) => void saved.push(kept?.accessToken) },
  })
  const asked = tokens.token()
  await new Promise((resolve) => setTimeout(resolve, 10))
  await tokens.set({ accessToken: 'signed in' })
  finish({ accessToken: 'late' })
  expect([await asked, await tokens.token(), saved]).toEqual(['signed in', 'signed in', ['old', 'signed in']])
})

test('uploads and downloads report how far they are', async () => {
  const content = new Uint8Array(300_000).fill(65)
  const sent: number[] = []
  let total: number | undefined
  const onUpload = ({ loadedBytes, totalBytes }: { loadedBytes: number; totalBytes: number | undefined }) => {
    sent.push(loadedBytes)
    total = totalBytes
  }
  answers = [json(200, { id })]
  const file = new File([content], 'Ä b.txt', { type: 'text/plain' })
  await withOptions(hub(), { onUpload, retry: false })
    .documents.upload({ shipmentId: id, documentTypeId: id, file } as never)
    .catch(() => undefined)
  expect(received[0]?.body.length).toBe(sent.at(-1))
  expect(total).toBe(sent.at(-1))
  expect(sent.length).toBeGreaterThan(1)

  answers = [
    (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/plain', 'content-length': content.length })
        .end(content),
  ]
  const read: [number, number | undefined][] = []
  const download = await withOptions(hub(), {
    onDownload: ({ loadedBytes, totalBytes }) => void read.push([loadedBytes, totalBytes]),
  }).documents.getContent(id)
  expect((await new Response(download.stream()).arrayBuffer()).byteLength).toBe(content.length)
  expect(read.at(-1)).toEqual([content.length, content.length])
})

test('inputs are checked before they are sent where that is switched on', async () => {
  const input = { unLocode: 'hamburg', name: '', isSeaport: true, isAirport: 'maybe' } as never
  await expect(hub({ validates: true }).ports.create(input)).rejects.toMatchObject({
    name: 'ValidationError',
    validationErrors: [{ members: ['unLocode'] }, { members: ['name'] }, { members: ['isAirport'] }],
  })
  await expect(hub({ validates: true }).ports.get('7')).rejects.toMatchObject({
    validationErrors: [{ members: ['id'] }],
  })
  expect(received.length).toBe(0)
  await hub({ validates: true }).ports.getList({})
  await hub().ports.create(input)
  expect(received.length).toBe(2)
})

test('equal reads at the same moment are sent once, and each caller has an answer of its own', async () => {
  const shared = sharedReads()
  const client = hub({ fetch: shared, accessToken: () => 'a' })
  const [one, two, other] = await Promise.all([
    client.ports.get(id),
    client.ports.get(id),
    client.ports.getList({}),
  ])
  expect([received.length, one === two, one.name, two.name, other !== undefined]).toEqual([
    2,
    false,
    'Hamburg',
    'Hamburg',
    true,
  ])
  // Others' credentials are another request, and so is the next moment.
  const others = hub({ fetch: shared, accessToken: () => 'b' })
  await Promise.all([client.ports.get(id), others.ports.get(id)])
  expect(
    received
      .slice(2)
      .map(({ headers }) => headers.authorization)
      .sort(),
  ).toEqual(['Bearer a', 'Bearer b'])
  const input = { unLocode: 'DEHAM', name: 'Hamburg' } as never
  await Promise.all([client.ports.create(input), client.ports.create(input)])
  expect(received.length).toBe(6)
})

test('a caller who gives a shared read up ends alone', async () => {
  let answer: () => void = () => undefined
  answers = [
    (request, response) => {
      answer = () => good(request, response)
    },
  ]
  const client = hub({ fetch: sharedReads(), retry: false })
  const controller = new AbortController()
  const left = withOptions(client.ports, { signal: controller.signal }).get(id)
  const stays = client.ports.get(id)
  await expect.poll(() => received.length).toBe(1)
  controller.abort()
  await expect(left).rejects.toMatchObject({ name: 'AbortError' })
  answer()
  expect((await stays).name).toBe('Hamburg')
  answers = [silence]
  await expect(hub({ fetch: sharedReads(), timeoutMs: 50 }).ports.get(id)).rejects.toBeInstanceOf(
    TimedOutError,
  )
})

test('a host that sends elsewhere is not followed, so that nobody else gets the key and the body', async () => {
  answers = [
    (_request, response) => {
      response.writeHead(307, { location: url.replace('127.0.0.1', 'localhost') }).end()
    },
  ]
  const call = hub({ apiKey: 'k', retry: false }).ports.create({
    unLocode: 'DEHAM',
    name: 'Hamburg',
  } as never)
  await expect(call).rejects.toMatchObject({ name: 'UnavailableError' })
  expect(received).toHaveLength(1)
})

test.each(['', '.', '..'])(
  'an id "%s", which would make another address, is refused before it is sent',
  async (id) => {
    await expect(hub().ports.get(id)).rejects.toMatchObject({ name: 'ValidationError' })
    expect(received).toEqual([])
  },
)
