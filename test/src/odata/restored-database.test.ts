import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiHost } from '@keel/api-host'
import { type EmbeddedPostgres, ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { createDatabase, sequentialGuid } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { runSchemaScripts } from '../support/schema-scripts.js'
import { templates, testServer } from '../support/test-databases.js'

/** A server of its own, to be stopped and put back. */
const directory = mkdtempSync(join(tmpdir(), 'keel-restored-'))
const copy = `${directory}-copy`
const countryId = sequentialGuid()
let port: number
let written: number
let server: EmbeddedPostgres
let app: App
let host: TestHost

beforeAll(async () => {
  port = await nextFreePort(54_400)
  server = await ensurePostgres({ directory, port })
  await createDatabase(server, 'hub')
  await withHub(async (client) => {
    await runSchemaScripts(client, 'hub')
  })
  app = await startApp()
  host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: {
      'AuthServer:Authority': app.host.issuer.address,
      'ConnectionStrings:Hub': server.urlOf('hub'),
    },
  })
  written = await rename('Before')
})
afterAll(async () => {
  await host?.close()
  await app?.close()
  await server?.stop('at-once')
  for (const folder of [directory, copy]) rmSync(folder, { recursive: true, force: true })
})

async function withHub<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.urlOf('hub') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Writes the country and answers the number of the transaction that did: the one asked for, unless that is in the past. */
function rename(name: string, transaction = 0): Promise<number> {
  return withHub(async (client) => {
    const next = async () =>
      Number((await client.query('select pg_current_xact_id() as id')).rows[0]?.id as string) + 1
    while ((await next()) < transaction);
    const { rows } = await client.query<{ xmin: string }>(
      `insert into "HubCountries" ("Id", "Code", "Alpha3Code", "NumericCode", "Name") values ($1, 'NL', 'NLD', '528', $2)
       on conflict ("Id") do update set "Name" = excluded."Name" returning xmin::text`,
      [countryId, name],
    )
    return Number(rows[0]?.xmin)
  })
}

async function restart(between: () => void): Promise<void> {
  await server.stop()
  between()
  server = await ensurePostgres({ directory, port })
}

test('what was read before a restore is sent again, even when a transaction of the same number wrote it anew', async () => {
  await restart(() => cpSync(join(directory, 'postgres'), copy, { recursive: true }))
  // Far enough ahead of what the host itself writes after a restart.
  const lost = await rename('Lost', written + 500)
  const admin = await host.as({ subject: (await app.admin()).userId })
  const path = `/odata/Countries(${countryId})?$select=Name`
  await expect.poll(async () => (await admin.fetch(path)).status, { timeout: 20_000 }).toBe(200)
  const before = await admin.fetch(path)
  const tag = before.headers.get('etag') ?? ''
  expect(await before.json()).toMatchObject({ Name: 'Lost' })
  expect((await admin.fetch(path, { headers: { 'if-none-match': tag } })).status).toBe(304)

  await restart(() => {
    rmSync(join(directory, 'postgres'), { recursive: true })
    cpSync(copy, join(directory, 'postgres'), { recursive: true })
  })
  expect(await rename('Restored', lost)).toBe(lost)

  const answer = () => admin.fetch(path, { headers: { 'if-none-match': tag } })
  await expect.poll(async () => (await answer()).status !== 503, { timeout: 20_000 }).toBe(true)
  const after = await answer()
  expect([after.status, after.status === 200 && (await after.json())]).toMatchObject([
    200,
    { Name: 'Restored' },
  ])
  expect(after.headers.get('etag')).not.toBe(tag)
})
