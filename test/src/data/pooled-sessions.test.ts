import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ApiHost } from '@keel/api-host'
import {
  applySchemaScripts,
  Databases,
  inTransaction,
  UnitOfWork,
  withoutStatementTimeout,
} from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addShipments } from '../support/hub-rows.js'
import { noPooler, type Pooler, startPooler } from '../support/pgbouncer.js'
import { templates, testServer } from '../support/test-databases.js'

/** Connections to each database that the pooler shares among everybody. */
const poolSize = 4
const writes = 80
const readers = 4

describe.skipIf(noPooler)('behind a PgBouncer in transaction mode', () => {
  let app: App
  let pooler: Pooler
  let host: TestHost

  beforeAll(async () => {
    app = await startApp()
    pooler = await startPooler(app.host.databaseUrl('Default'), { poolSize })
    await addShipments(
      app,
      Array.from({ length: 50 }, (_, index) => ({ ShipmentReference: `P${index}` })),
    )
    host = await startTestHost(ApiHost, {
      server: testServer,
      templates,
      beside: app.host,
      settings: {
        ...Object.fromEntries(
          Object.keys(templates).map((name) => [
            `ConnectionStrings:${name}`,
            pooler.through(app.host.databaseUrl(name)),
          ]),
        ),
        'AuthServer:Authority': app.host.issuer.address,
        'Database:StatementTimeoutMs': '4000',
        'Database:QueryTimeoutMs': '700',
      },
    })
  })
  afterAll(async () => {
    await host?.close()
    pooler?.stop()
    await app.close()
  })

  test('no write fails beside readers of every kind', async () => {
    const caller = await host.as({ subject: (await app.admin()).userId })
    let isOver = false
    const read = async (path: string): Promise<number[]> => {
      const failures: number[] = []
      while (!isOver) {
        const answer = await caller.fetch(path)
        await answer.text()
        if (answer.status !== 200) failures.push(answer.status)
      }
      return failures
    }
    const reading = Array.from({ length: readers }, (_, index) => [
      read(`/odata/Shipments?$filter=contains(ShipmentReference,'${index}')&$count=true`),
      read(`/odata/Ports?$skip=${index}`),
      read(`/api/hub/shipment?maxResultCount=${index + 1}`),
    ]).flat()
    const write = async (index: number): Promise<string> => {
      const answer = await caller.fetch('/api/hub/shipment', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ shipmentReference: `W${index}` }),
      })
      return answer.status === 200 ? 'written' : `${answer.status} ${await answer.text()}`.slice(0, 300)
    }
    const outcomes: string[] = []
    for (let index = 0; index < writes; index += 4)
      outcomes.push(...(await Promise.all([0, 1, 2, 3].map((more) => write(index + more)))))
    isOver = true
    expect((await Promise.all(reading)).flat()).toEqual([])
    expect(outcomes).toEqual(Array.from({ length: writes }, () => 'written'))
  })

  test('limits and modes hold for each statement, however it is sent', async () => {
    const hub = host.get(Databases).named('Hub')
    const text = `select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as readonly,
      current_setting('TimeZone') as zone`
    const values = async (rows: Promise<object[]>) => Object.values((await rows)[0] ?? {})
    const withValue = { text: `${text} where $1 > 0`, values: [1] }
    const usual = ['4s', 'off', 'UTC']
    expect(await values(hub.query({ text, values: [] }))).toEqual(usual)
    expect(await values(hub.query(withValue))).toEqual(usual)
    expect(await values(hub.queryText(withValue))).toEqual(usual)
    expect(await UnitOfWork.run(() => values(hub.query(withValue)))).toEqual(usual)
    const [callers = []] = await hub.queryForCaller(withValue)
    expect(callers.map((value) => value?.join(''))).toEqual(['700ms', 'on', 'UTC'])
    expect(await hub.queryListText({ ...withValue, name: 'kept', keepsPlan: true })).toEqual([
      ['700ms', 'on', 'UTC'],
    ])
    for await (const rows of hub.stream(withValue)) expect(rows).toEqual([['4s', 'on', 'UTC']])
    await expect(hub.queryForCaller({ text: 'select pg_sleep($1)', values: [20] })).rejects.toMatchObject({
      cause: { code: '57014' },
    })
    const writing = { text: 'create table "Caller" as select $1::int as "Id"', values: [1] }
    await expect(hub.queryForCaller(writing)).rejects.toMatchObject({ code: '25006' })
    expect(await values(hub.query(withValue))).toEqual(usual)
  })

  test('a mistake in a statement is told at its place in the text', async () => {
    const hub = host.get(Databases).named('Hub')
    await expect(hub.query({ text: 'select wrong', values: [] })).rejects.toMatchObject({ position: '8' })
  })

  test('what allows no transaction around it runs where the limit is lifted', async () => {
    const hub = host.get(Databases).named('Hub')
    await hub.withConnection((session) =>
      withoutStatementTimeout(session, async () => {
        await session.query('vacuum "HubPorts"')
        await inTransaction(session, async () => {
          const { rows } = await session.query(`select current_setting('statement_timeout') as timeout`)
          expect(rows).toEqual([{ timeout: '0' }])
        })
      }),
    )
  })

  test('changes of the schema by two callers at once are applied once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keel-scripts-'))
    writeFileSync(join(folder, '0001-one.sql'), 'create table "One" ("Id" int);')
    writeFileSync(join(folder, '0002-two.sql'), 'create table "Two" ("Id" int);')
    // The database of the migrator, which has no scripts of its own.
    const database = host.get(Databases).named('Default')
    const own = pathToFileURL(`${folder}/`)
    const applied = await Promise.all([1, 2].map(() => applySchemaScripts(database, own, () => undefined)))
    const names = applied.flat().filter((name) => !name.startsWith('framework/'))
    expect(names.sort()).toEqual(['0001-one.sql', '0002-two.sql'])
    rmSync(folder, { recursive: true })
  })

  test('other applications find nothing left on the connections that they share with us', async () => {
    for (const name of Object.keys(templates)) {
      const [usual = {}] = await statesOf([app.host.databaseUrl(name)])
      const seen = await statesOf(Array(poolSize).fill(pooler.through(app.host.databaseUrl(name))))
      // Each of the pooler's connections was looked at.
      expect(new Set(seen.map(({ pid }) => pid)).size).toBe(poolSize)
      for (const state of seen) expect({ ...state, pid: usual.pid }).toEqual(usual)
    }
  })
})

type State = Readonly<Record<string, unknown>>

/** What a stranger finds on connections that are in use at the same time. */
async function statesOf(addresses: readonly string[]): Promise<State[]> {
  const clients = addresses.map((connectionString) => new pg.Client({ connectionString }))
  try {
    for (const client of clients) {
      await client.connect()
      // Keeps the pooler from giving the same connection to the next.
      await client.query('begin')
    }
    return await Promise.all(
      clients.map(async (client) => {
        const { rows } = await client.query<State>(stateSql)
        return rows[0] as State
      }),
    )
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** All that may be left behind on a session, beside the settings of extensions that were loaded: settings, prepared statements, cursors, channels, temporary tables, locks. */
const stateSql = `select pg_backend_pid() as pid,
  (select jsonb_object_agg(name, setting order by name) from pg_settings
    where name !~ '[.]' and name not in ('transaction_read_only', 'transaction_isolation', 'transaction_deferrable', 'application_name')) as settings,
  (select count(*)::int from pg_prepared_statements) as statements,
  (select count(*)::int from pg_cursors where name <> '') as cursors,
  (select count(*)::int from pg_listening_channels()) as channels,
  (select count(*)::int from pg_class where relpersistence = 't') as temporary,
  (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`
