import { randomUUID } from 'node:crypto'
import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { ambient, withAmbient } from '@keel/framework'
import { Databases, sql, UnitOfWork } from '@keel/framework/data'
import {
  DocumentPermissions,
  PortAppService,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { hubOf, portId } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'

/** How callers share the host: what one of them asks does not make another wait. */
let app: App

beforeAll(async () => {
  // What waits for a lock waits as long as the test says.
  app = await startApp(undefined, { 'Database:QueryTimeoutMs': '60000' })
})
afterAll(() => app.close())

/** Keeps all who read a table of Hub waiting until the returned function is called. */
const block = (table: string): Promise<() => void> => holding(app, `lock table "${table}"`)

/** Runs a statement that takes locks in Hub's database, and keeps them until the returned function is called. */
async function holding(of: App, statement: string): Promise<() => void> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await new Promise<void>((resolve) => {
    const held = hubOf(of).withConnection(async (client) => {
      await client.query(`begin; ${statement}`)
      resolve()
      await released
      await client.query('rollback')
    })
    onTestFinished(() => {
      release()
      return held
    })
  })
  return release
}

async function blockedStatements(of = app): Promise<number> {
  const rows = await hubOf(of).query({
    text: `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    values: [],
  })
  return rows.length
}

testOfOneProcess(
  'one user with four keys has one line and one slow query at a time, and others are answered meanwhile',
  async () => {
    const permissions = [ShipmentPermissions.View, PortPermissions.View, ApiKeyPermissions.Create]
    const [eager, other] = [await app.as({ permissions }), await app.as({ permissions })]
    const keys = await Promise.all(
      [1, 2, 3, 4].map((name) => eager.service(ApiKeyAppService).create({ name: `Key ${name}` })),
    )
    const release = await block('HubShipments')
    const statuses: number[] = []
    const asked = keys.flatMap(({ key }) =>
      Array.from({ length: 10 }, async (_, index) => {
        // Another shape each time, so that nobody can know what it costs.
        const filter = `${'1 eq 1 and '.repeat(index)}matchesPattern(ShipmentReference,'(a+)+$')`
        const answer = await app.host.fetch(`/odata/Shipments?$filter=${encodeURIComponent(filter)}`, {
          headers: { 'x-api-key': key },
        })
        statuses.push(answer.status)
        await answer.text()
      }),
    )
    // Four that are answered at a time, and sixteen that wait.
    await expect.poll(() => statuses.length, { timeout: 20_000 }).toBe(20)
    expect(new Set(statuses)).toEqual(new Set([503]))
    await expect.poll(() => blockedStatements(), { timeout: 10_000 }).toBe(1)
    const answer = await other.fetch('/odata/Ports?$top=1')
    expect([answer.status, statuses.length]).toEqual([200, 20])
    release()
    await Promise.all(asked)
    expect(statuses.slice(20)).toEqual(Array.from({ length: 20 }, () => 200))
  },
)

testOfOneProcess(
  'costly searches of REST lists keep one connection of their caller, and other lists none waiting',
  async () => {
    const permissions = [DocumentPermissions.View, PortPermissions.View, ApiKeyPermissions.Create]
    const [eager, other] = [await app.as({ permissions }), await app.as({ permissions })]
    const keys = await Promise.all(
      [1, 2, 3, 4].map((name) => eager.service(ApiKeyAppService).create({ name: `Key ${name}` })),
    )
    const release = await block('HubDocuments')
    const statuses: number[] = []
    const asked = keys.flatMap(({ key }, name) =>
      Array.from({ length: 2 }, async (_, index) => {
        const path = `/api/hub/document?ShipmentId=${randomUUID()}&Filter=${name}-${index}`
        const answer = await app.host.fetch(path, {
          headers: { 'x-api-key': key },
        })
        statuses.push(answer.status)
        await answer.text()
      }),
    )
    await expect.poll(() => blockedStatements(), { timeout: 20_000 }).toBe(1)
    for (const path of ['/api/hub/port?MaxResultCount=1', '/api/hub/port?MaxResultCount=1&Filter=a'])
      expect([(await other.fetch(path)).status, await blockedStatements(), statuses]).toEqual([200, 1, []])
    release()
    await Promise.all(asked)
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200))
  },
)

testOfOneProcess(
  'sums over many rows keep one connection of their caller, however many are asked for',
  async () => {
    const permissions = [ShipmentPermissions.View, PortPermissions.View]
    const [eager, other] = [await app.as({ permissions }), await app.as({ permissions })]
    const release = await block('HubShipments')
    const statuses: number[] = []
    const asked = Array.from({ length: 20 }, async () => {
      const answer = await eager.fetch('/api/hub/shipment/statistics?GroupBy=status')
      statuses.push(answer.status)
      await answer.text()
    })
    await expect.poll(() => blockedStatements(), { timeout: 20_000 }).toBe(1)
    const answer = await other.fetch(`/api/hub/port/${portId('NLRTM')}`)
    expect([answer.status, await blockedStatements(), statuses]).toEqual([200, 1, []])
    release()
    await Promise.all(asked)
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
  },
)

testOfOneProcess(
  'writes of one caller that wait for a connection let those of another go first',
  async () => {
    const permissions = [PortPermissions.View, PortPermissions.Edit]
    const [eager, other] = [await app.as({ permissions }), await app.as({ permissions })]
    const rename = async (who: typeof eager, unLocode: string, name: string) => {
      const port = { unLocode, name, isSeaport: true, isAirport: false }
      await who.service(PortAppService).update(portId(unLocode), port)
    }
    const release = await holding(app, `select from "HubPorts" where "Id" = '${portId('NLRTM')}' for update`)
    let answered = 0
    const asked = Array.from({ length: 60 }, (_, index) =>
      // Of two that wait for the same row, the second is refused.
      rename(eager, 'NLRTM', `Rotterdam ${index}`)
        .catch(() => undefined)
        .finally(() => {
          answered += 1
        }),
    )
    const waiting = () => hubOf(app).connectionsNow.pending
    await expect.poll(waiting, { timeout: 10_000 }).toBe(54)
    const renamed = rename(other, 'DEHAM', 'Hamburg').then(() => answered)
    await expect.poll(waiting, { timeout: 10_000 }).toBe(55)
    release()
    expect(await renamed).toBeLessThan(30)
    await Promise.all(asked)
  },
)

testOfOneProcess('lists of one caller that wait leave room in the line for those of others', async () => {
  const small = await startApp(undefined, {
    'Database:QueryTimeoutMs': '60000',
    'Database:MaxWaiting': '20',
  })
  onTestFinished(() => small.close())
  const permissions = [PortPermissions.View]
  const [eager, other] = [await small.as({ permissions }), await small.as({ permissions })]
  const listed = (who: typeof eager, filter: string) =>
    who.fetch(`/api/hub/port?MaxResultCount=1&Filter=${filter}`).then(({ status }) => status)
  const release = await holding(small, 'lock table "HubPorts"')
  const statuses: number[] = []
  const ask = async (index: number) => {
    statuses.push(await listed(eager, `x${index}`))
  }
  const first = ask(0)
  await expect.poll(() => blockedStatements(small), { timeout: 20_000 }).toBe(1)
  const asked = [first, ...Array.from({ length: 59 }, (_, index) => ask(index + 1))]
  const patience = { timeout: 8000, interval: 10 }
  // One runs, 20 wait.
  await expect.poll(() => statuses.length, patience).toBe(39)
  const waits = listed(other, 'rotterdam')
  // It took the place of one of the others.
  await expect.poll(() => statuses.length, patience).toBe(40)
  expect(new Set(statuses)).toEqual(new Set([503]))
  release()
  expect(await waits).toBe(200)
  await Promise.all(asked)
})

testOfOneProcess('what is slow or new of a caller counts in all databases together', async () => {
  const pricing = app.host.get(Databases).named('Pricing')
  const as = <T>(userId: string, work: () => Promise<T>) =>
    withAmbient({ ...ambient(), principal: { ...ambient().principal, kind: 'user', userId } }, work)
  const release = await block('HubDocuments')
  const inHub = as('eager', () => hubOf(app).queryList(sql`select 1 from "HubDocuments" limit 1`))
  await expect.poll(() => blockedStatements(), { timeout: 20_000 }).toBe(1)
  let hasAnswer = false
  const inPricing = as('eager', () => pricing.queryList(sql`select 'of eager' as text`)).then(() => {
    hasAnswer = true
  })
  for (const one of [1, 2, 3])
    await as('other', () => pricing.queryList(sql`select ${one}::int, 'of the other' as text`))
  expect(hasAnswer).toBe(false)
  release()
  await Promise.all([inHub, inPricing])
  expect(hasAnswer).toBe(true)
})

test('a list within a unit of work has what that wrote', async () => {
  const hub = hubOf(app)
  const shown = await UnitOfWork.run(async () => {
    await hub.execute(sql`create table "OfThisUnit" as select 1 as n`)
    const [row] = await hub.queryList<{ n: number }>(sql`select n from "OfThisUnit"`)
    const texts = await hub.queryListText({ text: 'select n from "OfThisUnit"', values: [] })
    await hub.execute(sql`drop table "OfThisUnit"`)
    return [row?.n, texts]
  })
  expect(shown).toEqual([1, [['1']]])
})
