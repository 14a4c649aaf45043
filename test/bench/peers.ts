import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { programIn } from '@keel/framework'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { cpuSecondsOf, requestBytes } from './load.js'
import { databaseSecondsOf, type Measured, measureBoth, residentMegabytesOf } from './measured.js'
import {
  type Call,
  comparableCreation,
  comparablePort,
  comparableShipment,
  type Dialect,
  type Filter,
  keel,
  postgraphile,
  rest,
} from './peer-dialects.js'
import { hasPgbench, pgbench } from './pgbench.js'
import { children, root, start, stopChildren, trustIn } from './processes.js'
import { prepareShipments, removeCreated } from './shipments.js'

/**
 * Keel beside programs that others would write for the same on the same tables (`bench/peers`): first that all answer the same, then how many
 * requests each answers and what they take of host and PostgreSQL, in turns. Writes the table of `docs/performance.md` unless `--dry` is given.
 */
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    turns: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    shipments: { type: 'string', default: '100000' },
    // Only peers in whose names this occurs, beside Keel.
    only: { type: 'string', default: '' },
    // Prints the tables and leaves the page alone.
    dry: { type: 'boolean', default: false },
  },
})
const seconds = Number(args.seconds)
/** It takes whole seconds, those in which it connects included. */
const pgbenchSeconds = Math.max(2, Math.round(seconds))
const turns = Number(args.turns)
const connections = Number(args.connections)
const audience = 'Core'
const folder = 'test/bench/peers/'
const directory = `${root}.keel/bench`
const page = `${root}docs/performance.md`

interface Peer {
  readonly name: string
  /** Its packages of which the versions are told. */
  readonly packages: readonly string[]
  readonly dialect: Dialect
  readonly port: number
  readonly process: ChildProcess
}

interface Known {
  readonly ids: readonly string[]
  readonly filters: readonly Filter[]
}

interface Operation {
  readonly name: string
  /** Told beside the name. */
  readonly note: string
  /** The next request; undefined where the peer has none. */
  next(dialect: Dialect): (() => Call) | undefined
  /** Transactions per second of PostgreSQL alone. */
  pgbench?(): Promise<number>
}

const programs: readonly (Omit<Peer, 'port' | 'process'> & { readonly folder: string })[] = [
  { name: 'NestJS + TypeORM', folder: 'nest-typeorm', packages: ['@nestjs/core', 'typeorm'], dialect: rest },
  {
    name: 'NestJS/Fastify + Prisma',
    folder: 'nest-prisma',
    packages: ['@nestjs/platform-fastify', '@prisma/client'],
    dialect: rest,
  },
  {
    name: 'LoopBack 4',
    folder: 'loopback',
    packages: ['@loopback/rest', 'loopback-connector-postgresql'],
    dialect: rest,
  },
  {
    name: 'Fastify + Drizzle',
    folder: 'fastify-drizzle',
    packages: ['fastify', 'drizzle-orm'],
    dialect: rest,
  },
  { name: 'PostGraphile', folder: 'postgraphile', packages: ['postgraphile'], dialect: postgraphile },
  { name: 'bare node:http', folder: 'node', packages: ['pg'], dialect: rest },
]

const wantedPrograms = programs.filter(({ name }) => name.includes(args.only))
let created = 0
const newReference = (): string => `B-${process.pid}-${created++}`

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopChildren().then(() => process.exit(1))
  })

const server = await ensurePostgres({ directory, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const env = await prepareShipments(server, Number(args.shipments))
  const hub = new pg.Client({ connectionString: server.urlOf('bench_hub') })
  await hub.connect()
  try {
    const known = await readKnown(hub)
    const token = await issuer.token({ subject: await adminId(), audience, expiresIn: 86_400 })
    const headers = { authorization: `Bearer ${token}` }
    const starts = await measureStarts(env, headers)
    const peers = [await startKeel(env), ...(await startPeers())]
    await checkAnswers(peers, headers, known)
    await putBack(hub)
    const tables = []
    for (const operation of operationsOf(known)) {
      tables.push(await measureOperation(operation, peers, headers))
      if (operation.name.startsWith('create')) await putBack(hub)
    }
    const text = [machine(peers), ...tables, starts].join('\n\n')
    process.stdout.write(`${text}\n`)
    if (!args.dry) writePage(text)
  } finally {
    await putBack(hub)
    await hub.end()
  }
} finally {
  await stopChildren()
  await issuer.stop()
  await server.stop()
}
process.exit(0)

async function startKeel(env: Record<string, string>): Promise<Peer> {
  const port = await nextFreePort(4100)
  const host = await start(
    'test/dist/bench/bench-host.js',
    { ...env, PORT: String(port), NODE_ENV: 'production', ...trustIn(issuer.address) },
    port,
  )
  return { name: 'Keel', packages: [], dialect: keel, port, process: host }
}

async function startPeers(): Promise<Peer[]> {
  const started: Peer[] = []
  for (const { folder: name, ...peer } of wantedPrograms) {
    const port = await nextFreePort(4200 + 10 * started.length)
    const child = spawnPeer(name, port)
    await listening(peer.name, child)
    started.push({ ...peer, port, process: child })
  }
  return started
}

function spawnPeer(name: string, port: number): ChildProcess {
  const child = spawn(process.execPath, [`${root}${folder}dist/${name}/main.js`], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: server.urlOf('bench_hub'),
      ISSUER: `${issuer.address}/`,
      AUDIENCE: audience,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

/** The API host as it is started in production, from its bundle where that was made. */
function spawnKeel(env: Record<string, string>, port: number): ChildProcess {
  const child = spawn(process.execPath, [programIn(`${root}hosts/api`)], {
    env: {
      ...process.env,
      ...env,
      ...trustIn(issuer.address),
      NODE_ENV: 'production',
      PORT: String(port),
      Log__Level: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}

interface Start {
  readonly ms: number
  readonly cpuMs: number
  readonly megabytes: number
}

/**
 * Starts one program after the other, in turns, and tells how long each takes until it has answered a page of ports, what that takes of the CPU, and
 * its memory three seconds later.
 */
async function measureStarts(env: Record<string, string>, headers: Record<string, string>): Promise<string> {
  const all = [
    { name: 'Keel', dialect: keel, spawn: (port: number) => spawnKeel(env, port) },
    ...wantedPrograms.map(({ name, dialect, folder }) => ({
      name,
      dialect,
      spawn: (port: number) => spawnPeer(folder, port),
    })),
  ]
  const seen = new Map<string, Start[]>()
  for (let turn = 0; turn < turns; turn++)
    for (let index = 0; index < all.length; index++) {
      const one = all[(index + turn) % all.length] as (typeof all)[number]
      const port = await nextFreePort(4100)
      const began = performance.now()
      const child = one.spawn(port)
      while (!(await isAnswered(port, one.dialect.ports(), headers))) {
        if (child.exitCode !== null) throw new Error(`${one.name} ended with ${child.exitCode}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const pid = child.pid as number
      const start = { ms: performance.now() - began, cpuMs: (cpuSecondsOf([pid]) ?? Number.NaN) * 1000 }
      await new Promise((resolve) => setTimeout(resolve, 3000))
      seen.set(one.name, [...(seen.get(one.name) ?? []), { ...start, megabytes: residentMegabytesOf(pid) }])
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
  const rows = [...seen].map(
    ([name, starts]) =>
      `| ${[name, ...(['ms', 'cpuMs', 'megabytes'] as const).map((key) => withSpread(starts.map((start) => start[key])))].join(' | ')} |`,
  )
  return `**Start and memory at rest** (until a page of ports is answered; resident memory three seconds later)

| | ms | CPU ms | MB |
| --- | --- | --- | --- |
${rows.join('\n')}`
}

/** True once a program answers a request; false while nobody listens. */
async function isAnswered(port: number, call: Call, headers: Record<string, string>): Promise<boolean> {
  const response = await send(port, call, headers).catch(() => undefined)
  await response?.text()
  return response?.ok === true
}

/** Waits until a peer says that it listens. */
function listening(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('listening')) resolve()
    })
  })
}

async function adminId(): Promise<string> {
  const client = new pg.Client({ connectionString: server.urlOf('bench_default') })
  await client.connect()
  const { rows } = await client.query<{ Id: string }>(
    `select "Id" from "AbpUsers" where "UserName" = 'admin'`,
  )
  await client.end()
  return rows[0]?.Id ?? ''
}

async function readKnown(client: pg.Client): Promise<Known> {
  const { rows: ids } = await client.query<{ Id: string }>(
    'select "Id" from "HubShipments" where "IsDeleted" = false order by md5("Id"::text) limit 2000',
  )
  const { rows: filters } = await client.query<Filter>(`
    select s."Status" as status, s."FirstConsolLegDeparturePortId" as "departurePortId", s."LastConsolLegArrivalPortId" as "arrivalPortId",
      d."UnLocode" as "departurePort", a."UnLocode" as "arrivalPort"
    from (
      select distinct "Status", "FirstConsolLegDeparturePortId", "LastConsolLegArrivalPortId" from "HubShipments" where "IsDeleted" = false
    ) s
    join "HubPorts" d on d."Id" = s."FirstConsolLegDeparturePortId"
    join "HubPorts" a on a."Id" = s."LastConsolLegArrivalPortId"
    order by md5(s::text)`)
  return { ids: ids.map(({ Id }) => Id), filters }
}

/** So that the next measurement starts with the same rows. */
async function putBack(client: pg.Client): Promise<void> {
  await removeCreated(client)
  await client.query('vacuum analyze')
}

function operationsOf({ ids, filters }: Known): Operation[] {
  const inTurn = <T>(values: readonly T[]) => {
    let turn = 0
    return () => values[turn++ % values.length] as T
  }
  const sql = (text: string | readonly string[], values: readonly unknown[]) =>
    pgbench(server.urlOf('bench_hub'), [text].flat().join(';\n'), values, pgbenchSeconds)
  return [
    {
      name: 'trivial authenticated call',
      note: 'token checked, a constant answered; PostGraphile: `{ __typename }`',
      next: (dialect) => () => dialect.echo(),
    },
    {
      name: 'page of 50 shipments with count',
      note: '45 columns and 11 references to ports, codes and a customer, newest first',
      next: (dialect) => () => dialect.page(),
      pgbench: async () => {
        const { page, count } = await statements()
        return sql([page([]), count([])], [50, 0])
      },
    },
    {
      name: 'page of 50 ports with count',
      note: '11 columns of one table, by code',
      next: (dialect) => () => dialect.ports(),
      pgbench: async () => {
        const { ports, countPorts } = await statements()
        return sql([ports, countPorts], [50, 0])
      },
    },
    {
      name: 'page of shipments, another filter each time',
      note: `status, port of departure and port of arrival, ${filters.length} combinations in turn`,
      next: (dialect) => {
        const filter = inTurn(filters)
        return () => dialect.filtered(filter())
      },
    },
    {
      name: 'get by id, another each time',
      note: 'a shipment with its references and parties; Keel reads milestones, further references, orders and documents besides',
      next: (dialect) => {
        const id = inTurn(ids)
        return () => dialect.get(id())
      },
      pgbench: async () => {
        const { one, addresses } = await statements()
        return sql([one, addresses], [ids[0]])
      },
    },
    {
      name: 'create a shipment',
      note: 'three members; Keel writes audit log, status history, milestones and an event besides, and answers the whole shipment',
      next: (dialect) => () => dialect.create(newReference()),
      pgbench: () =>
        sql(
          `insert into "HubShipments" ("Id", "ShipmentReference", "TotalPackages", "CargoDescription", "ConcurrencyStamp", "CreationTime")
          values (gen_random_uuid(), 'B-' || gen_random_uuid(), $1, $2, $3, now())`,
          [3, 'Benchmark', 'x'],
        ),
    },
    {
      name: 'create a shipment with two parties',
      note: 'in one transaction; PostGraphile makes no call of its own for it',
      next: (dialect) => {
        if (!dialect.createWithParties('')) return undefined
        return () => dialect.createWithParties(newReference()) as Call
      },
    },
  ]
}

/** The statements of the peer that is written by hand. */
async function statements(): Promise<Record<'one' | 'addresses' | 'ports' | 'countPorts', string> & Paged> {
  const module = (await import(`${root}${folder}dist/node/statements.js`)) as {
    statements: Record<'one' | 'addresses' | 'ports' | 'countPorts', string> & Paged
  }
  return module.statements
}

interface Paged {
  page(filters: readonly string[]): string
  count(filters: readonly string[]): string
}

/** Every peer answers what Keel answers: rows, their order, values, counts; and refuses who has no valid token. */
async function checkAnswers(
  peers: readonly Peer[],
  headers: Record<string, string>,
  { ids, filters }: Known,
): Promise<void> {
  const [ours, ...theirs] = peers as [Peer, ...Peer[]]
  const sameAs = (name: string) => (seen: unknown, wanted: unknown, what: string) =>
    assert.deepEqual(seen, wanted, `${name} answers another ${what} than Keel`)
  const pageOf = async ({ port, dialect }: Peer, call: Call, comparable = comparableShipment) => {
    const { totalCount, items } = dialect.readPage(await answerOf(port, call, headers))
    return { totalCount, items: items.map(comparable) }
  }
  const oneOf = async ({ port, dialect }: Peer, id: string) =>
    comparableShipment(dialect.readOne(await answerOf(port, dialect.get(id), headers)))
  const createdBy = async (peer: Peer, call: Call) => {
    const { id } = peer.dialect.readOne(await answerOf(peer.port, call, headers))
    assert.equal(typeof id, 'string', `${peer.name} answers the id of what it created`)
    return id as string
  }
  const someFilters = filters.slice(0, 10)
  const someIds = ids.slice(0, 20)
  const expected = {
    page: await pageOf(ours, keel.page()),
    ports: await pageOf(ours, keel.ports(), comparablePort),
    filtered: await Promise.all(someFilters.map((filter) => pageOf(ours, keel.filtered(filter)))),
    ones: await Promise.all(someIds.map((id) => oneOf(ours, id))),
  }
  assert.equal(expected.page.items.length, 50)
  assert.equal(expected.ports.items.length, 50)
  assert.ok(expected.filtered.every(({ totalCount }) => totalCount > 0))
  assert.ok(expected.ones.some(({ addresses }) => (addresses as unknown[]).length > 0))
  for (const peer of theirs) {
    const { dialect, port, name } = peer
    const same = sameAs(name)
    for (const authorization of ['', `${headers.authorization?.slice(0, -4)}AAAA`])
      assert.equal(
        (await send(port, dialect.echo(), { authorization })).status,
        401,
        `${name}: ${authorization}`,
      )
    assert.ok(dialect.readEcho(await answerOf(port, dialect.echo(), headers)).text)
    same(await pageOf(peer, dialect.page()), expected.page, 'page of shipments')
    same(await pageOf(peer, dialect.ports(), comparablePort), expected.ports, 'page of ports')
    for (const [index, filter] of someFilters.entries())
      same(await pageOf(peer, dialect.filtered(filter)), expected.filtered[index], 'filtered page')
    for (const [index, id] of someIds.entries()) same(await oneOf(peer, id), expected.ones[index], 'shipment')
  }
  // What is created comes onto the pages: all are read before.
  for (const peer of theirs) {
    const { dialect } = peer
    const same = sameAs(peer.name)
    const plain = comparableCreation(await oneOf(ours, await createdBy(ours, keel.create(newReference()))))
    same(
      comparableCreation(await oneOf(ours, await createdBy(peer, dialect.create(newReference())))),
      plain,
      'new shipment',
    )
    const withParties = dialect.createWithParties(newReference())
    if (!withParties) continue
    const ourParties = await createdBy(ours, keel.createWithParties(newReference()) as Call)
    same(
      comparableCreation(await oneOf(ours, await createdBy(peer, withParties))),
      comparableCreation(await oneOf(ours, ourParties)),
      'new shipment with parties',
    )
  }
  process.stdout.write(`${theirs.map(({ name }) => name).join(', ')} answer what Keel answers.\n`)
}

async function answerOf(port: number, call: Call, headers: Record<string, string>): Promise<unknown> {
  const response = await send(port, call, headers)
  const text = await response.text()
  if (!response.ok) throw new Error(`${call.method} ${call.path} answered ${response.status}: ${text}`)
  // The load reads answers by their length.
  assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)), call.path)
  return JSON.parse(text)
}

function send(
  port: number,
  { method, path, body }: Call,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** An operation of all peers in turns, as a table. */
async function measureOperation(
  operation: Operation,
  peers: readonly Peer[],
  headers: Record<string, string>,
): Promise<string> {
  const seen = new Map<string, Measured[]>()
  const alone: { rate: number; databaseMicroseconds: number }[] = []
  const able = peers.flatMap((peer) => {
    const next = operation.next(peer.dialect)
    return next ? [{ peer, next }] : []
  })
  for (let turn = 0; turn < turns; turn++) {
    // Each turn begins with another peer.
    for (let index = 0; index < able.length; index++) {
      const { peer, next } = able[(index + turn) % able.length] as (typeof able)[number]
      const result = await aloneOf(peers, peer, () =>
        measureBoth(
          {
            port: peer.port,
            pid: peer.process.pid as number,
            connections,
            seconds,
            warmUpSeconds: turn === 0 ? 1 : 0.3,
            next: bytesOf(peer.port, next, headers),
          },
          directory,
        ),
      )
      seen.set(peer.name, [...(seen.get(peer.name) ?? []), result])
    }
    if (hasPgbench && operation.pgbench) {
      const before = await settledSeconds()
      const rate = await operation.pgbench()
      const used = (await settledSeconds()) - before
      alone.push({ rate, databaseMicroseconds: (used * 1e6) / (rate * pgbenchSeconds) })
    }
  }
  process.stdout.write(`${operation.name}: done\n`)
  return tableOf(operation, peers, seen, alone)
}

/** CPU time of PostgreSQL when the processes that have ended are counted: for a moment nobody has their time. */
async function settledSeconds(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  return databaseSecondsOf(directory)
}

/** Runs something while all peers but one are paused: a neighbour that hears of changes would take its share of the machine. */
async function aloneOf<T>(peers: readonly Peer[], measured: Peer, run: () => Promise<T>): Promise<T> {
  const others = peers.filter((peer) => peer !== measured)
  for (const { process: child } of others) child.kill('SIGSTOP')
  try {
    return await run()
  } finally {
    for (const { process: child } of others) child.kill('SIGCONT')
  }
}

/** The requests of a peer as bytes; those that are the same each time are made once. */
function bytesOf(port: number, next: () => Call, headers: Record<string, string>): () => string {
  const made = new Map<string, string>()
  return () => {
    const { method, path, body } = next()
    const text = body ? JSON.stringify(body) : ''
    const key = path + text
    let bytes = made.get(key)
    if (bytes === undefined) {
      bytes = requestBytes(port, method, path, headers, text)
      if (made.size < 10_000) made.set(key, bytes)
    }
    return bytes
  }
}

function tableOf(
  { name, note }: Operation,
  peers: readonly Peer[],
  seen: ReadonlyMap<string, readonly Measured[]>,
  alone: readonly { rate: number; databaseMicroseconds: number }[],
): string {
  const ours = middle((seen.get('Keel') ?? []).map(({ requestsPerSecond }) => requestsPerSecond))
  const rows = peers.map((peer) => {
    const results = seen.get(peer.name)
    if (!results) return `| ${peer.name} | – | – | – | – | – | – |`
    const errors = results.reduce((all, result) => all + result.errors, 0)
    if (errors > 0) throw new Error(`${peer.name} answered ${errors} requests of “${name}” with errors`)
    const rate = results.map(({ requestsPerSecond }) => requestsPerSecond)
    return `| ${[
      peer.name,
      withSpread(rate),
      middle(results.map(({ p50 }) => p50)).toFixed(1),
      middle(results.map(({ p95 }) => p95)).toFixed(1),
      withSpread(results.map(({ cpuMicroseconds }) => cpuMicroseconds ?? Number.NaN)),
      withSpread(results.map(({ databaseMicroseconds }) => databaseMicroseconds ?? Number.NaN)),
      peer.name === 'Keel' ? '' : `${(ours / middle(rate)).toFixed(1)} ×`,
    ].join(' | ')} |`
  })
  if (alone.length > 0) {
    const rate = alone.map(({ rate }) => rate)
    const taken = withSpread(alone.map(({ databaseMicroseconds }) => databaseMicroseconds))
    rows.push(
      `| pgbench, 10 clients | ${withSpread(rate)} | | | | ${taken} | ${(ours / middle(rate)).toFixed(1)} × |`,
    )
  }
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  return `**${title}** (${note})

| | requests/s | p50 ms | p95 ms | host CPU µs | PostgreSQL CPU µs | Keel answers |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}`
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The middle, and in brackets the least and the most. */
function withSpread(values: readonly number[]): string {
  if (values.some(Number.isNaN)) return '–'
  const whole = (value: number) => Math.round(value).toLocaleString('en-US')
  return `${whole(middle(values))} (${whole(Math.min(...values))}–${whole(Math.max(...values))})`
}

function machine(peers: readonly Peer[]): string {
  const versionOf = (name: string): string => {
    const path = `${root}${folder}node_modules/${name}/package.json`
    return `${name} ${(JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version}`
  }
  const versions = peers.flatMap(({ packages }) => packages.map(versionOf))
  return `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, the embedded PostgreSQL;
${args.shipments} shipments, ${connections} connections, ${turns} turns of ${seconds} s each, a pool of 10 for every peer; the middle, in brackets least and most.
${versions.join(', ')}.`
}

/** Puts the tables between the two marks of the page. */
function writePage(text: string): void {
  const [begin, end] = ['<!-- npm run bench:peers: begin -->', '<!-- npm run bench:peers: end -->']
  const old = readFileSync(page, 'utf8')
  const [before, rest] = old.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`${page} has no marks for the tables`)
  writeFileSync(page, `${before}${begin}\n\n${text}\n\n${end}${after}`)
  process.stdout.write(`Written to ${page}\n`)
}
