import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/framework/data'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type LoadResult, load, requestBytes } from './load.js'
import { children, databaseNames, prepareSchemas, start, trustIn } from './processes.js'

/** What auditing costs writes: two API hosts, one without it, create shipments in turns. */
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    turns: { type: 'string', default: '15' },
    warm: { type: 'string', default: '6' },
    connections: { type: 'string', default: '32' },
  },
})
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const [postmaster] = readFileSync(`${root}.keel/bench/postgres/postmaster.pid`, 'utf8').split('\n')
const issuer = await TokenIssuer.start()

interface Host {
  readonly port: number
  readonly pid: number
  readonly turns: Turn[]
}

/** A turn of a host, with the CPU time of its database per request in µs. */
interface Turn extends LoadResult {
  readonly databaseMicroseconds: number
}

let written = 0
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const headers = { authorization: `Bearer ${await issuer.token({ subject: await adminId() })}` }
  const on = await startHost({ ...env, Auditing__IsEnabled: 'true' })
  const off = await startHost({ ...env, Auditing__IsEnabled: 'false' })
  await query('Default', 'vacuum analyze')
  await query('Hub', 'vacuum analyze')
  for (const host of [on, off]) await create(host, headers, Number(args.warm))
  const before = await countLogs()
  for (let turn = 0; turn < Number(args.turns); turn += 1)
    for (const host of turn % 2 ? [on, off] : [off, on])
      host.turns.push(await create(host, headers, Number(args.seconds)))
  const kept = (await countLogs()) - before
  report(on, off, kept)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(0)

async function startHost(env: Record<string, string>): Promise<Host> {
  const port = await nextFreePort(4500)
  const { pid } = await start('hosts/api/dist/main.js', { ...env, PORT: String(port) }, port)
  return { port, pid: pid as number, turns: [] }
}

async function create({ port, pid }: Host, headers: Record<string, string>, seconds: number): Promise<Turn> {
  const prefix = `B-${randomUUID().slice(0, 8)}`
  const next = (): string => {
    const shipmentReference = `${prefix}-${String(written++).padStart(8, '0')}`
    const body = { shipmentReference, totalPackages: 3, cargoDescription: 'Benchmark' }
    return requestBytes(port, 'POST', '/api/hub/shipment', headers, JSON.stringify(body))
  }
  const before = databaseCpuSeconds()
  const result = await load({
    port,
    pid,
    connections: Number(args.connections),
    seconds,
    warmUpSeconds: 0,
    next,
  })
  // What a host has not written yet belongs to its turn.
  await new Promise((resolve) => setTimeout(resolve, 700))
  const count = result.requestsPerSecond * seconds
  return { ...result, databaseMicroseconds: ((databaseCpuSeconds() - before) * 1e6) / count }
}

/** User and system time of all processes of the server, those that ended included, from Linux' /proc. */
function databaseCpuSeconds(): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      if (pid === postmaster) ticks += Number(fields[13]) + Number(fields[14])
      if (fields[1] === postmaster) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks / 100
}

async function adminId(): Promise<string> {
  const [row] = await query('Default', `select "Id" from "AbpUsers" where "UserName" = 'admin'`)
  return String(row?.Id)
}

async function countLogs(): Promise<number> {
  const [row] = await query('Default', 'select count(*) as n from "AbpAuditLogs"')
  return Number(row?.n)
}

async function query(database: keyof typeof databaseNames, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames[database]) })
  await client.connect()
  try {
    return (await client.query(text)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

function report(on: Host, off: Host, kept: number): void {
  const middle = (values: number[]): number => {
    const sorted = values.toSorted((a, b) => a - b)
    const half = sorted.length / 2
    return ((sorted[Math.floor(half - 0.5)] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2
  }
  const rows = ([name, { turns }]: [string, Host]) => ({
    auditing: name,
    'writes/s': Math.round(middle(turns.map(({ requestsPerSecond }) => requestsPerSecond))),
    'p50 ms': Number(middle(turns.map(({ p50 }) => p50)).toFixed(2)),
    'p99 ms': Number(middle(turns.map(({ p99 }) => p99)).toFixed(2)),
    'host CPU µs': Math.round(middle(turns.map(({ cpuMicroseconds = 0 }) => cpuMicroseconds))),
    'database CPU µs': Math.round(middle(turns.map(({ databaseMicroseconds }) => databaseMicroseconds))),
    turns: turns.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)).join(' '),
    errors: turns.reduce((sum, { errors }) => sum + errors, 0),
  })
  console.table([rows(['on', on]), rows(['off', off])])
  const ratios = on.turns.map(
    (turn, index) => turn.requestsPerSecond / (off.turns[index]?.requestsPerSecond ?? 0),
  )
  const cost = (1 - middle(ratios)) * 100
  process.stdout.write(
    `Auditing costs ${cost.toFixed(1)} % of the writes (middle of ${ratios.length} turns; the aim is less than 3 %). ${kept} audit logs were kept.\n`,
  )
}
