import http from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib'
import { sql } from '@keel/framework/data'
import { DocumentAppService } from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, codeId, hubOf } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'

/** Answers over plain HTTP, because `fetch` asks for compression by itself and takes it away again. */
let app: App
let admin: AppCaller
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds", "CargoDescription")
    select gen_random_uuid(), 'S' || lpad(n::text, 8, '0'), n % 3, now(), 'stamp', '{}',
      (select string_agg(md5(n::text || k), '') from generate_series(1, 15) k)
    from generate_series(1, 30000) n`)
}, 120_000)
afterAll(async () => {
  agent.destroy()
  await app.close()
})

type Headers = Record<string, string>

interface Wire {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

function ask(
  path: string,
  headers: Headers = {},
  method = 'GET',
  sent?: string,
  { url, token } = { url: app.host.url, token: admin.token },
): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`
    const request = http.request(
      `${url}${path}`,
      { agent, method, headers: { authorization, ...headers } },
      (response) =>
        buffer(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        ),
    )
    request.on('error', reject).end(sent)
  })
}

function decoded({ headers, body }: Wire): string {
  const coding = headers['content-encoding']
  if (coding === 'br') return brotliDecompressSync(body).toString()
  return (coding === 'gzip' ? gunzipSync(body) : body).toString()
}

const odataPage =
  '/odata/Shipments?$top=50&$orderby=ShipmentReference&$select=Id,ShipmentReference,CargoDescription'
const smallOdataPage = '/odata/Shipments?$top=1&$select=Id'
const restPage = '/api/hub/shipment?MaxResultCount=20&Sorting=ShipmentReference'
const stream = '/odata/Shipments?$select=Id,CargoDescription&$orderby=ShipmentReference'
const inOneAnswer = { prefer: 'maxpagesize=1000000' }

describe('the coding of an answer', () => {
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['gzip;q=oops', undefined],
    ['', undefined],
  ])('to a caller that takes "%s" is %s', async (accepted, coding) => {
    const [page, plain] = [await ask(odataPage, { 'accept-encoding': accepted }), await ask(odataPage)]
    expect([page.status, page.headers['content-encoding']]).toEqual([200, coding])
    expect(decoded(page)).toBe(plain.body.toString())
    expect(Number(page.headers['content-length'])).toBe(page.body.length)
    for (const { headers } of [page, plain]) expect(headers.vary).toContain('Accept-Encoding')
  })

  test('is none where nobody asks, and none of what is small', async () => {
    expect((await ask(odataPage)).headers).not.toHaveProperty('content-encoding')
    const small = await ask(smallOdataPage, { 'accept-encoding': 'gzip, br' })
    expect(small.headers).not.toHaveProperty('content-encoding')
    expect(JSON.parse(small.body.toString()).value).toHaveLength(1)
  })

  test('is told by HEAD as by GET, without a body', async () => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => ask(odataPage, { 'accept-encoding': 'br' }, method)),
    )
    expect([head?.status, head?.headers['content-encoding'], head?.body.length]).toEqual([200, 'br', 0])
    expect(get?.headers['content-encoding']).toBe('br')
  })
})

describe('compressed are', () => {
  const everything = { 'accept-encoding': 'gzip, br' }

  test.each([
    ['a REST list', restPage],
    ['texts that are kept', '/api/abp/application-localization?CultureName=en'],
    ['the OpenAPI document', '/swagger/v1/swagger.json'],
    ['the script of the docs UI', '/swagger/swagger-ui-bundle.js'],
    ['the metadata of OData', '/odata/$metadata'],
  ])('%s, the same each time', async (_name, path) => {
    const plain = await ask(path)
    for (const answer of [await ask(path, everything), await ask(path, everything)]) {
      expect([answer.status, answer.headers['content-encoding']]).toEqual([plain.status, 'br'])
      expect(decoded(answer)).toBe(plain.body.toString())
      expect(answer.body.length * 2).toBeLessThan(plain.body.length)
    }
  })

  test('a batch as a whole', async () => {
    const requests = ['1', '2'].map((id) => ({ id, method: 'GET', url: odataPage.slice('/odata/'.length) }))
    const json = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
    const answer = await ask('/odata/$batch', json, 'POST', JSON.stringify({ requests }))
    expect(answer.headers['content-encoding']).toBe('gzip')
    const { responses } = JSON.parse(decoded(answer))
    expect(responses.map(({ body }: { body: { value: unknown[] } }) => body.value.length)).toEqual([50, 50])
  })

  test('rows that are streamed, all of them', async () => {
    for (const coding of ['gzip', 'br']) {
      const answer = await ask(stream, { ...inOneAnswer, 'accept-encoding': coding })
      expect([answer.headers['content-encoding'], answer.headers['transfer-encoding']]).toEqual([
        coding,
        'chunked',
      ])
      const { value } = JSON.parse(decoded(answer))
      expect([value.length, new Set(value.map(({ Id }: { Id: string }) => Id)).size]).toEqual([
        30_000, 30_000,
      ])
    }
  })

  test('files of text, not those that are compressed in themselves', async () => {
    const encodings = await Promise.all(
      ['as-csv-file', 'as-excel-file'].map(
        async (path) => (await ask(`/api/hub/shipment/${path}`, everything)).headers['content-encoding'],
      ),
    )
    expect(encodings).toEqual(['br', undefined])
  })

  test('no answers that tell a secret', async () => {
    const key = JSON.stringify({ name: '€'.repeat(128), description: '€'.repeat(512) })
    const json = { 'content-type': 'application/json', ...everything }
    const created = await ask('/api/api-key-management/api-keys', json, 'POST', key)
    expect([created.status, created.body.length > 2048]).toEqual([200, true])
    expect(created.headers).not.toHaveProperty('content-encoding')
    const listed = await ask('/api/api-key-management/api-keys', everything)
    expect(listed.headers['content-encoding']).toBe('br')
  })
})

test('where it is switched off no answer is compressed', async () => {
  const plain = await startApp(undefined, { 'App:CompressAnswers': 'false' })
  onTestFinished(() => plain.close())
  const caller = await plain.admin()
  for (const path of ['/odata/$metadata', '/swagger/v1/swagger.json', '/api/abp/application-configuration']) {
    const { headers, body } = await ask(path, { 'accept-encoding': 'gzip, br' }, 'GET', undefined, {
      url: plain.host.url,
      token: caller.token,
    })
    expect([path, headers['content-encoding'], body.length > 2048]).toEqual([path, undefined, true])
    expect(body.toString()).toMatch(/^[{<]/)
  }
})

describe('what is known of an answer', () => {
  test.each([
    ['the metadata', '/odata/$metadata'],
    ['the OpenAPI document', '/swagger/v1/swagger.json'],
    ['texts', '/api/abp/application-localization?CultureName=en'],
  ])('%s: one weak tag for all codings', async (_name, path) => {
    const [plain, packed] = [await ask(path), await ask(path, { 'accept-encoding': 'gzip' })]
    const { etag = '' } = packed.headers
    expect([etag.startsWith('W/'), plain.headers.etag]).toEqual([true, etag])
    for (const coding of ['gzip', 'identity']) {
      const again = await ask(path, { 'accept-encoding': coding, 'if-none-match': etag })
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag])
      expect(again.headers).not.toHaveProperty('content-encoding')
      expect(again.headers.vary).toContain('Accept-Encoding')
    }
  })

  test('a file: a weak tag where it is compressed, parts of its own bytes under the strong one', async () => {
    const content = 'a;b\n'.repeat(2000)
    const { id } = await admin.service(DocumentAppService).upload({
      file: new File([content], 'list.csv', { type: 'text/csv' }),
      shipmentId: null,
      organizationId: await addOrganization(app, 'OURS'),
      documentTypeId: codeId('DocumentType', 'CIV'),
    })
    const path = `/api/hub/document/${id}/content`
    const gzip = { 'accept-encoding': 'gzip' }
    const [plain, packed] = [await ask(path), await ask(path, gzip)]
    const { etag: strong = '' } = plain.headers
    expect([strong.startsWith('"'), plain.headers['accept-ranges']]).toEqual([true, 'bytes'])
    expect(packed.headers).toMatchObject({ etag: `W/${strong}`, 'content-encoding': 'gzip' })
    expect(packed.headers).not.toHaveProperty('accept-ranges')
    expect([decoded(packed), packed.body.length < 200]).toEqual([content, true])
    expect((await ask(path, { ...gzip, 'if-none-match': `W/${strong}` })).status).toBe(304)
    const part = await ask(path, { ...gzip, range: 'bytes=0-2', 'if-range': strong })
    expect([part.status, part.body.toString(), part.headers.etag]).toEqual([206, 'a;b', strong])
    const whole = await ask(path, { ...gzip, range: 'bytes=0-2', 'if-range': `W/${strong}` })
    expect([whole.status, decoded(whole)]).toEqual([200, content])
  })
})

describe('a compressed stream', () => {
  /** Begins to read an answer, and stops when so many bytes of it are there. */
  function begin(coding: string, bytes: number): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${admin.token}`, 'accept-encoding': coding, ...inOneAnswer }
      const request = http.get(`${app.host.url}${stream}`, { headers }, (response) => {
        const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip()
        let seen = 0
        response.pipe(decoder).on('data', (chunk: Buffer) => {
          seen += chunk.length
          if (seen < bytes) return
          response.unpipe(decoder)
          response.pause()
          resolve(response)
        })
      })
      request.on('error', reject)
      onTestFinished(() => void request.destroy())
    })
  }

  testOfOneProcess(
    'holds back no rows, takes the database’s as its reader takes them, and lets it go with its reader',
    async () => {
      for (const coding of ['gzip', 'br']) {
        const response = await begin(coding, 10_000)
        await expect.poll(heldConnections).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 500))
        expect([coding, await heldConnections()]).toEqual([coding, 1])
        response.destroy()
        await expect.poll(heldConnections).toBe(0)
      }
    },
  )

  testOfOneProcess(
    'is cut off when nobody takes it',
    async () => {
      const response = await begin('gzip', 10_000)
      response.on('error', () => undefined)
      await expect.poll(heldConnections).toBe(1)
      await expect.poll(heldConnections, { timeout: 40_000, interval: 500 }).toBe(0)
      const broken = new Promise((resolve) => response.once('close', () => resolve(response.complete)))
      response.resume()
      expect(await broken).toBe(false)
    },
    60_000,
  )

  /** Connections that streamed answers have now. */
  async function heldConnections(): Promise<number> {
    const rows = await hubOf(app).query(
      sql`select 1 from pg_stat_activity where xact_start is not null and query like 'fetch %' and datname = current_database()`,
    )
    return rows.length
  }
})
