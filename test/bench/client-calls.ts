import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import { createHubProxy } from '@keel/hub-proxy'
import pg from 'pg'
import { databaseNames, prepareSchemas, start, trustIn } from './processes.js'

/**
 * The processor time of a client's call beside a bare `fetch` of the same address that reads its JSON, in turns: `--turns 15`, each of `--calls 1000`
 * calls of both, one after the other. The host is a process of its own, whose time is not counted. Ends with 1 when the median of the ratios is beyond
 * `--most`.
 */
const { values: args } = parseArgs({
  options: {
    turns: { type: 'string', default: '15' },
    calls: { type: 'string', default: '1000' },
    most: { type: 'string', default: '1.3' },
  },
})
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
let isFine = false
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const port = await nextFreePort(4600)
  const host = await start('hosts/api/dist/main.js', { ...env, PORT: String(port) }, port)
  const baseUrl = `http://localhost:${port}`
  const token = await issuer.token({ subject: await adminId() })
  const hub = createHubProxy({ baseUrl, accessToken: () => token })
  const id = (await hub.ports.getList({ maxResultCount: 1 })).items[0]?.id ?? ''
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const bare = async () => (await fetch(`${baseUrl}/api/hub/port/${id}`, { headers })).json()
  const call = () => hub.ports.get(id)
  for (const warmUp of [bare, call, bare, call]) await microsecondsOf(warmUp)
  const turns: { bare: number; call: number }[] = []
  for (let turn = 0; turn < Number(args.turns); turn++) {
    // Which of the two comes first, and meets what the other one left to be collected, changes with every turn.
    const early = turn % 2 ? await microsecondsOf(call) : undefined
    const least = await microsecondsOf(bare)
    turns.push({ bare: least, call: early ?? (await microsecondsOf(call)) })
  }
  const ratio = median(turns.map((turn) => turn.call / turn.bare))
  const [bareMicroseconds, callMicroseconds] = (['bare', 'call'] as const).map((kind) =>
    median(turns.map((turn) => turn[kind])),
  )
  console.table({
    'bare fetch, µs of processor time': bareMicroseconds?.toFixed(0),
    'call, µs of processor time': callMicroseconds?.toFixed(0),
    ratio: ratio.toFixed(2),
  })
  isFine = ratio <= Number(args.most)
  host.kill('SIGTERM')
  await once(host, 'exit')
} finally {
  await issuer.stop()
  await server.stop()
}
process.exit(isFine ? 0 : 1)

async function adminId(): Promise<string> {
  const database = new pg.Client(server.urlOf(databaseNames.Default))
  await database.connect()
  const { rows } = await database.query(`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`)
  await database.end()
  return rows[0]?.id ?? ''
}

async function microsecondsOf(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let count = 0; count < Number(args.calls); count++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / Number(args.calls)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
