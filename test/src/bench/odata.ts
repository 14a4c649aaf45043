import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/framework/data'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { load, requestBytes } from './load.js'
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
  },
})
const seconds = Number(args.seconds)
const connections = Number(args.connections)

const folder = mkdtempSync(join(tmpdir(), 'keel-bench-'))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const connectionsEnv = await prepareShipments(server, Number(args.shipments))
  const [shipment] = await rows<{ Id: string }>(
    'bench_hub',
    'select "Id" from "HubShipments" where not "IsDeleted" order by md5("Id"::text) limit 1',
  )
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
  const headers = { authorization: `Bearer ${token}` }
  const page =
    '$top=50&$orderby=CreationTime%20desc&$expand=FirstConsolLegDeparturePort($select=UnLocode,Name),LastConsolLegArrivalPort($select=UnLocode,Name),TransportMode($select=Code,Name)'
  const paths: Readonly<Record<string, string>> = {
    'page of 50, 3 expands to one': `/odata/Shipments?${page}`,
    'page of 50, 4 expands, one to many': `/odata/Shipments?${page},Documents($select=Title,FileName;$top=5)`,
    'groupby with count': '/odata/Shipments?$apply=groupby((Status),aggregate($count%20as%20Count))',
    'count with filter': `/odata/Shipments/$count?$filter=Status%20eq%20'InTransit'`,
    'by key': `/odata/Shipments(${shipment?.Id})`,
    'page of 50 with count and facets': `/odata/Shipments?${page}&$count=true`,
  }
  const facets = { prefer: 'odata.include-annotations="*"' }
  const headersOf = (name: string) => (name.endsWith('facets') ? { ...headers, ...facets } : headers)
  const statements = new Map<string, { text: string; values: readonly unknown[] }>()
  for (const [name, path] of Object.entries(paths)) {
    const file = join(folder, `${statements.size}.jsonl`)
    const sent = await recordStatements(env, port, headersOf(name), [path], file)
    for (const statement of sent.values()) statements.set(name, statement)
  }
  const host = await start('test/dist/bench/bench-host.js', env, port)
  const table: Record<string, unknown>[] = []
  for (const [name, path] of Object.entries(paths)) {
    const bytes = requestBytes(port, 'GET', path, headersOf(name))
    const result = await load({
      port,
      pid: host.pid as number,
      connections,
      seconds,
      warmUpSeconds: 2,
      next: () => bytes,
    })
    const statement = statements.get(name)
    const same =
      hasPgbench && statement
        ? await pgbench(server.urlOf('bench_hub'), statement.text, statement.values, seconds)
        : undefined
    table.push({
      operation: name,
      'req/s': Math.round(result.requestsPerSecond),
      'p50 ms': Number(result.p50.toFixed(2)),
      'p95 ms': Number(result.p95.toFixed(2)),
      'host CPU µs': result.cpuMicroseconds ? Math.round(result.cpuMicroseconds) : '–',
      bytes: Math.round(result.bytes),
      '÷ pgbench, same SQL': same ? (result.requestsPerSecond / same).toFixed(2) : '–',
      errors: result.errors,
    })
  }
  console.table(table)
  process.stdout.write(
    'Aims: at least 0.6 of pgbench, which throws away what it reads; it sends the statement that the host sends.\n',
  )
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
}
process.exit(0)

async function rows<R extends pg.QueryResultRow>(database: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}
