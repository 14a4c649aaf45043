import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LiveEventAppService } from '@keel/background-work/contracts'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createClient } from '@keel/framework/client'
import { sequentialGuid } from '@keel/framework/data'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { databaseNames, memoryOf, prepareSchemas, start, tellsMemory, trustIn } from './processes.js'

/**
 * What open event streams take of an API host: `--streams 2000`, each of another person who holds the role DefaultCustomer. Ends with 1 when they take
 * more than `--most` megabytes, or when a granted permission is not told within five seconds.
 */
const { values: args } = parseArgs({
  options: { streams: { type: 'string', default: '2000' }, most: { type: 'string', default: '150' } },
})
const count = Number(args.streams)
const atOnce = 20

const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
let isFine = false
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  const port = await nextFreePort(4600)
  const database = new pg.Client(server.urlOf(databaseNames.Default))
  await database.connect()
  const people = await addPeople(database)
  const host = await start('hosts/api/dist/main.js', { ...env, PORT: String(port) }, port, tellsMemory)
  const address = `http://localhost:${port}`
  // What the first stream alone costs is no part of what each takes.
  await open(address, people[0] ?? '')
  const before = await memoryOf(host)
  const told = new Map<string, number>()
  for (let index = 1; index < count; index += atOnce)
    await Promise.all(
      people
        .slice(index, index + atOnce)
        .map((person) => open(address, person, () => told.set(person, performance.now()))),
    )
  await new Promise((resolve) => setTimeout(resolve, 5000))
  const after = await memoryOf(host)
  const chosen = people[Math.floor(count / 2)] ?? ''
  const granted = performance.now()
  await database.query(
    `insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey") values ($1, 'Port.Create', 'U', $2)`,
    [sequentialGuid(), chosen],
  )
  while (!told.has(chosen) && performance.now() - granted < 5000)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const [heap, resident] = (['heapUsed', 'rss'] as const).map(
    (kind) => (after[kind] - before[kind]) / 2 ** 20,
  )
  const ms = (told.get(chosen) ?? Number.POSITIVE_INFINITY) - granted
  console.table({
    streams: count,
    'heap MiB': heap?.toFixed(1),
    'resident MiB': resident?.toFixed(1),
    'told after ms': ms.toFixed(0),
    'told besides': told.size - 1,
  })
  isFine = (resident ?? 0) <= Number(args.most) && ms < 5000
  await database.end()
  host.kill('SIGTERM')
  await once(host, 'exit')
} finally {
  await issuer.stop()
  await server.stop()
}
process.exit(isFine ? 0 : 1)

async function addPeople(database: pg.Client): Promise<string[]> {
  const ids = Array.from({ length: count }, () => sequentialGuid())
  await database.query(
    `insert into "AbpUsers" ("Id", "UserName", "NormalizedUserName", "Email", "NormalizedEmail", "SecurityStamp", "IsActive",
      "ShouldChangePasswordOnNextLogin", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime")
    select id, 'live-' || id, upper('live-' || id), id || '@example.com', upper(id || '@example.com'), 'stamp', true, false, 0, '{}', 'stamp', now()
    from unnest($1::uuid[]) id`,
    [ids],
  )
  await database.query(
    `insert into "AbpUserRoles" ("UserId", "RoleId") select id, r."Id" from unnest($1::uuid[]) id, "AbpRoles" r where r."Name" = 'DefaultCustomer'`,
    [ids],
  )
  return ids
}

/** Opens a stream of a person, and leaves it open. */
async function open(address: string, person: string, changed: () => void = () => undefined): Promise<void> {
  const token = await issuer.token({ subject: person })
  const { path } = await createClient(LiveEventAppService, {
    baseUrl: address,
    accessToken: () => token,
  }).createTicket()
  await new Promise<void>((resolve, reject) => {
    const stream = request(address + path, { agent: false }, (answer) => {
      answer.setEncoding('utf8')
      answer.on('data', (text: string) => {
        if (text.includes('event: ready')) resolve()
        if (text.includes('event: permissions')) changed()
      })
      // The host ends it with the bench.
      answer.on('error', () => undefined)
    })
    stream.on('error', reject)
    stream.end()
  })
}
