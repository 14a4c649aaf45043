import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import {
  children,
  databaseNames,
  memoryOf,
  prepareSchemas,
  start,
  tellsMemory,
  trustIn,
} from './processes.js'

/**
 * The memory that a referred table adds to an API host: after the same lists with the ports that are seeded, which are held, and with a million
 * more, which are joined. Ends with 1 when the difference is above its aim. The ports are deleted in the end.
 */
const { values: args } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const aimMegabytes = 5
const paths = [
  '/api/hub/shipment?maxResultCount=50&includeFacets=true',
  '/api/hub/shipment?maxResultCount=50&skipCount=50',
  '/api/hub/shipment?maxResultCount=50&filters[departurePort][0]=CNSHA',
]
const rounds = 20
/** Codes that no port has: their letters are small. */
const addPorts = `
  insert into "HubPorts" ("Id", "UnLocode", "Name", "NameWoDiacritics", "CountryId", "CountryCode", "FunctionCodes", "IsSeaport", "IsRailTerminal",
    "IsRoadTerminal", "IsAirport", "IsInlandDepot", "TimeZone")
  select gen_random_uuid(), lpad(to_hex(n), 5, 'g'), 'Port ' || n, 'Port ' || n, c."Id", c."Code", '1-------', true, false, false, false, false, 'Bench'
  from generate_series(1, $1::int) n, (select "Id", "Code" from "HubCountries" limit 1) c`
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
let added = Number.POSITIVE_INFINITY
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address), Log__Level: 'warn' }
  await removePorts()
  const few = await memoryWith(env)
  await query('Hub', addPorts, [Number(args.rows)])
  await query('Hub', 'analyze "HubPorts"')
  const many = await memoryWith(env)
  await removePorts()
  added = many - few
  console.table({
    'seeded ports': { 'MB in use': few.toFixed(1) },
    [`${args.rows} ports more`]: { 'MB in use': many.toFixed(1) },
    difference: { 'MB in use': added.toFixed(1), 'aim MB': aimMegabytes },
  })
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(added < aimMegabytes ? 0 : 1)

/** What an API host keeps after the lists, in megabytes. */
async function memoryWith(env: Record<string, string>): Promise<number> {
  const [admin] = await query('Default', `select "Id" from "AbpUsers" where "UserName" = 'admin'`)
  const headers = { authorization: `Bearer ${await issuer.token({ subject: String(admin?.Id) })}` }
  const port = await nextFreePort(4600)
  const child = await start('hosts/api/dist/main.js', { ...env, PORT: String(port) }, port, tellsMemory)
  for (let round = 0; round < rounds; round += 1)
    for (const path of paths) {
      const answer = await fetch(`http://localhost:${port}${path}`, { headers })
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  const { heapUsed, external } = await memoryOf(child)
  child.kill('SIGTERM')
  return (heapUsed + external) / 1048576
}

async function removePorts(): Promise<void> {
  await query('Hub', `delete from "HubPorts" where "TimeZone" = 'Bench'`)
}

async function query(
  database: keyof typeof databaseNames,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames[database]) })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}
