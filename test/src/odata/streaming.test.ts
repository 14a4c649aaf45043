import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hubOf } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { isLong, sizeOf } from '../support/size.js'

/** More than what sockets hold of an answer that nobody reads. */
const rows = sizeOf(12_000, 1_000_000)

/** What some tests look at: row by row, in one page. */
const few = 12_000
const amongFew = `ShipmentReference le 'S${String(few).padStart(8, '0')}'`

interface Page {
  readonly value: Record<string, unknown>[]
  readonly '@odata.nextLink'?: string
  readonly '@odata.count'?: number
  readonly '@core.facets'?: unknown
}

/** The most rows of a page. */
const longest = rows - 1000

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, {
    'OData:MaxStreamedPage': String(longest),
    'App:MinResponseBytesPerSecond': '0',
    'Database:MinStreamBytesPerSecond': '262144',
  })
  admin = await app.admin()
  for (let from = 1; from <= rows; from += 50_000)
    await hubOf(app).execute(sql`
      insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds", "TotalPackages")
      select gen_random_uuid(), 'S' || lpad(n::text, 8, '0'), n % 3, now(), 'stamp', '{}', n % 7
      from generate_series(${from}::int, ${Math.min(from + 49_999, rows)}::int) n`)
}, 600_000)
afterAll(() => app.close())

function get(path: string, prefer: string, signal?: AbortSignal): Promise<Response> {
  const url = `/odata${path.replace(/^https?:\/\/[^/]+\/odata/, '').replaceAll(' ', '%20')}`
  return admin.fetch(url, { headers: { prefer }, ...(signal && { signal }) })
}

async function read(path: string, prefer = 'maxpagesize=1000000'): Promise<Page> {
  const answer = await get(path, prefer)
  expect([path, answer.status]).toEqual([path, 200])
  return (await answer.json()) as Page
}

async function untilStreams(): Promise<void> {
  for (;;) {
    const answer = await get('/Shipments?$select=Id&$filter=TotalPackages eq 99', 'maxpagesize=5000')
    await answer.text()
    if (answer.status === 200) return
  }
}

/** Counts the rows of a query in a process of its own, so that the memory of this one is the host's. */
async function drain(path: string): Promise<{ rows: number; bytes: number }> {
  const read = `
    let [, link, token] = process.argv
    const found = { rows: 0, bytes: 0 }
    const headers = { authorization: 'Bearer ' + token, prefer: 'maxpagesize=1000000' }
    while (link) {
      let rest = ''
      for await (const chunk of (await fetch(link, { headers })).body) {
        const text = rest + Buffer.from(chunk).toString('latin1')
        const parts = text.split('"Id":')
        found.rows += parts.length - 1
        found.bytes += chunk.length
        // A name that is cut off is counted with the next chunk.
        rest = parts.at(-1).slice(-4000)
      }
      link = /"@odata.nextLink":"([^"]+)"}$/.exec(rest)?.[1]
    }
    console.log(JSON.stringify(found))`
  const script = ['--input-type=module', '-e', read, `${app.host.url}/odata${path}`, admin.token]
  const { stdout } = await promisify(execFile)(process.execPath, script)
  return JSON.parse(stdout)
}

test('an export of all rows is taken as it comes', async () => {
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 50)
  const found = await drain('/Shipments?$expand=OriginPort')
  clearInterval(watch)
  if (isLong)
    console.log(
      `${found.rows} rows, ${(found.bytes / 1e6).toFixed(0)} MB; RSS ${(before / 1e6).toFixed(0)} MB, at most ${((most - before) / 1e6).toFixed(0)} MB more`,
    )
  expect(found.rows).toBe(rows)
}, 600_000)

test('who asks for a page longer than those of the set gets its rows in one answer', async () => {
  const query = '/Shipments?$select=ShipmentReference,TotalPackages&$orderby=ShipmentReference desc'
  const answer = await get(`${query}&$filter=TotalPackages lt 2 and ${amongFew}`, 'odata.maxpagesize=5000')
  expect(answer.headers.get('preference-applied')).toBe('odata.maxpagesize=5000')
  expect(answer.headers.get('transfer-encoding')).toBe('chunked')
  const { value, ...rest } = (await answer.json()) as Page
  expect(rest).toEqual({
    '@odata.context': expect.stringContaining('#Shipments(ShipmentReference,TotalPackages)'),
  })
  const numbers = Array.from({ length: few }, (_, index) => few - index).filter((n) => n % 7 < 2)
  expect(value).toEqual(
    numbers.map((n) => ({ ShipmentReference: `S${String(n).padStart(8, '0')}`, TotalPackages: n % 7 })),
  )
})

test('all rows come once when the longest pages are followed', async () => {
  const seen = new Set<unknown>()
  let link: string | undefined = '/Shipments?$select=Id'
  const pages: number[] = []
  while (link) {
    const page: Page = await read(link)
    pages.push(page.value.length)
    for (const { Id } of page.value) seen.add(Id)
    link = page['@odata.nextLink']
  }
  expect([pages, seen.size]).toEqual([[longest, rows - longest], rows])
})

test('count and facets stand before streamed rows', async () => {
  const prefer = 'maxpagesize=5000,odata.include-annotations="*"'
  const query = `/Shipments?$select=Id&$count=true&$filter=TotalPackages eq 1 and ${amongFew}`
  const streamed = await read(query, prefer)
  const paged = await read(`${query}&$top=1`, prefer)
  expect(streamed['@odata.count']).toBe(streamed.value.length)
  expect(streamed['@core.facets']).toEqual(paged['@core.facets'])
})

test('groups and rows with others inside are streamed as well', async () => {
  const groups = await read(
    '/Shipments?$apply=groupby((TotalPackages),aggregate($count as N))&$orderby=N desc',
  )
  expect(groups.value).toHaveLength(7)
  const expanded = await read('/Shipments?$select=Id&$expand=Documents&$filter=TotalPackages eq 2')
  expect(expanded.value[0]).toEqual({ Id: expect.any(String), Documents: [] })
})

test('a fault before the first row is told as any other', async () => {
  const answer = await get(
    '/Shipments?$compute=1 div (TotalPackages sub TotalPackages) as X',
    'maxpagesize=5000',
  )
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining('division by zero') },
  })
  const missing = await get('/Shipments(00000000-0000-0000-0000-000000000001)/Documents', 'maxpagesize=5000')
  expect(missing.status).toBe(404)
  await untilStreams()
})

testOfOneProcess('one caller has one streamed answer at a time, and leaving it makes room', async () => {
  const gone = new AbortController()
  const unread = await get('/Shipments', 'maxpagesize=1000000', gone.signal)
  expect(unread.status).toBe(200)
  const refused = await get('/Shipments', 'maxpagesize=1000000')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  const other = await (await app.as({ permissions: [...app.permissions.keys()] })).fetch(
    '/odata/Shipments?$select=Id',
    {
      headers: { prefer: 'maxpagesize=5000' },
    },
  )
  expect(((await other.json()) as Page).value).toHaveLength(5000)
  const small = await read('/Shipments?$top=2')
  expect(small.value).toHaveLength(2)
  gone.abort()
  await untilStreams()
})

test('a part of a batch has pages of the usual size', async () => {
  const answer = await admin.fetch('/odata/$batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      requests: [
        { id: '1', method: 'GET', url: 'Shipments?$select=Id', headers: { prefer: 'maxpagesize=5000' } },
      ],
    }),
  })
  const { responses } = (await answer.json()) as { responses: { body: Page }[] }
  expect(responses[0]?.body.value).toHaveLength(1000)
})

testOfOneProcess(
  'who takes a streamed answer too slowly is cut off, and the connection is free',
  async () => {
    const { hostname, port } = new URL(app.host.url)
    const slow = connect({ host: hostname, port: Number(port) })
    const isOver = new Promise((resolve) => slow.once('close', resolve))
    slow.on('error', () => undefined)
    slow.write(
      `GET /odata/Shipments HTTP/1.1\r\nhost: ${hostname}\r\nprefer: maxpagesize=1000000\r\nauthorization: Bearer ${admin.token}\r\n\r\n`,
    )
    // Its head is read, and nothing more.
    await new Promise((resolve) => slow.once('readable', resolve))
    await expect.poll(heldConnections).toBe(1)
    await expect.poll(heldConnections, { timeout: 30_000 }).toBe(0)
    expect(slow.destroyed).toBe(false)
    slow.resume()
    await isOver
    await untilStreams()
  },
  60_000,
)

testOfOneProcess(
  'an export that gets no connection is refused before anything of it is sent',
  async () => {
    const own = await startApp(undefined, { 'Database:MinStreamBytesPerSecond': '1' })
    onTestFinished(() => own.close())
    const held = [1, 2].map(() => hubOf(own).stream(sql`select n::text from generate_series(1, 100000) n`))
    for (const rows of held) await rows.next()
    const refused = await (await own.admin()).fetch('/api/hub/shipment/as-csv-file')
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
    for (const rows of held) await rows.return()
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
