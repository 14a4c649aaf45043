import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type Called, creation, type FrequentRequest, getById } from './frequent-requests.js'
import { type LoadResult, load, requestBytes } from './load.js'
import { hasPgbench, pgbench } from './pgbench.js'
import { children, start, trustIn } from './processes.js'
import { fetchBytes, prepareShipments, recordStatements } from './shipments.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({
  options: {
    shipments: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
  },
})
const seconds = Number(args.seconds)
const connections = Number(args.connections)

/** The best single statement we know for a page with the port and mode names in the rows: the page first, then its joins, flat. */
const flatJoin = `
  select s.*, d."UnLocode", d."Name", d."CountryCode", a."UnLocode", a."Name", a."CountryCode", m."Code", m."Name", c."Code", c."Name"
  from (select * from "HubShipments" where "IsDeleted" = false order by "CreationTime" desc, "Id" limit 50) s
  left join "HubPorts" d on d."Id" = s."FirstConsolLegDeparturePortId"
  left join "HubPorts" a on a."Id" = s."LastConsolLegArrivalPortId"
  left join "HubCodeEntities" m on m."Id" = s."TransportModeId"
  left join "HubCodeEntities" c on c."Id" = s."ContainerModeId"
  order by s."CreationTime" desc, s."Id"`

/** A row like the one that `create` adds, with an id of PostgreSQL's own. */
const insertSql = `insert into "HubShipments" ("Id", "ShipmentReference", "TotalPackages", "CargoDescription", "CreationTime", "ConcurrencyStamp")
  values (gen_random_uuid(), 'B-' || gen_random_uuid(), 3, 'Benchmark', now(), 'x')`

interface Row {
  readonly operation: string
  readonly result: LoadResult
  readonly express?: LoadResult
  readonly node?: LoadResult
  /** Transactions per second of our own statement, and of the best other statement for the same. */
  readonly sameSql?: number
  readonly bestSql?: number
}

const folder = mkdtempSync(join(tmpdir(), 'keel-bench-'))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const connectionsEnv = await prepareShipments(server, Number(args.shipments))
  const hub = new pg.Client({ connectionString: server.urlOf('bench_hub') })
  await hub.connect()
  const ids = (
    await hub.query<{ Id: string }>(
      'select "Id" from "HubShipments" where "IsDeleted" = false order by md5("Id"::text) limit 2000',
    )
  ).rows.map(({ Id }) => Id)
  const identity = new pg.Client({ connectionString: server.urlOf('bench_default') })
  await identity.connect()
  const admin =
    (await identity.query<{ Id: string }>(`select "Id" from "AbpUsers" where "UserName" = 'admin'`)).rows[0]
      ?.Id ?? ''
  await identity.end()
  await hub.end()

  const port = await nextFreePort(4100)
  const env = {
    ...connectionsEnv,
    PORT: String(port),
    ...trustIn(issuer.address),
  }
  const headers = { authorization: `Bearer ${await issuer.token({ subject: admin, expiresIn: 86_400 })}` }
  const paths = {
    echo: '/api/bench/echo/echo',
    page: '/api/hub/shipment?MaxResultCount=50',
    get: `/api/hub/shipment/${ids[0]}`,
    upcoming: '/api/hub/shipment/upcoming-shipments?MaxResultCount=50',
    configuration: '/api/abp/application-configuration?includeLocalizationResources=false',
  }

  const statements = await recordStatements(
    env,
    port,
    headers,
    Object.values(paths),
    join(folder, 'statements.jsonl'),
  )
  const startedAt = performance.now()
  const host = await start('test/dist/bench/bench-host.js', env, port)
  const readyMs = performance.now() - startedAt
  const pageBytes = await fetchBytes(port, paths.page, headers)
  const expressPort = await nextFreePort(4200)
  writeFileSync(join(folder, 'page.json'), pageBytes)
  const express = await startBaseline('express', expressPort, join(folder, 'page.json'))
  const nodePort = await nextFreePort(4300)
  const node = await startBaseline('node', nodePort)

  const measure = (target: number, pid: number, next: () => string) =>
    load({ port: target, pid, connections, seconds, warmUpSeconds: 2, next })
  const ours = (path: string) => {
    const bytes = requestBytes(port, 'GET', path, headers)
    return measure(port, host.pid as number, () => bytes)
  }
  const theirs = (path: string, target = expressPort, { pid } = express) => {
    const bytes = requestBytes(target, 'GET', path, headers)
    return measure(target, pid as number, () => bytes)
  }
  const sqlOf = async (path: string) => {
    const statement = statements.get(path)?.warm
    return hasPgbench && statement
      ? pgbench(server.urlOf('bench_hub'), statement.text, statement.values, seconds)
      : undefined
  }

  const rows: Row[] = []
  const note = (row: Row) => {
    rows.push(row)
    process.stdout.write(`  ${row.operation}\n`)
  }
  process.stdout.write('Measured:\n')
  note({
    operation: 'trivial operation of 300, authenticated',
    ...(await takeTurns({
      result: () => ours(paths.echo),
      express: () => theirs('/echo'),
      node: () => theirs('/echo', nodePort, node),
    })),
  })
  note({ operation: 'application configuration', result: await ours(paths.configuration) })
  note({
    operation: 'list page of 50',
    result: await ours(paths.page),
    express: await theirs('/bytes'),
    ...orNothing('sameSql', await sqlOf(paths.page)),
    ...orNothing(
      'bestSql',
      hasPgbench ? await pgbench(server.urlOf('bench_hub'), flatJoin, [], seconds) : undefined,
    ),
  })
  const called: Called = { port, headers, ids }
  const frequent = ({ next }: FrequentRequest) => measure(port, host.pid as number, next(called))
  note({
    operation: 'get by id',
    result: await frequent(getById),
    ...orNothing('sameSql', await sqlOf(paths.get)),
  })
  note({
    operation: 'upcoming, page of 50',
    result: await ours(paths.upcoming),
    ...orNothing('sameSql', await sqlOf(paths.upcoming)),
  })
  note({
    operation: 'create',
    result: await frequent(creation),
    ...orNothing(
      'sameSql',
      hasPgbench ? await pgbench(server.urlOf('bench_hub'), insertSql, [], seconds) : undefined,
    ),
  })

  report(rows, readyMs)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
}
process.exit(0)

/** Five measurements of each, in turns, so that a neighbour's noise falls on all of them: of each the one in the middle. */
async function takeTurns<K extends string>(
  servers: Record<K, () => Promise<LoadResult>>,
): Promise<Record<K, LoadResult>> {
  const seen = new Map<string, LoadResult[]>()
  for (let turn = 0; turn < 5; turn++)
    for (const [name, measure] of Object.entries<() => Promise<LoadResult>>(servers))
      seen.set(name, [...(seen.get(name) ?? []), await measure()])
  const middle = (results: LoadResult[]) =>
    results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[2] as LoadResult
  return Object.fromEntries([...seen].map(([name, results]) => [name, middle(results)])) as Record<
    K,
    LoadResult
  >
}

async function startBaseline(name: string, port: number, ...others: string[]): Promise<ChildProcess> {
  const program = `${root}test/dist/bench/${name}-baseline.js`
  const child = spawn(process.execPath, [program, String(port), ...others], {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

function orNothing<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, number>)
}

function report(rows: readonly Row[], readyMs: number): void {
  const ratio = (ours: number, other: number | undefined) => (other ? (ours / other).toFixed(2) : '–')
  const table = rows.map(({ operation, result, express, node, sameSql, bestSql }) => ({
    operation,
    'req/s': Math.round(result.requestsPerSecond),
    'p50 ms': Number(result.p50.toFixed(2)),
    'p95 ms': Number(result.p95.toFixed(2)),
    'p99 ms': Number(result.p99.toFixed(2)),
    'host CPU µs': result.cpuMicroseconds ? Math.round(result.cpuMicroseconds) : '–',
    bytes: Math.round(result.bytes),
    '÷ Express 4': ratio(result.requestsPerSecond, express?.requestsPerSecond),
    '÷ node:http': ratio(result.requestsPerSecond, node?.requestsPerSecond),
    '÷ pgbench, same SQL': ratio(result.requestsPerSecond, sameSql),
    '÷ pgbench, flat join': ratio(result.requestsPerSecond, bestSql),
    errors: result.errors,
  }))
  console.table(table)
  process.stdout.write(
    `API host ready after ${Math.round(readyMs)} ms. ${hasPgbench ? '' : 'pgbench is not installed: no comparison with it.\n'}\n`,
  )
  process.stdout.write(`÷ Express 4: a stock Express 4 application with as many routes that sends the same bytes (the trivial operation: an equally small object), without
authentication. ÷ node:http: Node's own server that does nothing else. Aims: at least 2 and 0.5; application configuration p95 below 30 ms.
÷ pgbench, same SQL: the statement that the host itself sends when it is warm, by 10 clients that throw the rows away. For a page of rows that
  it has written before that is only their ids and versions; "create" is compared with a bare insert.
÷ pgbench, flat join: the best single statement we know that gives a page with ports and modes.
`)
  const file = `${root}bench-results.json`
  writeFileSync(
    file,
    `${JSON.stringify({ date: new Date().toISOString(), shipments: Number(args.shipments), connections, seconds, readyMs, rows }, null, 2)}\n`,
  )
  process.stdout.write(`Written to ${file}\n`)
}
