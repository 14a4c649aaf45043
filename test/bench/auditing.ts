import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type LoadResult, load, requestBytes } from './load.js'
import { children, databaseNames, prepareSchemas, start, trustIn } from './processes.js'

/**
 * What auditing costs writes. An API host creates shipments over REST as fast as it can, in turns of which every other one is not audited
 * (`Auditing:IgnoredUrls`): the same process and the same database, because two processes of the same program differ by more than what is
 * looked for. Each turn is compared with its neighbour. With `--control` none is audited: what the comparison says of nothing.
 */
const { values: args } = parseArgs({
  options: {
    // What is written a second later, and not in a turn's time, is to be a small part of it.
    seconds: { type: 'string', default: '5' },
    turns: { type: 'string', default: '60' },
    warm: { type: 'string', default: '15' },
    connections: { type: 'string', default: '32' },
    control: { type: 'boolean', default: false },
  },
})
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const [postmaster = ''] = readFileSync(`${root}.keel/bench/postgres/postmaster.pid`, 'utf8').split('\n')
const issuer = await TokenIssuer.start()

/** Paths do not know case, what is ignored does. */
const ignored = '/API/'
const paths = { on: '/api/hub/shipment', off: `${ignored}hub/shipment` }

/** A turn, with what a write needed of the host's and the database's CPU time in µs. */
interface Turn extends LoadResult {
  readonly host: number
  readonly database: number
}

let written = 0
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const [admin] = await query('Default', `select "Id" from "AbpUsers" where "UserName" = 'admin'`)
  const headers = { authorization: `Bearer ${await issuer.token({ subject: String(admin?.Id) })}` }
  const port = await nextFreePort(4500)
  const { pid } = await start(
    'hosts/api/dist/main.js',
    { ...env, PORT: String(port), Auditing__IgnoredUrls__0: args.control ? '/' : ignored },
    port,
  )
  const turn = (path: string, seconds: number): Promise<Turn> =>
    measure(path, seconds, { port, pid: pid as number, headers })
  await turn(paths.on, Number(args.warm))
  await turn(paths.off, Number(args.warm))
  for (const database of ['Default', 'Hub'] as const) await query(database, 'vacuum analyze')
  const before = await countLogs()
  const turns: { on: Turn; off: Turn }[] = []
  for (let index = 0; index < Number(args.turns); index += 1) {
    const first = index % 2 ? 'on' : 'off'
    const second = index % 2 ? 'off' : 'on'
    const measured = {
      [first]: await turn(paths[first], Number(args.seconds)),
      [second]: await turn(paths[second], Number(args.seconds)),
    }
    turns.push(measured as { on: Turn; off: Turn })
  }
  report(turns, (await countLogs()) - before)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(0)

async function measure(
  path: string,
  seconds: number,
  { port, pid, headers }: { port: number; pid: number; headers: Record<string, string> },
): Promise<Turn> {
  const prefix = `B-${randomUUID().slice(0, 8)}`
  const next = (): string => {
    const shipmentReference = `${prefix}-${String(written++).padStart(8, '0')}`
    const body = { shipmentReference, totalPackages: 3, cargoDescription: 'Benchmark' }
    return requestBytes(port, 'POST', path, headers, JSON.stringify(body))
  }
  const before = { host: cpuTicks(String(pid)), database: cpuTicks(postmaster) }
  const connections = Number(args.connections)
  const result = await load({ port, pid, connections, seconds, warmUpSeconds: 0, next, sleeps: true })
  // What the host has not written yet belongs to its turn.
  await new Promise((resolve) => setTimeout(resolve, 1300))
  const perWrite = (ticks: number): number => (ticks * 10_000) / (result.requestsPerSecond * seconds)
  return {
    ...result,
    host: perWrite(cpuTicks(String(pid)) - before.host),
    database: perWrite(cpuTicks(postmaster) - before.database),
  }
}

/** User and system time of a process and its children, those that ended included, in hundredths of seconds, from Linux' /proc. */
function cpuTicks(parent: string): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      if (pid === parent) ticks += Number(fields[13]) + Number(fields[14])
      if (pid === parent || fields[1] === parent) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks
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

function report(turns: readonly { readonly on: Turn; readonly off: Turn }[], kept: number): void {
  const row = (auditing: 'on' | 'off') => {
    const middle = (value: (turn: Turn) => number): number =>
      quarter(
        turns.map((pair) => value(pair[auditing])),
        2,
      )
    return {
      auditing,
      'writes/s': Math.round(middle(({ requestsPerSecond }) => requestsPerSecond)),
      'p50 ms': Number(middle(({ p50 }) => p50).toFixed(2)),
      'p99 ms': Number(middle(({ p99 }) => p99).toFixed(2)),
      'host CPU µs': Math.round(middle(({ host }) => host)),
      'database CPU µs': Math.round(middle(({ database }) => database)),
      errors: turns.reduce((sum, pair) => sum + pair[auditing].errors, 0),
    }
  }
  console.table([row('on'), row('off')])
  const more = (what: string, cost: (turn: Turn) => number, whole = cost): string => {
    const shares = turns.map(({ on, off }) => ((cost(on) - cost(off)) / whole(off)) * 100)
    const [low, middle, high] = ([1, 2, 3] as const).map((part) => quarter(shares, part))
    // The standard error of a median, from the quarters of a normal distribution.
    const error = (1.253 * (((high as number) - (low as number)) / 1.349)) / Math.sqrt(shares.length)
    return `${what.padEnd(36)} ${middle?.toFixed(1)} ± ${error.toFixed(1)} % (half of ${shares.length} pairs between ${low?.toFixed(1)} and ${high?.toFixed(1)} %)\n`
  }
  const cpu = ({ host, database }: Turn): number => host + database
  process.stdout.write(
    [
      more('Time per write that auditing adds:', ({ requestsPerSecond }) => 1 / requestsPerSecond),
      more('CPU time per write:', cpu),
      more('  of it in the host:', ({ host }) => host, cpu),
      more('  of it in PostgreSQL:', ({ database }) => database, cpu),
      `The aim is less than 3 % of the writes. ${kept} audit logs were kept.\n`,
    ].join(''),
  )
}

/** The value that so many quarters of the values are below. */
function quarter(values: readonly number[], part: 1 | 2 | 3): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = ((sorted.length - 1) * part) / 4
  const below = sorted[Math.floor(place)] ?? 0
  return below + ((sorted[Math.ceil(place)] ?? 0) - below) * (place % 1)
}
