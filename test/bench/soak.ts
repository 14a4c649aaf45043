import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ReauthenticationAppService } from '@keel/account/contracts'
import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createClient } from '@keel/framework/client'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import type { MemoryReport } from '../src/support/working-host.js'
import { databaseNames, trustIn } from './processes.js'
import { prepareShipments } from './shipments.js'

/**
 * An API host for half an hour under a mixed load of a share of what it can do: `--minutes 30 --load 0.7`. It ends with 0 when the memory
 * of its last minute is that of its fifth, within the tolerance below, and every request was answered as it should be.
 */
const { values: args } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    load: { type: 'string', default: '0.7' },
    // More than the host keeps as JSON.
    shipments: { type: 'string', default: '50000' },
    connections: { type: 'string', default: '32' },
  },
})
const minutes = Number(args.minutes)
const connections = Number(args.connections)
/** The minute whose memory is compared; in a short trial one that comes earlier. */
const reference = Math.min(5, Math.ceil(minutes / 3))
/** What may come on top: what JavaScript holds is measured after a collection, resident memory has what the allocator keeps besides. */
const tolerance = { held: { share: 0.03, megabytes: 3 }, resident: { share: 0.05, megabytes: 12 } }

/** The share of the requests that may be left out because the host is behind. */
const mostLeft = 0.01

/** A request with the status that it should be answered with. */
interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: object
  /** Told of the answer, where a later request depends on it. */
  readonly answered?: (body: Shipment) => void
}
interface Shipment {
  readonly id: string
  readonly shipmentReference: string
  readonly concurrencyStamp: string
}
interface Minute extends MemoryReport {
  readonly minute: number
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly faults: number
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const seen = { latencies: [] as number[], faults: new Map<string, number>() }
let host: ChildProcess | undefined
let isSteady = false
let left = 0
try {
  const env = { ...(await prepareShipments(server, Number(args.shipments))), ...trustIn(issuer.address) }
  const port = await nextFreePort(4600)
  host = await startHost(env, port)
  const next = await mixedCalls(port)
  const send = (): Promise<void> => call(port, next())
  await fillCaches(port)
  await closedLoop(send, 10)
  const most = await closedLoop(send, 20)
  const rate = most * Number(args.load)
  process.stdout.write(
    `At most ${most.toFixed(0)} requests/s; from here on ${rate.toFixed(0)} for ${minutes} min.\n`,
  )
  seen.faults.clear()
  const history = await soak(host, send, rate)
  isSteady = verdict(history)
} finally {
  host?.kill('SIGTERM')
  if (host) await once(host, 'exit')
  agent.destroy()
  await issuer.stop()
  await server.stop()
}
process.exit(isSteady ? 0 : 1)

async function startHost(env: Record<string, string>, port: number): Promise<ChildProcess> {
  const program = `${root}test/dist/src/support/working-host.js`
  const child = spawn(process.execPath, ['--expose-gc', program], {
    env: {
      KEEL_ENVIRONMENT: 'Development',
      ...process.env,
      ...env,
      PORT: String(port),
      Log__Requests: 'false',
      Log__Level: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}`)
    const ready = await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined)
    if (ready?.ok) return child
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Reads every shipment once: what the host keeps of rows is bounded, and must not be taken for growth while it fills. */
async function fillCaches(port: number): Promise<void> {
  const accessToken = await issuer.token({ subject: await adminId(), expiresIn: 3600 })
  const page = 1000
  for (let skip = 0; skip < Number(args.shipments); skip += page) {
    const headers = { authorization: `Bearer ${accessToken}` }
    const path = `/api/hub/shipment?MaxResultCount=${page}&SkipCount=${skip}`
    await call(port, { method: 'GET', path, headers })
  }
}

/** What comes next, in a mix like that of a working day: mostly reads, and every kind of caller. */
async function mixedCalls(port: number): Promise<() => Call> {
  const baseUrl = `http://localhost:${port}`
  const [subject, ids] = [await adminId(), await shipmentIds()]
  const newToken = (): Promise<string> => issuer.token({ subject, expiresIn: 86_400 })
  let token = await newToken()
  const caller = { baseUrl, accessToken: () => token }
  await createClient(ReauthenticationAppService, caller).prove({ password: '1q2w3E*' })
  const keys = createClient(ApiKeyAppService, caller)
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, index) => keys.create({ name: `Soak ${index} ${randomUUID()}` })),
  )
  const fresh: Shipment[] = []
  let turn = 0
  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` })
  const byKey = (): Record<string, string> => ({ 'x-api-key': made[turn % made.length]?.key ?? '' })
  const read = (path: string, headers = bearer()): Call => ({ method: 'GET', path, headers })
  const keep = (shipment: Shipment): void => void fresh.push(shipment)

  const mix: (() => Call)[] = [
    () => read(`/api/hub/shipment?MaxResultCount=20&SkipCount=${(turn % 50) * 20}`),
    () => read(`/api/hub/shipment/${ids[turn % ids.length]}`),
    () => read(`/api/hub/shipment/${ids[(turn * 7) % ids.length]}`, byKey()),
    () =>
      read(
        `/odata/Shipments?$top=20&$skip=${turn % 200}&$select=Id,ShipmentReference&$orderby=CreationTime desc`,
      ),
    () =>
      read(
        `/odata/Shipments?$filter=contains(ShipmentReference,'${turn % 1000}')&$top=10&$count=true`,
        byKey(),
      ),
    () => read('/api/abp/application-configuration'),
    () => read(`/api/hub/port?Filter=${'abcdefghij'[turn % 10]}&MaxResultCount=10`),
    () => read('/api/hub/shipment/upcoming-shipments?MaxResultCount=20', byKey()),
    () => create(),
    () => update() ?? create(),
    () => ({
      method: 'POST',
      path: '/api/work/task',
      headers: bearer(),
      body: { text: `work ${turn}` },
    }),
  ]
  return () => {
    turn += 1
    // Everybody comes with a new token now and then.
    if (turn % 2000 === 0) void newToken().then((made) => (token = made))
    return (mix[turn % mix.length] as () => Call)()
  }

  function create(): Call {
    const body = {
      shipmentReference: `B-${randomUUID()}`,
      totalPackages: turn % 9,
      cargoDescription: 'Soaked',
    }
    return { method: 'POST', path: '/api/hub/shipment', headers: bearer(), body, answered: keep }
  }

  function update(): Call | undefined {
    const shipment = fresh.shift()
    if (!shipment) return undefined
    // Now and then one goes again, so that they do not pile up here.
    const isLast = fresh.length > 500
    const path = `/api/hub/shipment/${shipment.id}`
    if (isLast) return { method: 'DELETE', path, headers: bearer() }
    const body = { ...shipment, cargoDescription: `Soaked in turn ${turn}` }
    return { method: 'PUT', path, headers: bearer(), body, answered: keep }
  }
}

function call(port: number, { method, path, headers, body, answered }: Call): Promise<void> {
  const began = performance.now()
  const text = body && JSON.stringify(body)
  return new Promise((resolve) => {
    const end = (fault?: string): void => {
      seen.latencies.push(performance.now() - began)
      if (fault) seen.faults.set(fault, (seen.faults.get(fault) ?? 0) + 1)
      resolve()
    }
    const sent = request(
      {
        agent,
        port,
        method,
        path: encodeURI(path),
        headers: {
          ...headers,
          ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => answered && chunks.push(chunk))
        response.on('error', (error) => end(error.message))
        response.on('end', () => {
          const { statusCode = 0 } = response
          if (statusCode >= 300)
            return end(`${method} ${path.split(/[?(]/)[0]?.replace(/[0-9a-f-]{36}/, '{id}')} ${statusCode}`)
          answered?.(JSON.parse(Buffer.concat(chunks).toString()) as Shipment)
          end()
        })
      },
    )
    sent.on('error', (error) => end(error.message))
    sent.end(text)
  })
}

/** As fast as the answers come; answers how many came in a second. */
async function closedLoop(send: () => Promise<void>, seconds: number): Promise<number> {
  seen.latencies = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await send()
    }),
  )
  return seen.latencies.length / seconds
}

/** At a steady pace, whatever the answers take, with a look at the memory each minute. */
async function soak(child: ChildProcess, send: () => Promise<void>, rate: number): Promise<Minute[]> {
  const history: Minute[] = []
  seen.latencies = []
  const began = performance.now()
  let started = 0
  let open = 0
  const pace = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * rate)
    // What would pile up here while the host is behind is left out.
    for (; started < due; started += 1) {
      if (open > 20 * connections) {
        left += 1
        continue
      }
      open += 1
      void send().finally(() => (open -= 1))
    }
  }, 5)
  for (let minute = 1; minute <= minutes; minute += 1) {
    await new Promise((resolve) => setTimeout(resolve, began + minute * 60_000 - performance.now()))
    const sorted = Float64Array.from(seen.latencies).sort()
    seen.latencies = []
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
    const faults = [...seen.faults.values()].reduce((sum, count) => sum + count, 0)
    const entry = {
      minute,
      requests: sorted.length,
      p50: at(0.5),
      p99: at(0.99),
      faults,
      ...(await memoryOf(child)),
    }
    history.push(entry)
    process.stdout.write(`${line(entry)}\n`)
  }
  clearInterval(pace)
  return history
}

function line({
  minute,
  requests,
  p50,
  p99,
  faults,
  residentMegabytes,
  heapMegabytes,
  externalMegabytes,
  jobs,
  events,
}: Minute): string {
  return `minute ${minute}: ${(requests / 60).toFixed(0)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, ${jobs} jobs, ${events} events, resident ${residentMegabytes.toFixed(1)} MB, heap ${heapMegabytes.toFixed(1)} MB + ${externalMegabytes.toFixed(1)} MB outside, ${faults} faults`
}

async function memoryOf(child: ChildProcess): Promise<MemoryReport> {
  child.send('memory')
  const [report] = (await once(child, 'message')) as [MemoryReport]
  return report
}

function verdict(history: readonly Minute[]): boolean {
  const before = history[reference - 1] as Minute
  const after = history.at(-1) as Minute
  const kinds = {
    held: ({ heapMegabytes, externalMegabytes }: Minute) => heapMegabytes + externalMegabytes,
    resident: ({ residentMegabytes }: Minute) => residentMegabytes,
  }
  const grew = (['held', 'resident'] as const).map((kind) => {
    const { share, megabytes } = tolerance[kind]
    const [was, is] = [kinds[kind](before), kinds[kind](after)]
    const most = was + Math.max(was * share, megabytes)
    process.stdout.write(
      `${kind}: ${was.toFixed(1)} MB in minute ${reference}, ${is.toFixed(1)} MB in minute ${after.minute}; ${most.toFixed(1)} MB would be allowed\n`,
    )
    return is > most
  })
  for (const [fault, count] of seen.faults) process.stdout.write(`${count} × ${fault}\n`)
  const sent = history.reduce((sum, { requests }) => sum + requests, 0)
  process.stdout.write(`${left} of ${sent + left} requests were left out while the host was behind\n`)
  const isFine = !grew.includes(true) && seen.faults.size === 0 && left < sent * mostLeft
  process.stdout.write(isFine ? 'The memory is steady.\n' : 'The memory is NOT steady, or requests failed.\n')
  return isFine
}

async function adminId(): Promise<string> {
  return (await column('Default', `select "Id" as value from "AbpUsers" where "UserName" = 'admin'`))[0] ?? ''
}

function shipmentIds(): Promise<string[]> {
  return column(
    'Hub',
    `select "Id" as value from "HubShipments" where not "IsDeleted" order by md5("Id"::text) limit 2000`,
  )
}

async function column(database: keyof typeof databaseNames, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames[database]) })
  await client.connect()
  try {
    return (await client.query<{ value: string }>(text)).rows.map(({ value }) => value)
  } finally {
    await client.end()
  }
}
