import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ReauthenticationAppService } from '@keel/account/contracts'
import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createClient } from '@keel/framework/client'
import { newApiKey } from '@keel/framework/security'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type LoadResult, load, requestBytes } from './load.js'
import {
  children,
  databaseNames,
  memoryOf,
  prepareSchemas,
  start,
  tellsMemory,
  trustIn,
} from './processes.js'

/** What an API key costs over nothing and over a token, and what a flood of wrong ones does to the right one. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const seconds = Number(args.seconds)
/** Of each flood, at least. */
const wrongKeys = 100_000

const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const port = await nextFreePort(4300)
  const host = await start('test/dist/bench/bench-host.js', { ...env, PORT: String(port) }, port, tellsMemory)
  const pid = host.pid as number
  const token = await issuer.token({ subject: await adminId(), expiresIn: 86_400 })
  const caller = { baseUrl: `http://localhost:${port}`, accessToken: () => token }
  await createClient(ReauthenticationAppService, caller).prove({ password: '1q2w3E*' })
  const keys = createClient(ApiKeyAppService, caller)
  const { id, key, prefix } = await keys.create({ name: 'Benchmark' })

  const request = (path: string, headers = {}) =>
    requestBytes(port, 'GET', `/api/bench/echo/${path}`, headers)
  const measure = (next: () => string, connections: number, forSeconds = seconds) =>
    load({ port, pid, connections, seconds: forSeconds, warmUpSeconds: 2, next })
  const always = (bytes: string) => () => bytes
  const anonymous = always(request('open-echo'))
  const byToken = always(request('echo', { authorization: `Bearer ${token}` }))
  const byKey = always(request('echo', { 'x-api-key': key }))

  const rows: Record<string, object> = {}
  const note = (name: string, result: LoadResult, more: object = {}) => {
    rows[name] = {
      'req/s': Math.round(result.requestsPerSecond),
      'p50 ms': Number(result.p50.toFixed(3)),
      'p99 ms': Number(result.p99.toFixed(3)),
      'host CPU µs': result.cpuMicroseconds ? Math.round(result.cpuMicroseconds) : '–',
      ...more,
    }
  }
  // One at a time, so that what is measured is the way of one request.
  note('anonymous, one at a time', await measure(anonymous, 1))
  note('bearer token, one at a time', await measure(byToken, 1))
  note('API key, one at a time', await measure(byKey, 1))

  const [quiet] = await Promise.all([measure(byKey, 4), measure(byKey, 4)])
  note('API key, beside as many right ones', quiet)
  const floods: readonly (readonly [string, () => string])[] = [
    ['random texts', () => randomBytes(30).toString('base64url')],
    ['well-made keys that there are not', () => fullKey()],
    ['well-made secrets of a key that there is', () => fullKey(prefix)],
  ]
  for (const [name, wrong] of floods) {
    const flood = () => request('echo', { 'x-api-key': wrong() })
    // First the same flood unmeasured: what is compiled and kept for it once is no leak.
    await measure(flood, 4)
    const before = await memoryOf(host)
    const { requestsPerSecond } = await load({
      port,
      pid,
      connections: 4,
      seconds: 1,
      warmUpSeconds: 0,
      next: flood,
    })
    // Beside right keys they come half as fast.
    const floodSeconds = Math.max(seconds, Math.ceil((2.2 * wrongKeys) / requestsPerSecond))
    const [right, refused] = await Promise.all([
      measure(byKey, 4, floodSeconds),
      measure(flood, 4, floodSeconds),
    ])
    note(`API key, beside a flood of ${name}`, right, {
      'wrong keys': Math.round(refused.requestsPerSecond * floodSeconds),
      'p99 ÷': Number((right.p99 / quiet.p99).toFixed(2)),
      ...told(before, await memoryOf(host)),
    })
  }
  await keys.delete(id)
  console.table(rows)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(0)

/** What a host keeps before and after, in MB. */
function told(before: NodeJS.MemoryUsage, after: NodeJS.MemoryUsage): object {
  const change = (kind: 'heapUsed' | 'rss') =>
    [before, after].map((memory) => Math.round(memory[kind] / 2 ** 20)).join(' → ')
  return { 'heap MB': change('heapUsed'), 'resident MB': change('rss') }
}

function fullKey(prefix?: string): string {
  const made = newApiKey(prefix)
  return made.prefix + made.rawKey
}

async function adminId(): Promise<string> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames.Default) })
  await client.connect()
  const { rows } = await client.query<{ Id: string }>(
    `select "Id" from "AbpUsers" where "UserName" = 'admin'`,
  )
  await client.end()
  return rows[0]?.Id ?? ''
}
