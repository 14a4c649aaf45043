import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ReauthenticationAppService } from '@keel/account/contracts'
import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createClient } from '@keel/framework/client'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { type LoadResult, load, requestBytes } from './load.js'
import { children, databaseNames, start, trustIn } from './processes.js'
import { prepareShipments } from './shipments.js'

/** What a user who sends slow regular expressions with four keys does to another user: at most twice the time at half of all their requests. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    shipments: { type: 'string', default: '2000' },
    /** Of the eager user, on each of four keys. */
    connections: { type: 'string', default: '4' },
  },
})
const seconds = Number(args.seconds)
const keyCount = 4
const aim = 2

const shipments = Number(args.shipments)
const server = await ensurePostgres({ directory: `${root}.keel/bench-${shipments}`, port: 54349 })
const issuer = await TokenIssuer.start()
let worst = 0
try {
  const env = { ...(await prepareShipments(server, shipments)), ...trustIn(issuer.address) }
  const port = await nextFreePort(4400)
  const host = await start('test/dist/bench/bench-host.js', { ...env, PORT: String(port) }, port)
  const [eager, other] = [await bearerOf('superuser'), await bearerOf('customer')]
  const caller = { baseUrl: `http://localhost:${port}`, accessToken: () => eager }
  await createClient(ReauthenticationAppService, caller).prove({ password: '1q2w3E*' })
  const keys = createClient(ApiKeyAppService, caller)
  const made = await Promise.all(
    Array.from({ length: keyCount }, (_, index) => keys.create({ name: `Benchmark ${index}` })),
  )

  const page = (headers: Record<string, string>, query: string) =>
    requestBytes(port, 'GET', `/odata/Shipments?${query}`, headers)
  const byToken = { authorization: `Bearer ${other}` }
  const usual = page(byToken, '$top=20&$orderby=CreationTime%20desc&$expand=OriginPort')
  // An expression that takes long on every row, in a shape that nobody has seen before.
  let turn = 0
  const regex = (connection: number): string => {
    turn += 1
    const key = made[connection % keyCount]?.key ?? ''
    const text =
      'concat(concat(concat(ShipmentReference,ShipmentReference),ShipmentReference),ShipmentReference)'
    const others = ' and 1 eq 1'.repeat(turn % 50)
    const filter = `matchesPattern(${text},'(.?){60}.{60}(.?){60}z')${others}`
    return page({ 'x-api-key': key }, `$filter=${encodeURIComponent(filter)}&$top=1`)
  }
  const shared = { port, pid: host.pid as number, sleeps: true, warmUpSeconds: 2, seconds }
  const measure = () => load({ ...shared, connections: 1, next: () => usual })
  const rows: Record<string, object> = {}
  const note = (name: string, { requestsPerSecond, p50, p95, p99, errors }: LoadResult, more = {}) => {
    const [round, digits] = [Math.round(requestsPerSecond * 10) / 10, (ms: number) => Number(ms.toFixed(2))]
    rows[name] = {
      'req/s': round,
      'p50 ms': digits(p50),
      'p95 ms': digits(p95),
      'p99 ms': digits(p99),
      errors,
      ...more,
    }
  }
  const alone = await measure()
  note('a page of 20, alone', alone)
  const [beside, attack] = await Promise.all([
    measure(),
    load({ ...shared, connections: keyCount * Number(args.connections), next: regex }),
  ])
  worst = beside.p50 / alone.p50
  note('a page of 20, beside regular expressions of another user', beside, {
    'p50 ÷': Number(worst.toFixed(2)),
  })
  note(`regular expressions on ${keyCount} keys`, attack)
  await Promise.all(made.map(({ id }) => keys.delete(id)))
  console.table(rows)
  process.stdout.write(`Aim: p50 at most ${aim} times that alone.\n`)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(worst <= aim ? 0 : 1)

async function bearerOf(userName: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames.Default) })
  await client.connect()
  const { rows } = await client.query<{ Id: string }>(`select "Id" from "AbpUsers" where "UserName" = $1`, [
    userName,
  ])
  await client.end()
  return issuer.token({ subject: rows[0]?.Id ?? '', expiresIn: 86_400 })
}
