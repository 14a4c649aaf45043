import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { noPooler, startPooler } from '../src/support/pgbouncer.js'
import { children, connectionsTo, databaseNames, prepareSchemas, start, trustIn } from './processes.js'

/** How long after it was answered a revocation in one process is refused by the others, and by one that hears no notifications. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const permission = 'Port.View'
const rounds = 200
const roundsBehindPooler = 15

/** In ms. */
interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const first = await startHost(env)
  const others = [await startHost(env), await startHost(env)]
  const rows: Record<string, Delays> = { 'two processes that hear': await revoke(first, others, rounds) }
  if (!noPooler) {
    const pooler = await startPooler(server.urlOf(databaseNames.Default))
    const deaf = await startHost({
      ...env,
      ...connectionsTo((database) => pooler.through(server.urlOf(database))),
    })
    rows['a process behind a pooler, which looks'] = await revoke(first, [deaf], roundsBehindPooler)
    pooler.stop()
  }
  console.table(rows)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(0)

async function startHost(env: Record<string, string>): Promise<string> {
  const port = await nextFreePort(4400)
  await start('hosts/api/dist/main.js', { ...env, PORT: String(port) }, port)
  return `http://localhost:${port}`
}

/** Revokes a grant in one process again and again, and measures until the others refuse. */
async function revoke(first: string, others: readonly string[], times: number): Promise<Delays> {
  const userId = await addUser()
  const admin = await headersOf(await adminId())
  const user = await headersOf(userId)
  const delays: number[] = []
  for (let round = 0; round < times; round += 1) {
    await put(first, admin, userId, true)
    await Promise.all(others.map((host) => until(host, user, 200)))
    await put(first, admin, userId, false)
    const revokedAt = performance.now()
    await Promise.all(
      others.map(async (host) => {
        await until(host, user, 403)
        delays.push(performance.now() - revokedAt)
      }),
    )
  }
  delays.sort((a, b) => a - b)
  const at = (share: number) => delays[Math.min(Math.floor(delays.length * share), delays.length - 1)] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

async function headersOf(subject: string): Promise<Record<string, string>> {
  const token = await issuer.token({ subject, expiresIn: 86_400 })
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

async function put(host: string, headers: Record<string, string>, userId: string, isGranted: boolean) {
  const response = await fetch(
    `${host}/api/permission-management/permissions?providerName=U&providerKey=${userId}`,
    { method: 'PUT', headers, body: JSON.stringify({ permissions: [{ name: permission, isGranted }] }) },
  )
  if (!response.ok) throw new Error(`changing a grant answered ${response.status}: ${await response.text()}`)
}

async function until(host: string, headers: Record<string, string>, status: number): Promise<void> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; ) {
    const response = await fetch(`${host}/api/hub/port?maxResultCount=1`, { headers })
    await response.arrayBuffer()
    if (response.status === status) return
  }
  throw new Error(`${host} did not answer ${status} within 20 s`)
}

async function adminId(): Promise<string> {
  const rows = await identity<{ Id: string }>(`select "Id" from "AbpUsers" where "UserName" = 'admin'`)
  return rows[0]?.Id ?? ''
}

async function addUser(): Promise<string> {
  const name = `bench-${randomUUID().slice(0, 8)}`
  const rows = await identity<{ Id: string }>(
    `insert into "AbpUsers" ("Id", "UserName", "NormalizedUserName", "Email", "NormalizedEmail", "SecurityStamp", "IsActive",
       "ShouldChangePasswordOnNextLogin", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime")
     values (gen_random_uuid(), $1::text, upper($1::text), $1::text || '@example.com', upper($1::text || '@example.com'), 'stamp', true, false, 0, '{}', 'stamp', now())
     returning "Id"`,
    [name],
  )
  return rows[0]?.Id ?? ''
}

async function identity<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames.Default) })
  await client.connect()
  try {
    return (await client.query<R>(text, values)).rows
  } finally {
    await client.end()
  }
}
