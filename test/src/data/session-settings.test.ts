import { ApiHost } from '@keel/api-host'
import { Databases, UnitOfWork } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { ShipmentAppService } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addShipments } from '../support/hub-rows.js'
import { type RecordingProxy, settingsThrough, startRecordingProxy } from '../support/recording-proxy.js'
import { directServer, templates, testServer } from '../support/test-databases.js'

/** A host straight at PostgreSQL, of few connections: each of them goes from one use to another. */
let app: App
let proxy: RecordingProxy
let host: TestHost

beforeAll(async () => {
  app = await startApp()
  proxy = await startRecordingProxy(directServer.urlOf('postgres'))
  await addShipments(
    app,
    Array.from({ length: 50 }, (_, index) => ({ ShipmentReference: `S${index}` })),
  )
  host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: {
      ...settingsThrough(proxy, app),
      'Database:MaxPoolSize': '3',
      'Database:StatementTimeoutMs': '4000',
      'Database:QueryTimeoutMs': '600',
    },
  })
})
afterAll(async () => {
  await host?.close()
  await proxy?.close()
  await app?.close()
})

const text = `select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as readonly,
  current_setting('jit') as jit, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('plan_cache_mode') as plans`
const withValue = { text: `${text} where $1 > 0`, values: [1] }

test('limits and modes are those of the use, whatever the connection was used for before', async () => {
  const hub = host.get(Databases).named('Hub')
  const values = async (rows: Promise<object[]>) => Object.values((await rows)[0] ?? {})
  const [usual] = [await values(hub.query(withValue))]
  expect(usual.slice(0, 2)).toEqual(['4s', 'off'])
  const uses: readonly (() => Promise<void>)[] = [
    async () => expect(await values(hub.query(withValue))).toEqual(usual),
    async () => expect(await values(hub.query({ text, values: [] }))).toEqual(usual),
    async () => expect(await values(UnitOfWork.run(() => hub.query(withValue)))).toEqual(usual),
    async () => {
      const [found = []] = await hub.queryForCaller(withValue)
      expect(found.map((value) => value?.join(''))).toEqual(['600ms', 'on', 'off', usual[3], 'auto'])
    },
    async () => {
      const kept = { ...withValue, name: 'kept', keepsPlan: true }
      expect(await hub.queryListText(kept)).toEqual([['600ms', 'on', 'off', usual[3], 'force_generic_plan']])
      const [one] = await UnitOfWork.run(() => hub.queryListText(kept))
      expect(one).toEqual(usual)
    },
    async () => {
      for await (const rows of hub.stream(withValue))
        expect(rows).toEqual([['4s', 'on', 'off', '10min', 'auto']])
    },
    async () => {
      const slow = () => hub.queryForCaller({ text: 'select pg_sleep($1)', values: [20] })
      await expect(slow()).rejects.toMatchObject({ cause: { code: '57014' } })
    },
    async () => {
      const failed = () => UnitOfWork.run(() => hub.query({ text: 'select 1 / $1::int', values: [0] }))
      await expect(failed()).rejects.toMatchObject({ code: '22012' })
    },
  ]
  // Each use after each other one.
  for (const one of uses)
    for (const next of uses) {
      await one()
      await next()
    }
})

test('no message of settings waits for an answer of its own', async () => {
  const caller = await host.as({ subject: (await app.admin()).userId })
  const read = async (path: string, headers = {}): Promise<number> => {
    const answer = await caller.fetch(path, { headers })
    await answer.text()
    return answer.status
  }
  const work = async (index: number): Promise<number[]> => [
    await read(`/api/hub/shipment?maxResultCount=5&filter=S${index}`),
    await read(`/odata/Shipments?$filter=contains(ShipmentReference,'${index}')&$count=true`),
    await caller
      .service(ShipmentAppService)
      .create({ shipmentReference: `New${index}` })
      .then(({ id }) => read(`/api/hub/shipment/${id}`)),
  ]
  const before = proxy.turns().length
  const streaming = (async () => {
    const statuses: number[] = []
    for (let round = 0; round < 10; round += 1)
      statuses.push(await read('/odata/Shipments?$select=Id', { prefer: 'maxpagesize=3000' }))
    return statuses
  })()
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, index) => work(index)))
  expect(new Set([...statuses.flat(), ...(await streaming)])).toEqual(new Set([200]))
  const settings = proxy
    .turns()
    .slice(before)
    .filter(({ text }) => /\bset (statement_timeout|default_transaction_read_only) =/.test(text))
  expect(settings.length).toBeGreaterThan(0)
  expect(settings.filter(({ messages }) => messages.length < 2)).toEqual([])
})
