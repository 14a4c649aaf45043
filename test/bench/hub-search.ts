import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { sequentialGuid } from '@keel/framework/data'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { load, requestBytes } from './load.js'
import { children, databaseNames, start, trustIn } from './processes.js'
import { prepareShipments } from './shipments.js'

/** How long Hub's search takes for staff, for the largest and for a small customer; ends with 1 when its p95 is above the aim for one of them. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    shipments: { type: 'string', default: '1000000' },
    connections: { type: 'string', default: '1' },
  },
})
const aimMs = 50
const mostTexts = 300

const shipments = Number(args.shipments)
const server = await ensurePostgres({ directory: `${root}.keel/bench-${shipments}`, port: 54349 })
const issuer = await TokenIssuer.start()
let worst = 0
try {
  const env = { ...(await prepareShipments(server, shipments)), ...trustIn(issuer.address) }
  const port = await nextFreePort(4400)
  const host = await start('test/dist/bench/bench-host.js', { ...env, PORT: String(port) }, port)
  const found = await texts()
  const [largest, smallest] = await customers()
  const members = await membershipsOf('customer')
  const table: Record<string, object> = {}
  for (const [persona, userName, organizationId] of [
    ['staff', 'superuser', undefined],
    ['the largest customer', 'customer', largest],
    ['a small customer', 'customer', smallest],
  ] as const) {
    if (organizationId) await belongTo(userName, organizationId)
    const authorization = `Bearer ${await bearerOf(userName)}`
    for (const [kind, some] of Object.entries(found)) {
      const requests = some.map((text) =>
        requestBytes(port, 'GET', `/api/hub/search?filter=${encodeURIComponent(text)}`, { authorization }),
      )
      let turn = 0
      const next = () => requests[turn++ % requests.length] ?? ''
      const shared = { port, pid: host.pid as number, connections: Number(args.connections), sleeps: true }
      const { p50, p95, p99, requestsPerSecond, errors } = await load({
        ...shared,
        next,
        warmUpSeconds: 2,
        seconds: Number(args.seconds),
      })
      const [rate, digits] = [Math.round(requestsPerSecond), (ms: number) => Number(ms.toFixed(1))]
      worst = Math.max(worst, errors ? Number.POSITIVE_INFINITY : p95)
      table[`${persona}, ${kind}`] = {
        'req/s': rate,
        'p50 ms': digits(p50),
        'p95 ms': digits(p95),
        'p99 ms': digits(p99),
        errors,
      }
    }
  }
  console.table(table)
  await putBack('customer', members)
  process.stdout.write(`${shipments} shipments. Aim: p95 of at most ${aimMs} ms.\n`)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(worst <= aimMs ? 0 : 1)

/** Texts that people search for: whole references, numbers and names, a part from the middle of each, and beginnings that many have. */
async function texts(): Promise<Readonly<Record<string, readonly string[]>>> {
  const some = (column: string, table: string) =>
    `(select "${column}" as text from "${table}" where "${column}" is not null order by "Id" limit ${mostTexts})`
  const rows = await query<{ text: string }>(
    'Hub',
    [
      some('ShipmentReference', 'HubShipments'),
      some('HouseBillNumber', 'HubShipments'),
      some('MasterBillNumber', 'HubShipments'),
      some('OrderNumber', 'HubOrders'),
      some('ContainerNumber', 'HubContainers'),
      some('ConsolNumber', 'HubConsols'),
      some('FullName', 'HubOrganizations'),
    ].join(' union all '),
  )
  // In turns: a text of each column, then the next of each.
  const whole = rows.map(({ text }, index) => ({ text, order: index % mostTexts }))
  const mixed = whole.sort((a, b) => a.order - b.order).map(({ text }) => text.slice(0, 100))
  return {
    'whole texts': mixed,
    'five characters of a text': mixed.filter(({ length }) => length > 7).map((text) => text.slice(2, 7)),
    'three first characters': [...new Set(mixed.map((text) => text.slice(0, 3)))],
    'a text that nothing has': Array.from({ length: mostTexts }, (_, index) => `qxqzz${index}`),
  }
}

/** The organizations that most and fewest shipments are visible to. */
async function customers(): Promise<readonly [string | undefined, string | undefined]> {
  const rows = await query<{ id: string }>(
    'Hub',
    `select o.id from (select unnest("VisibleOrganizationIds") as id from "HubShipments") o
     join "HubOrganizations" h on h."Id" = o.id and h."IsActive" group by 1 order by count(*) desc`,
  )
  return [rows[0]?.id, rows.at(-1)?.id]
}

/** The memberships of a user, to be put back in the end. */
async function membershipsOf(userName: string): Promise<object[]> {
  return query('Hub', `select * from "HubOrganizationMembers" where "UserId" = $1`, [await idOf(userName)])
}

async function putBack(userName: string, members: readonly object[]): Promise<void> {
  await leaveAll(await idOf(userName))
  await query(
    'Hub',
    'insert into "HubOrganizationMembers" select * from json_populate_recordset(null::"HubOrganizationMembers", $1)',
    [JSON.stringify(members)],
  )
}

async function leaveAll(userId: string): Promise<void> {
  await query('Hub', `delete from "HubOrganizationMembers" where "UserId" = $1`, [userId])
}

/** Makes a user a member of one organization and of no other. */
async function belongTo(userName: string, organizationId: string): Promise<void> {
  const userId = await idOf(userName)
  await leaveAll(userId)
  await query(
    'Hub',
    `insert into "HubOrganizationMembers" ("Id", "OrganizationId", "UserId", "UserName", "AccessScope", "IsDefault", "CreationTime")
     values ($1, $2, $3, $4, 0, true, now())`,
    [sequentialGuid(), organizationId, userId, userName],
  )
  // Longer than the host may believe in the memberships that it knows.
  await new Promise((resolve) => setTimeout(resolve, 2000))
}

async function bearerOf(userName: string): Promise<string> {
  return issuer.token({ subject: await idOf(userName), expiresIn: 86_400 })
}

async function idOf(userName: string): Promise<string> {
  const [user] = await query<{ Id: string }>('Default', `select "Id" from "AbpUsers" where "UserName" = $1`, [
    userName,
  ])
  return user?.Id ?? ''
}

async function query<R extends pg.QueryResultRow>(
  database: keyof typeof databaseNames,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames[database]) })
  await client.connect()
  try {
    return (await client.query<R>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
