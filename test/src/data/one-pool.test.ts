import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { type Database, sql, UnitOfWork } from '@keel/framework/data'
import { ShipmentAppService } from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { expect, onTestFinished } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { countConnections, testOfConnections } from '../support/connection-count.js'
import { hubOf } from '../support/hub-rows.js'
import { isLong } from '../support/size.js'

/** `Database:MaxPoolSize` is the number of connections that a host opens to a database, whatever it uses them for. */
async function start(maxPoolSize: number): Promise<App> {
  const app = await startApp(undefined, { 'Database:MaxPoolSize': String(maxPoolSize) })
  onTestFinished(() => app.close())
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds")
    select gen_random_uuid(), 'P' || n, n % 3, now(), 'stamp', '{}' from generate_series(1, 3000) n`)
  return app
}

/** Everything that a host uses connections for, at once: reads, lists, streams, writes, and the background work that writes cause. */
async function loadEverything(
  app: App,
  times: number,
): Promise<{ readonly statuses: readonly number[]; readonly refusedStreams: number }> {
  const admin = await app.admin()
  const callers = [admin, ...(await Promise.all(Array.from({ length: 5 }, () => app.as({ roles: [Admin] }))))]
  const { key } = await admin.service(ApiKeyAppService).create({ name: 'Load' })
  const statuses: number[] = []
  let refusedStreams = 0
  const get = async (
    caller: AppCaller,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const answer = await caller.fetch(path, { headers })
    await answer.text()
    if (headers['prefer'] && answer.status === 503) refusedStreams += 1
    else statuses.push(answer.status)
  }
  const write = async (caller: AppCaller, reference: string): Promise<void> => {
    const { id } = await caller.service(ShipmentAppService).create({ shipmentReference: reference })
    await caller.service(ShipmentAppService).delete(id)
    statuses.push(204)
  }
  const asked: (() => Promise<void>)[] = []
  for (let round = 0; round < times; round += 1)
    for (const [index, caller] of callers.entries()) {
      const reference = `L-${round}-${index}`
      asked.push(
        () => get(caller, '/api/hub/shipment?maxResultCount=20&filter=P1'),
        () =>
          get(caller, `/odata/Shipments?$filter=contains(ShipmentReference,'${round}')&$count=true&$top=50`),
        () => get(caller, `/odata/Shipments?$apply=groupby((Status),aggregate($count as N))`),
        () => get(caller, '/odata/Shipments?$select=Id', { prefer: 'maxpagesize=3000' }),
        () => get(caller, '/api/identity/users?maxResultCount=5'),
        () => get(caller, '/api/pricing/currency?maxResultCount=5'),
        () => get(caller, '/api/hub/port?maxResultCount=1', { authorization: '', 'x-api-key': key }),
        () => write(caller, reference),
      )
    }
  await Promise.all(asked.map((ask) => ask()))
  return { statuses, refusedStreams }
}

for (const size of isLong ? [2, 5, 10] : [2, 10])
  testOfConnections(
    `a host with MaxPoolSize ${size} opens no more connections to a database, whatever it does at once, and answers`,
    async () => {
      const app = await start(size)
      const counted = await countConnections(app)
      const { statuses, refusedStreams } = await loadEverything(app, 4)
      const most = await counted.stop()
      // A caller has one stream at a time.
      expect([[...new Set(statuses)].sort(), refusedStreams < 24]).toEqual([[200, 204], true])
      const tooMany = Object.entries(most).filter(([, connections]) => connections > size)
      expect([tooMany, (most['Hub'] ?? 0) >= Math.min(size, 5)]).toEqual([[], true])
    },
    120_000,
  )

/** A unit of work that writes, begins another one beside it that writes, and reads beside that one. */
async function nest(hub: Database, reference: string): Promise<void> {
  const read = (): Promise<unknown> => UnitOfWork.apart(() => hub.query(sql`select 1`))
  const write = (key: string, next: () => Promise<unknown>): Promise<void> =>
    UnitOfWork.run(async () => {
      await hub.execute(sql`update "HubShipments" set "Status" = 1 where "ShipmentReference" = ${key}`)
      await next()
    })
  await write(`P${reference}1`, () => UnitOfWork.apart(() => write(`P${reference}2`, read)))
}

testOfConnections(
  'units of work that wait for further connections while they hold one do not wait for each other',
  async () => {
    const app = await start(3)
    const hub = hubOf(app)
    // A caller that waits for a connection is refused after ten seconds.
    await Promise.all(Array.from({ length: 20 }, (_, index) => nest(hub, String(index))))
    // What runs in the background may have one for a moment.
    await expect.poll(() => hub.connectionsNow, { timeout: 5000 }).toMatchObject({ used: 0, pending: 0 })
  },
)

testOfConnections(
  'a hold that can not get its second connection gives up, and its first is free again',
  async () => {
    const app = await start(2)
    const hub = hubOf(app)
    const nested = (): Promise<unknown> =>
      hub.withConnection(() => hub.withConnection(() => hub.withConnection(async () => 1)))
    await expect(nested()).rejects.toThrow('The database Hub is not available.')
    expect(await hub.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    // What runs in the background may have one for a moment.
    await expect.poll(() => hub.connectionsNow, { timeout: 5000 }).toMatchObject({ used: 0, pending: 0 })
  },
)
