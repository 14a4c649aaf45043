import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type RequestBytes, requestBytes } from './load.js'
import { type Measured, measureBoth } from './measured.js'
import { hasPgbench, pgbench } from './pgbench.js'
import { children, start, trustIn } from './processes.js'
import { prepareShipments, recordStatements } from './shipments.js'

/** Measures the OData layer: requests per second of a host beside what pgbench gets out of the same statements. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({
  options: {
    shipments: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    // Only operations in whose names this occurs.
    only: { type: 'string', default: '' },
    // A content coding that every request asks for, e.g. gzip.
    coding: { type: 'string', default: '' },
  },
})
const seconds = Number(args.seconds)
const connections = Number(args.connections)

const folder = mkdtempSync(join(tmpdir(), 'keel-bench-'))
const shipments = Number(args.shipments)
const usual = 100_000
const directory = `${root}.keel/bench${shipments === usual ? '' : `-${shipments}`}`
const server = await ensurePostgres({ directory, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const connectionsEnv = await prepareShipments(server, shipments)
  const some = await rows<{ Id: string; ShipmentReference: string }>(
    'bench_hub',
    'select "Id", "ShipmentReference" from "HubShipments" where not "IsDeleted" order by "Id" desc limit 1000',
  )
  const ids = some.map(({ Id }) => Id)
  const [admin] = await rows<{ Id: string }>(
    'bench_default',
    `select "Id" from "AbpUsers" where "UserName" = 'admin'`,
  )
  const port = await nextFreePort(4100)
  // One caller sends everything: no place in a line is to be measured.
  const env = {
    ...connectionsEnv,
    PORT: String(port),
    OData__MaxConcurrency: '100',
    ...trustIn(issuer.address),
  }
  const token = await issuer.token({ subject: admin?.Id ?? '', expiresIn: 86_400 })
  const headers = {
    authorization: `Bearer ${token}`,
    ...(args.coding && { 'accept-encoding': args.coding }),
  }
  const page =
    '$top=50&$orderby=CreationTime%20desc&$expand=FirstConsolLegDeparturePort($select=UnLocode,Name),LastConsolLegArrivalPort($select=UnLocode,Name),TransportMode($select=Code,Name)'
  const firstPage =
    '/odata/Shipments?$top=50&$orderby=CreationTime%20desc&$count=true&$expand=FirstConsolLegDeparturePort,TransportMode'
  const byKey = (turn: number) => `/odata/Shipments(${ids[turn % ids.length]})`
  const byReference = (turn: number) =>
    `/odata/Shipments?$filter=ShipmentReference%20eq%20'${some[turn % some.length]?.ShipmentReference}'&$select=Id,Status`
  const ofPort =
    '($select=Id,UnLocode,Name,CountryCode,IataCode,SubdivisionCode,Latitude,Longitude,TimeZone,IsSeaport,IsAirport)'
  const ports = ['FirstConsolLegDeparturePort', 'LastConsolLegArrivalPort', 'OriginPort', 'DestinationPort']
  const codes = ['TransportMode', 'ContainerMode', 'Incoterm', 'ServiceLevel', 'PackageType']
  const references = [
    ...ports.map((name) => name + ofPort),
    ...codes.map((name) => `${name}($select=Id,Type,Code,Name,Description)`),
    'ControllingCustomer($select=Id,Code,FullName)',
  ]
  const all: Readonly<Record<string, string>> = {
    'REST: list page of 50': '/api/hub/shipment?MaxResultCount=50',
    'page of 50, all that the REST list shows': `/odata/Shipments?$top=50&$count=true&$orderby=CreationTime%20desc&$expand=${references.join()}`,
    'HTTP alone: $metadata, which is kept': '/odata/$metadata',
    'page of 50, 3 expands to one': `/odata/Shipments?${page}`,
    'page of 50, 4 expands, one to many': `/odata/Shipments?${page},Documents($select=Title,FileName;$top=5)`,
    'groupby with count': '/odata/Shipments?$apply=groupby((Status),aggregate($count%20as%20Count))',
    'count with filter': `/odata/Shipments/$count?$filter=Status%20eq%20'InTransit'`,
    'by key': byKey(0),
    'by reference': byReference(0),
    'page of 50 with count and facets': `/odata/Shipments?${page}&$count=true`,
    'first page, 2 expands, count and facets': firstPage,
  }
  const paths = Object.fromEntries(Object.entries(all).filter(([name]) => name.includes(args.only)))
  const facets = { prefer: 'odata.include-annotations="*"' }
  const headersOf = (name: string) => (name.endsWith('facets') ? { ...headers, ...facets } : headers)
  const statements = new Map<string, { text: string; values: readonly unknown[] }>()
  for (const [name, path] of Object.entries(paths)) {
    const file = join(folder, `${statements.size}.jsonl`)
    const sent = await recordStatements(env, port, headersOf(name), [path], file)
    for (const { warm } of sent.values()) statements.set(name, warm)
  }
  const host = await start('test/dist/bench/bench-host.js', env, port)
  const pid = host.pid as number
  const table: Record<string, unknown>[] = []
  for (const [name, path] of Object.entries(paths)) {
    const bytes = requestBytes(port, 'GET', path, headersOf(name))
    const result = await measure(() => bytes, pid)
    const statement = statements.get(name)
    const same =
      hasPgbench && statement
        ? await pgbench(server.urlOf('bench_hub'), statement.text, statement.values, seconds)
        : undefined
    note(name, result, same)
    const others = name === 'by key' ? byKey : name === 'by reference' ? byReference : undefined
    if (!others) continue
    let turn = 0
    const another = () => requestBytes(port, 'GET', others(turn++), headersOf(name))
    note(`${name}, another each time`, await measure(another, pid), same)
  }
  const [one = '', ...others] = differing(page)
  if ('filters and orders'.includes(args.only)) {
    let turn = 0
    const all = [one, ...others].map((path) => requestBytes(port, 'GET', path, headers))
    note('page of 50, 3 expands, the same filter and order', await measure(() => all[0] as string, pid))
    const next = () => all[turn++ % all.length] as string
    note(`page of 50, 3 expands, ${all.length} filters and orders in turn`, await measure(next, pid))
  }
  if (!args.only) {
    const alone = requestBytes(port, 'GET', firstPage, { ...headers, ...facets })
    note('first page …, alone', await measure(() => alone, pid, 1))
    note('first page …, alone, each after a change', await afterChanges(firstPage, { ...headers, ...facets }))
  }
  console.table(table)
  process.stdout.write(
    'Aims: at least 0.6 of pgbench, which throws away what it reads; it sends the statement that the host sends.\n',
  )

  function note(operation: string, result: Measured, same?: number): void {
    // A backend that ended meanwhile took its share with it.
    const whole = (value: number | undefined) => (value && value > 0 ? Math.round(value) : '–')
    table.push({
      operation,
      'req/s': whole(result.requestsPerSecond),
      'p50 ms': Number(result.p50.toFixed(2)),
      'p95 ms': Number(result.p95.toFixed(2)),
      'host CPU µs': whole(result.cpuMicroseconds),
      'PostgreSQL CPU µs': whole(result.databaseMicroseconds),
      bytes: whole(result.bytes),
      '÷ pgbench, same SQL': same ? (result.requestsPerSecond / same).toFixed(2) : '–',
      errors: result.errors,
    })
  }

  function measure(next: RequestBytes, pid: number, places = connections): Promise<Measured> {
    // A host that has just been started still compiles.
    return measureBoth({ port, pid, connections: places, next, seconds, warmUpSeconds: 4 }, directory)
  }

  /** The page after a shipment was written, again and again: count and facets are counted anew. */
  async function afterChanges(path: string, given: Record<string, string>): Promise<Measured> {
    const latencies: number[] = []
    const times = 40
    for (let turn = 0; turn < times; turn++) {
      const id = ids[turn % ids.length]
      await rows('bench_hub', `update "HubShipments" set "TotalPackages" = ${turn} where "Id" = '${id}'`)
      await new Promise((resolve) => setTimeout(resolve, 50))
      const began = performance.now()
      const answer = await fetch(`http://localhost:${port}${path}`, { headers: given })
      await answer.arrayBuffer()
      latencies.push(performance.now() - began)
    }
    latencies.sort((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor(times * share)] ?? 0
    const none = {
      requests: times,
      requestsPerSecond: 0,
      cpuMicroseconds: undefined,
      databaseMicroseconds: undefined,
    }
    return { ...none, p50: at(0.5), p95: at(0.95), p99: at(0.99), bytes: 0, errors: 0 }
  }
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
}
process.exit(0)

/** The paths of a page with 40 filters, which nearly every shipment passes, and with each 40 orders, which an index begins. */
function differing(page: string): string[] {
  const conditions = [
    'TotalPackages ge 0',
    'CreationTime gt 2000-01-01T00:00:00Z',
    `startswith(ShipmentReference,'S')`,
    `ShipmentReference ne 'none'`,
    'not (TotalPackages lt 0)',
    `contains(tolower(ShipmentReference),'s')`,
    'year(CreationTime) gt 2000',
    'length(ShipmentReference) gt 1',
    'TotalPackages add 1 gt 0',
  ]
  const filters = conditions.flatMap((one) =>
    conditions.filter((other) => other !== one).map((other) => `${one} and ${other}`),
  )
  const firsts = ['CreationTime desc', 'CreationTime', 'ShipmentReference desc', 'ShipmentReference']
  const seconds = ['TotalPackages', 'TotalVolume', 'GoodsValue', 'EstimatedDeparture', 'EstimatedArrival']
  const orders = firsts.flatMap((first) =>
    seconds.flatMap((second) => [`${first},${second}`, `${first},${second} desc`]),
  )
  const rest = page.replace(/\$orderby=[^&]*&/, '')
  return filters
    .slice(0, 40)
    .flatMap((filter) =>
      orders.map(
        (order) =>
          `/odata/Shipments?${rest}&$filter=${encodeURIComponent(filter)}&$orderby=${encodeURIComponent(order)}`,
      ),
    )
}

async function rows<R extends pg.QueryResultRow>(database: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}
