import { AutoApiController, KeelModule, Module } from '@keel/framework'
import { AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import { Databases, dropDatabase } from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { AllowAnonymous } from '@keel/framework/security'
import { startTestHost } from '@keel/framework/testing'
import { ShipmentAppService } from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { CurrencyAppService } from '@keel/pricing/contracts'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { testOfDirectConnections } from '../support/direct-connections.js'
import { testOfOneProcess } from '../support/one-process.js'
import { isPooled, testServer, wellStatus } from '../support/test-databases.js'
import { send } from '../support/wire.js'

let server: pg.Client

beforeAll(async () => {
  server = new pg.Client(testServer.urlOf('postgres'))
  await server.connect()
})
afterAll(() => server?.end())

/** A host that a test may break. */
async function start(settings?: Record<string, string>): Promise<App> {
  const app = await startApp(undefined, settings)
  onTestFinished(() => app.close())
  return app
}

const databaseName = (app: App, connection: string): string =>
  new URL(app.host.databaseUrl(connection)).pathname.slice(1)

/** Ends the connections to a database that a condition on pg_stat_activity chooses. */
async function cut(database: string, condition = 'true'): Promise<number> {
  const { rowCount } = await server.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and ${condition}`,
    [database],
  )
  return rowCount ?? 0
}

// A pooler keeps a caller waiting for a database that is gone for as long as it is set up to (`query_wait_timeout`).
testOfDirectConnections(
  'a host one of whose databases is gone is Degraded, says which, and answers 503 where it is needed',
  async () => {
    const app = await start()
    const caller = await app.as({ roles: [Admin] })
    await dropDatabase(testServer, databaseName(app, 'Pricing'))
    expect(await send(app.host, 'GET', '/health/ready')).toMatchObject({
      status: 200,
      body: {
        status: 'Degraded',
        entries: {
          'Default database': { status: 'Healthy' },
          'Hub database': { status: 'Healthy' },
          'Pricing database': {
            status: 'Degraded',
            description: 'The database does not answer: it does not exist (3D000).',
          },
          'Pricing change feed': { status: 'Degraded' },
        },
      },
    })
    const currency = { code: 'XTS', numericCode: '963', name: 'Test', minorUnits: 2 }
    const answers = await Promise.all([
      send(caller, 'GET', '/api/pricing/currency'),
      send(caller, 'POST', '/api/pricing/currency', currency),
      send(caller, 'GET', '/api/hub/port?maxResultCount=1'),
    ])
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '5'],
      [503, '5'],
      [200, null],
    ])
    expect(answers[0]?.body.error.message).toBe('The database Pricing is not available.')
  },
)

const testOfListening = isPooled ? testOfDirectConnections : testOfOneProcess
testOfListening(
  'a host that does not hear changes is Degraded, works on, and is Healthy once it hears them again',
  async () => {
    const app = await start()
    const caller = await app.as({ roles: [Admin] })
    const database = databaseName(app, 'Hub')
    await send(caller, 'GET', '/api/hub/port?maxResultCount=1')
    await server.query(`alter database ${database} allow_connections false`)
    expect(await cut(database, `application_name = 'keel change feed'`)).toBe(1)
    await expect.poll(async () => (await send(app.host, 'GET', '/health/ready')).body.status).toBe('Degraded')
    expect(await send(app.host, 'GET', '/health/ready')).toMatchObject({
      status: 200,
      body: {
        entries: {
          'Hub change feed': { status: 'Degraded', description: expect.stringContaining('found by looking') },
        },
      },
    })
    expect((await send(caller, 'GET', '/api/hub/port?maxResultCount=1')).status).toBe(200)
    await server.query(`alter database ${database} allow_connections true`)
    await expect
      .poll(async () => (await send(app.host, 'GET', '/health/ready')).body.status, {
        timeout: 10_000,
        interval: 50,
      })
      .toBe('Healthy')
  },
)

test('connections that the server cut are made anew without anybody noticing', async () => {
  const app = await start()
  const caller = await app.as({ roles: [Admin] })
  const shipments = caller.service(ShipmentAppService)
  await shipments.create({ shipmentReference: 'CUT-1' })
  for (const connection of ['Default', 'Hub', 'Pricing']) await cut(databaseName(app, connection))
  // The host hears of it in its own time.
  await expect
    .poll(async () => (await send(app.host, 'GET', '/health/ready')).body.status, { timeout: 10_000 })
    .toBe(wellStatus)
  expect(await shipments.create({ shipmentReference: 'CUT-2' })).toMatchObject({ shipmentReference: 'CUT-2' })
  expect(await shipments.getList({})).toMatchObject({ totalCount: 2 })
})

test('a statement that takes too long is cancelled, and its caller told to come back', async () => {
  const app = await start({ 'Database:StatementTimeoutMs': '300' })
  const admin = await app.admin()
  const shipments = admin.service(ShipmentAppService)
  const { id } = await shipments.create({ shipmentReference: 'LOCKED-1' })
  const hub = app.host.get(Databases).named('Hub')
  await hub.withConnection(async (client) => {
    await client.query('begin')
    await client.query('select 1 from "HubShipments" where "Id" = $1 for update', [id])
    const answer = await admin.fetch(`/api/hub/shipment/${id}`, { method: 'DELETE' })
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true])
    await client.query('rollback')
  })
  expect((await shipments.get(id)).shipmentReference).toBe('LOCKED-1')
})

testOfOneProcess(
  'who would wait behind too many others for a connection is told at once to come back, and the others are answered',
  async () => {
    const app = await start({ 'Database:MaxQueryPoolSize': '1', 'Database:MaxWaiting': '3' })
    const admin = await app.admin()
    const list = () => admin.fetch('/api/hub/shipment?MaxResultCount=1')
    expect((await list()).status).toBe(200)
    const refused: Response[] = []
    const answers = await app.host
      .get(Databases)
      .named('Hub')
      .withConnection(async (client) => {
        await client.query('begin')
        await client.query('lock table "HubShipments"')
        // One statement waits for the lock, and three for the connection that it has.
        const asked = Array.from({ length: 8 }, list)
        for (const answer of asked)
          void answer.then((response) => response.status === 503 && refused.push(response))
        await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(4)
        await client.query('rollback')
        return asked
      })
    expect(refused.map((response) => response.headers.get('retry-after'))).toEqual(['1', '1', '1', '1'])
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  },
)

test('instants come in UTC whatever the zone of the server', async () => {
  const app = await start()
  const database = databaseName(app, 'Hub')
  await server.query(`alter database ${database} set timezone to 'Asia/Tokyo'`)
  await cut(database)
  await expect
    .poll(async () => (await send(app.host, 'GET', '/health/ready')).body.status, { timeout: 10_000 })
    .toBe(wellStatus)
  const shipments = (await app.as({ roles: [Admin] })).service(ShipmentAppService)
  const { id } = await shipments.create({
    shipmentReference: 'ZONE',
    estimatedDeparture: '2026-12-01T10:00:00+02:00',
  })
  const { items } = await shipments.getList({})
  expect([(await shipments.get(id)).estimatedDeparture, items[0]?.estimatedDeparture]).toEqual([
    new Date('2026-12-01T08:00:00Z'),
    new Date('2026-12-01T08:00:00Z'),
  ])
})

test('a use case that fails half-way leaves nothing behind and gives its connection back', async () => {
  const app = await start({ 'Database:MaxPoolSize': '2' })
  const caller = await app.as({ roles: [Admin] })
  const currencies = caller.service(CurrencyAppService)
  const wrong = { shipmentReference: 'HALF', transportModeId: '00000000-0000-4000-8000-000000000000' }
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(caller.service(ShipmentAppService).create(wrong)).rejects.toMatchObject({ status: 400 })
  }
  expect(await caller.service(ShipmentAppService).getList({})).toMatchObject({ totalCount: 0 })
  expect(await currencies.getList({})).toMatchObject({ totalCount: expect.any(Number) })
})

class PauseDto extends Dto({ note: z.string() }) {}
abstract class PauseAppService extends AppService(remoteService('Test', 'test'), 'PauseAppService', {
  wait: op().returns(PauseDto),
}) {}

/** A moment that one side waits for and the other brings about. */
class Moment {
  come = (): void => undefined
  readonly passed = new Promise<void>((resolve) => {
    this.come = resolve
  })
}
const begun = new Moment()
const end = new Moment()

@AutoApiController(PauseAppService)
@AllowAnonymous()
class PauseService implements PauseAppService {
  async wait(): Promise<PauseDto> {
    begun.come()
    await end.passed
    return { note: 'done' }
  }
}

@Module({ dependsOn: [HttpModule], services: [PauseService] })
class PauseHost extends KeelModule {}

test('a host that is told to stop answers what is in flight and takes no more', async () => {
  const host = await startTestHost(PauseHost, { server: testServer, templates: {} })
  const inFlight = fetch(`${host.url}/api/test/pause/wait`, { method: 'POST' })
  await begun.passed
  const closed = host.close()
  await expect
    .poll(() =>
      fetch(host.url).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused')
  end.come()
  const answer = await inFlight
  expect([answer.status, await answer.json()]).toEqual([200, { note: 'done' }])
  await closed
})
