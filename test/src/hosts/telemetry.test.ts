import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { Connection } from 'rabbitmq-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { noBroker, startBroker } from '../events/broker.js'
import { type HostProcess, startApiProcess, startWorkingProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'

let databases: DatabaseCopies
let issuer: TokenIssuer
let token: string
let adminId: string

beforeAll(async () => {
  databases = await copyDatabases()
  issuer = await TokenIssuer.start()
  const client = new pg.Client({ connectionString: databases.env.ConnectionStrings__Default })
  await client.connect()
  adminId = (await client.query(`select "Id" from "AbpUsers" where "UserName" = 'admin'`)).rows[0].Id
  await client.end()
  token = await issuer.token({ subject: adminId })
})
afterAll(async () => {
  await issuer?.stop()
  await databases?.drop()
})

function start(env: Readonly<Record<string, string>>, startHost = startApiProcess): HostProcess {
  const host = startHost({
    ...databases.env,
    AuthServer__Authority: issuer.address,
    AuthServer__RequireHttpsMetadata: 'false',
    ...env,
  })
  onTestFinished(async () => {
    host.child.kill('SIGKILL')
    await host.exitCode
  })
  return host
}

interface TracedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** What takes telemetry in the place of OpenTelemetry's collector. */
async function startCollector() {
  const spans: TracedSpan[] = []
  const paths = new Set<string>()
  const server = http.createServer(async (request, response) => {
    paths.add(request.url ?? '')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { resourceSpans = [] } = JSON.parse(Buffer.concat(chunks).toString())
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { spans, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const attributeOf = ({ attributes }: TracedSpan, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0]

const [traceId, callerSpan] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const traceparent = `00-${traceId}-${callerSpan}-01`

test('a request is traced from its caller’s span down to its statements, and its log line names the trace', async () => {
  const collector = await startCollector()
  const host = start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    Log__Requests: 'true',
  })
  const url = await host.url
  const answer = await fetch(`${url}/api/hub/shipment?MaxResultCount=1`, {
    headers: { authorization: `Bearer ${token}`, traceparent },
  })
  expect(answer.status).toBe(200)
  const ours = () => collector.spans.filter((span) => span.traceId === traceId)
  await expect
    .poll(() => ours().some((span) => span.parentSpanId === callerSpan), { timeout: 20_000 })
    .toBe(true)
  const top = ours().find((span) => span.parentSpanId === callerSpan) as TracedSpan
  expect(top.name).toBe('GET /api/hub/shipment')
  expect(attributeOf(top, 'http.response.status_code')).toBe(200)
  expect(attributeOf(top, 'url.path')).toBe('/api/hub/shipment')
  expect(attributeOf(top, 'enduser.id')).toBe(adminId)
  const statements = ours().filter((span) => span.parentSpanId === top.spanId)
  expect(statements.map((span) => attributeOf(span, 'db.namespace'))).toContain('Hub')
  expect(statements.map((span) => attributeOf(span, 'db.query.text'))).toContainEqual(
    expect.stringContaining('from "HubShipments"'),
  )
  await expect.poll(() => collector.paths.has('/v1/metrics'), { timeout: 20_000 }).toBe(true)
  const line = host
    .said()
    .split('\n')
    .find((one) => one.includes('"msg":"request"') && one.includes('/api/hub/shipment'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId, userId: adminId, status: 200 })
})

test('what the host writes is traced too, without the values', async () => {
  const collector = await startCollector()
  const host = start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const answer = await fetch(`${await host.url}/api/hub/shipment`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ shipmentReference: 'Traced-Reference-1' }),
  })
  expect(answer.status).toBe(200)
  await expect
    .poll(() => collector.spans.map((span) => String(attributeOf(span, 'db.query.text'))), {
      timeout: 20_000,
    })
    .toContainEqual(expect.stringMatching(/^INSERT INTO "HubShipments"/i))
  expect(JSON.stringify(collector.spans)).not.toContain('Traced-Reference-1')
})

test('a job and an event stand in the trace of the request that caused them, and so do their log lines', async () => {
  const collector = await startCollector()
  const host = start(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      Log__Level: 'debug',
    },
    startWorkingProcess,
  )
  const url = await host.url
  const answer = await fetch(`${url}/api/work/task`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ text: 'much' }),
  })
  expect(answer.ok).toBe(true)
  const ours = () => collector.spans.filter((span) => span.traceId === traceId)
  const names = ['event Work.Event', 'job Work.Job']
  await expect
    .poll(
      () =>
        ours()
          .flatMap(({ name }) => (names.includes(name) ? [name] : []))
          .sort(),
      { timeout: 20_000 },
    )
    .toEqual(names)
  const top = ours().find((span) => span.parentSpanId === callerSpan)
  for (const span of ours().filter(({ name }) => names.includes(name)))
    expect(span.parentSpanId).toBe(top?.spanId)
  const lines = host
    .said()
    .split('\n')
    .filter((line) => /"msg":"(worked|heard)"/.test(line))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map((line) => line.traceId)).toEqual([traceId, traceId])
  await expect
    .poll(() => metricsOf(url), { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining([
        'keel_jobs_started_total Work.Job 1',
        'keel_jobs_duration_count Work.Job completed 1',
        'keel_outbox_dispatched_total Default 1',
        'keel_inbox_duration_count Work.Worker.hear handled 1',
        'keel_outbox_pending Default 0',
        'keel_inbox_pending Default 0',
        'keel_inbox_dead_letters Default 0',
        'keel_jobs_count abandoned 0',
      ]),
    )
})

test.skipIf(noBroker)(
  `an event goes through RabbitMQ with its trace, and one that another service sent is handled in that service’s${noBroker ? ` (${noBroker})` : ''}`,
  async () => {
    const broker = await startBroker()
    onTestFinished(() => broker.stop())
    const collector = await startCollector()
    const host = start(
      {
        ...broker.env,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/traces`,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
      startWorkingProcess,
    )
    const url = await host.url
    const other = new Connection(
      `amqp://guest:guest@127.0.0.1:${broker.env.RabbitMQ__Connections__Default__Port}`,
    )
    onTestFinished(() => other.close())
    const heard: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] = []
    const exchange = 'Keel.Events'
    const listener = other.createConsumer(
      {
        queue: 'listener',
        exchanges: [{ exchange, type: 'direct', durable: true }],
        queueBindings: [{ exchange, routingKey: 'Work.Event' }],
      },
      async ({ headers = {}, body }) => void heard.push({ headers, body: String(body) }),
    )
    onTestFinished(() => listener.close())
    await once(listener, 'ready')
    // What is sent before the host has bound its queue it does not hear.
    const consumers = () =>
      other.queueDeclare({ queue: 'WorkingHost', passive: true }).then(
        ({ consumerCount }) => consumerCount,
        () => 0,
      )
    await expect.poll(consumers, { timeout: 20_000 }).toBeGreaterThan(0)
    const answer = await fetch(`${url}/api/work/task`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ text: 'through the broker' }),
    })
    expect(answer.ok).toBe(true)
    await expect.poll(() => heard, { timeout: 20_000 }).toHaveLength(1)
    expect(heard[0]?.body).toContain('through the broker')
    expect(heard[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))

    const [foreignTrace, foreignSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const publisher = other.createPublisher({ confirm: true })
    await publisher.send(
      {
        exchange,
        routingKey: 'Work.Event',
        messageId: randomUUID(),
        headers: { traceparent: `00-${foreignTrace}-${foreignSpan}-01` },
      },
      { text: 'from elsewhere' },
    )
    await publisher.close()
    const handled = () =>
      collector.spans
        .filter(({ name }) => name === 'event Work.Event')
        .map((span) => ({ traceId: span.traceId, parentSpanId: span.parentSpanId }))
    await expect
      .poll(handled, { timeout: 20_000 })
      .toContainEqual({ traceId: foreignTrace, parentSpanId: foreignSpan })
    await expect
      .poll(handled, { timeout: 20_000 })
      .toContainEqual({ traceId, parentSpanId: String(heard[0]?.headers.traceparent).split('-')[2] })
  },
  60_000,
)

/** The metrics of this product as lines of their name, the values of their labels and their value. */
async function metricsOf(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(keel_\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (!name || /_bucket$/.test(name)) return []
    const values = [...labels.matchAll(/(keel_\w+)="([^"]*)"/g)].map(([, , found]) => found)
    return [[name, ...values, value].join(' ')]
  })
}

test('metrics tell durations by route and state of the pools, to those who know the token', async () => {
  const host = start({ OTEL_METRICS_EXPORTER: 'prometheus', Telemetry__MetricsToken: 'only-for-the-scraper' })
  const url = await host.url
  await fetch(`${url}/api/hub/shipment?MaxResultCount=1`, { headers: { authorization: `Bearer ${token}` } })
  await fetch(`${url}/api/hub/shipment/${adminId}`, { headers: { authorization: `Bearer ${token}` } })
  expect((await fetch(`${url}/metrics`)).status).toBe(401)
  expect((await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  const scraped = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer only-for-the-scraper' } })
  const text = await scraped.text()
  expect(scraped.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(text).toMatch(
    /http_server_request_duration_count\{[^}]*http_route="\/api\/hub\/shipment"[^}]*\} 1|http_server_request_duration_seconds_count\{[^}]*http_route="\/api\/hub\/shipment"[^}]*\} 1/,
  )
  expect(text).toContain('http_route="/api/hub/shipment/{id}"')
  expect(text).toMatch(/db_client_connection_count\{[^}]*pool_name="Hub"[^}]*state="idle"/)
  expect(text).toMatch(/process_memory_usage[^ ]* \d{7,}/)
})

/** An address of this machine that others could reach it by; undefined without a network. */
const outwardAddress = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === 'IPv4' && !found.internal)?.address

test('without a token metrics are for this machine alone, not for what comes through a proxy on it', async () => {
  const host = start({ OTEL_METRICS_EXPORTER: 'prometheus' })
  const { port } = new URL(await host.url)
  const statusOf = async (address: string, headers = {}) =>
    (await fetch(`http://${address}:${port}/metrics`, { headers })).status
  expect(await statusOf('127.0.0.1')).toBe(200)
  expect(await statusOf('[::1]')).toBe(200)
  for (const header of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP'])
    expect([header, await statusOf('127.0.0.1', { [header]: '127.0.0.1' })]).toEqual([header, 401])
  if (outwardAddress) expect(await statusOf(outwardAddress)).toBe(401)
})

test('metrics are for everybody where the configuration says so', async () => {
  const host = start({ OTEL_METRICS_EXPORTER: 'prometheus', Telemetry__IsMetricsPublic: 'true' })
  const headers = { 'X-Forwarded-For': '203.0.113.7' }
  expect((await fetch(`${await host.url}/metrics`, { headers })).status).toBe(200)
})

test('without being asked the host keeps no metrics', async () => {
  const host = start({})
  const answer = await fetch(`${await host.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(404)
})

test.each([
  ['OTEL_METRICS_EXPORTER', 'statsd'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
])('%s of %s stops the start and says what there is', async (name, value) => {
  const host = start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', [name]: value })
  expect(await host.exitCode).not.toBe(0)
  expect(host.said()).toContain(name)
})
