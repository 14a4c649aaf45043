import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/framework/data'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type LoadResult, load, requestBytes } from './load.js'
import { children, databaseNames, prepareSchemas, start, trustIn } from './processes.js'

/**
 * What auditing costs writes: two API hosts, one without it, create shipments over REST as fast as they can, in short turns one after the
 * other, so that whatever else the machine does meets both alike. Each turn is compared with its neighbour; of the many pairs the middle
 * counts, and the quarters beside it tell how much they differ.
 */
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    turns: { type: 'string', default: '25' },
    warm: { type: 'string', default: '5' },
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
    sleeps: true,
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
  const rows = ([name, { turns }]: [string, Host]) => ({
    auditing: name,
    'writes/s': Math.round(
      quarter(
        turns.map(({ requestsPerSecond }) => requestsPerSecond),
        2,
      ),
    ),
    'p50 ms': Number(
      quarter(
        turns.map(({ p50 }) => p50),
        2,
      ).toFixed(2),
    ),
    'p99 ms': Number(
      quarter(
        turns.map(({ p99 }) => p99),
        2,
      ).toFixed(2),
    ),
    'host CPU µs': Math.round(quarter(turns.map(hostCpu), 2)),
    'database CPU µs': Math.round(quarter(turns.map(databaseCpu), 2)),
    errors: turns.reduce((sum, { errors }) => sum + errors, 0),
  })
  console.table([rows(['on', on]), rows(['off', off])])
  const cost = (what: string, ratio: (on: Turn, off: Turn) => number): string => {
    const ratios = on.turns.map((turn, index) => (ratio(turn, off.turns[index] as Turn) - 1) * 100)
    const [low, middle, high] = ([1, 2, 3] as const).map((part) => quarter(ratios, part).toFixed(1))
    return `${what.padEnd(34)} ${middle} % (half of ${ratios.length} pairs between ${low} and ${high} %)\n`
  }
  process.stdout.write(
    [
      cost('time per write with auditing:', (a, b) => b.requestsPerSecond / a.requestsPerSecond),
      cost('CPU per write with auditing:', (a, b) => cpu(a) / cpu(b)),
      cost('  of the host:', (a, b) => hostCpu(a) / hostCpu(b)),
      cost('  of the database:', (a, b) => databaseCpu(a) / databaseCpu(b)),
      `The aim is less than 3 % of the writes. ${kept} audit logs were kept.\n`,
    ].join(''),
  )
}

function hostCpu({ cpuMicroseconds = 0 }: Turn): number {
  return cpuMicroseconds
}

function databaseCpu({ databaseMicroseconds }: Turn): number {
  return databaseMicroseconds
}

function cpu(turn: Turn): number {
  return hostCpu(turn) + databaseCpu(turn)
}

/** The value that so many quarters of the values are below. */
function quarter(values: readonly number[], part: 1 | 2 | 3): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = ((sorted.length - 1) * part) / 4
  const below = sorted[Math.floor(place)] ?? 0
  return below + ((sorted[Math.ceil(place)] ?? 0) - below) * (place % 1)
}
