import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiHost } from '@keel/api-host'
import { type EmbeddedPostgres, ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createDatabase, sequentialGuid } from '@keel/framework/data'
import { startTestHost } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { startFreezingProxy } from '../support/freezing-proxy.js'
import { noPooler, startPooler } from '../support/pgbouncer.js'
import { runSchemaScripts } from '../support/schema-scripts.js'
import { templates, testServer } from '../support/test-databases.js'

/** The folders of a server and of its replica, which did not get the last transactions of the server before it took over. */
const directories = [
  mkdtempSync(join(tmpdir(), 'keel-first-')),
  mkdtempSync(join(tmpdir(), 'keel-second-')),
] as const
const portId = sequentialGuid()
const countryId = sequentialGuid()
const servers: EmbeddedPostgres[] = []
let app: App

beforeAll(async () => {
  const [first, second] = directories
  const server = await ensurePostgres({ directory: first, port: await nextFreePort(24_500) })
  servers.push(server)
  await createDatabase(server, 'hub')
  await withHub(server, async (client) => {
    await runSchemaScripts(client, 'hub')
    await client.query(
      `insert into "HubCountries" ("Id", "Code", "Alpha3Code", "NumericCode", "Name") values ($1, 'NL', 'NLD', '528', 'Netherlands')`,
      [countryId],
    )
  })
  await server.stop()
  for (const name of ['postgres', 'postgres.json'])
    cpSync(join(first, name), join(second, name), { recursive: true })
  servers[0] = await ensurePostgres({ directory: first, port: server.port })
  servers.push(await ensurePostgres({ directory: second, port: await nextFreePort(24_600) }))
  app = await startApp()
}, 120_000)
afterAll(async () => {
  await app?.close()
  for (const server of servers) await server.stop('at-once')
  for (const folder of directories) rmSync(folder, { recursive: true, force: true })
})

async function withHub<T>(server: EmbeddedPostgres, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.urlOf('hub') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Writes the port with transactions of one number on both servers, with a name on each. */
async function writeAtOnce(names: readonly [string, string]): Promise<void> {
  const next = (client: pg.Client) =>
    client
      .query<{ id: string }>('select pg_current_xact_id() as id')
      .then(({ rows }) => Number(rows[0]?.id) + 1)
  const ahead = Math.max(...(await Promise.all(servers.map((server) => withHub(server, next))))) + 50
  const numbers = servers.map((server, index) =>
    withHub(server, async (client) => {
      while ((await next(client)) < ahead);
      const { rows } = await client.query<{ xmin: string }>(
        `insert into "HubPorts" ("Id", "UnLocode", "Name", "NameWoDiacritics", "CountryId", "CountryCode", "FunctionCodes", "IsSeaport",
           "IsRailTerminal", "IsRoadTerminal", "IsAirport", "IsInlandDepot") values ($1, 'NLRTM', $2, $2, $3, 'NL', '1', true, false, false, false, false)
         on conflict ("Id") do update set "Name" = excluded."Name" returning xmin::text`,
        [portId, names[index], countryId],
      )
      return Number(rows[0]?.xmin)
    }),
  )
  expect(await Promise.all(numbers)).toEqual([ahead, ahead])
}

/** Starts a host whose Hub database is at an address. The answer asks for the names of its ports until the host knows them. */
async function portsAt(address: string): Promise<() => Promise<string[]>> {
  const host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'AuthServer:Authority': app.host.issuer.address, 'ConnectionStrings:Hub': address },
  })
  onTestFinished(() => host.close())
  const admin = await host.as({ subject: (await app.admin()).userId })
  return async () => {
    for (;;) {
      const answer = await admin.fetch('/api/hub/port?MaxResultCount=10')
      const { items } = (await answer.json()) as { items?: readonly { name: string }[] }
      if (items) return items.map(({ name }) => name)
    }
  }
}

function hubOf(index: 0 | 1): string {
  return (servers[index] as EmbeddedPostgres).urlOf('hub')
}

test('no row of the server before is told after a failover that the connection for changes does not notice', async () => {
  await writeAtOnce(['Lost', 'Kept'])
  const proxy = await startFreezingProxy(hubOf(0))
  onTestFinished(() => proxy.close())
  const ports = await portsAt(proxy.through(hubOf(0)))
  expect([await ports(), await ports()]).toEqual([['Lost'], ['Lost']])
  onTestFinished(() => proxy.thaw())
  proxy.freeze('change feeds')
  proxy.failOver(hubOf(1))
  expect(await ports()).toEqual(['Kept'])
}, 60_000)

test.skipIf(noPooler)(
  'behind a pooler, which keeps its connections, rows are those of the new server within two seconds',
  async () => {
    await writeAtOnce(['Lost again', 'Kept again'])
    const proxy = await startFreezingProxy(hubOf(0))
    const pooler = await startPooler(proxy.through(hubOf(0)))
    onTestFinished(async () => {
      pooler.stop()
      await proxy.close()
    })
    const ports = await portsAt(pooler.through(hubOf(0)))
    expect([await ports(), await ports()]).toEqual([['Lost again'], ['Lost again']])
    proxy.failOver(hubOf(1))
    await ports()
    await expect.poll(ports, { timeout: 2000 }).toEqual(['Kept again'])
  },
  60_000,
)
