import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, Databases, sql, UnitOfWork } from '@keel/framework/data'
import { ShipmentAppService } from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { countConnections, testOfConnections } from '../support/connection-count.js'
import { hubOf } from '../support/hub-rows.js'
import { isLong } from '../support/size.js'

/** A host with the default `Database:MaxPoolSize`, and callers that want more than it has. */
let app: App

const maxPoolSize = 13
const callers = 200
/** An answer that takes longer never comes: nothing waits for a connection for more than ten seconds. */
const patienceMs = 60_000

beforeAll(async () => {
  // What is refused is told by its answer.
  app = await startApp(undefined, { 'Log:Level': 'fatal' })
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds")
    select gen_random_uuid(), 'A' || n, n % 3, now(), 'stamp', '{}' from generate_series(1, 20000) n`)
})
afterAll(() => app?.close())

const databases = (): readonly Database[] => app.host.get(Databases).all

/** Expects that no connection is lent any more, and nobody waits. What runs in the background may have one for a moment. */
async function expectAllBack(): Promise<void> {
  for (const database of databases())
    await expect
      .poll(() => database.connectionsNow, { timeout: patienceMs })
      .toMatchObject({ used: 0, pending: 0 })
}

/** Runs `work` and expects that no database had more connections than the host may open meanwhile. */
async function withinLimit(work: () => Promise<void>): Promise<void> {
  const counted = await countConnections(app)
  try {
    await work()
  } finally {
    const most = await counted.stop()
    expect(Object.entries(most).filter(([, connections]) => connections > maxPoolSize)).toEqual([])
  }
}

/** A unit of work on one database that waits for one on another, which waits for another transaction, a stream and a statement on the first. */
function nest(outer: Database, inner: Database): Promise<void> {
  const transaction = (database: Database, next: () => Promise<unknown>): Promise<unknown> =>
    UnitOfWork.run(async () => {
      await database.query(sql`select pg_sleep(0.005)`)
      await next()
    })
  const drain = async (): Promise<void> => {
    for await (const rows of outer.stream(sql`select n from generate_series(1, 200) n`))
      expect(rows.length).toBeGreaterThan(0)
  }
  const statement = (): Promise<unknown> => UnitOfWork.apart(() => outer.query(sql`select 1`))
  return transaction(outer, () =>
    UnitOfWork.apart(() =>
      transaction(inner, async () => {
        await UnitOfWork.apart(() => outer.withConnection((client) => client.query('select 1')))
        await drain()
        await statement()
      }),
    ),
  ).then(() => undefined)
}

testOfConnections(
  'units of work within units of work of two databases, with streams in them, all get what they wait for',
  () =>
    withinLimit(async () => {
      const [one, other] = [databases()[0], hubOf(app)] as [Database, Database]
      expect(one).not.toBe(other)
      const nested = Array.from({ length: callers }, (_, index) =>
        index % 2 ? nest(one, other) : nest(other, one),
      )
      const refused = (await Promise.allSettled(nested)).filter(({ status }) => status === 'rejected')
      expect(refused).toEqual([])
      await expectAllBack()
    }),
  120_000,
)

/** What a hostile caller saw: the status of its answer, `gone` when it left by itself, or why none came. */
type Outcome = number | 'gone' | `refused without Retry-After: ${number}` | `no answer: ${string}`

/** In the long form alone: it waits half a minute until callers that take nothing are cut off. */
const testOfAttack = isLong ? testOfConnections : test.skip

testOfAttack(
  'two hundred hostile callers at once are all answered, and others after them',
  () =>
    withinLimit(async () => {
      const users = await Promise.all(Array.from({ length: 20 }, () => app.as({ roles: [Admin] })))
      const honest = await app.as({ roles: [Admin] })
      const { id } = await honest.service(ShipmentAppService).create({ shipmentReference: 'Contended' })
      const sockets: Socket[] = []
      const outcomes = await Promise.all(
        Array.from({ length: callers }, async (_, index): Promise<readonly Outcome[]> => {
          const user = users[index % users.length] as AppCaller
          const kind = kinds[Math.floor(index / users.length)] as Kind
          const seen: Outcome[] = []
          for (let round = 0; round < 3; round += 1)
            seen.push(await kind({ user, id, key: `${index}-${round}`, sockets }))
          return seen
        }),
      )
      for (const socket of sockets) socket.destroy()
      const unexpected = outcomes
        .flat()
        .filter(
          (outcome) => outcome !== 'gone' && ![200, 204, 403, 409, 429, 503].includes(outcome as number),
        )
      expect(unexpected).toEqual([])
      // The work that was asked for is done, not just refused.
      expect(outcomes.flat().filter((outcome) => outcome === 200).length).toBeGreaterThan(20)
      await expectAllBack()
      const { items } = await honest.service(ShipmentAppService).getList({ maxResultCount: 3 })
      expect(items).toHaveLength(3)
    }),
  240_000,
)

interface Attack {
  readonly user: AppCaller
  /** A shipment that all of them want to change. */
  readonly id: string
  readonly key: string
  readonly sockets: Socket[]
}
type Kind = (attack: Attack) => Promise<Outcome>

const slowPattern = encodeURIComponent(`matchesPattern(ShipmentReference,'(A|A1|A11)*x$')`)
const allShipments = { headers: { prefer: 'maxpagesize=1000000' } }
const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Ten ways to keep connections busy. */
const kinds: readonly Kind[] = [
  ({ user }) => ask(user, '/odata/Shipments', allShipments),
  ({ user }) => leaveAfter(50, user, '/odata/Shipments', allShipments),
  ({ user }) => leaveUnread(user, '/odata/Shipments', allShipments),
  ({ user, sockets }) => stall(user, 'GET', '/odata/Shipments', 'prefer: maxpagesize=1000000', sockets),
  ({ user, key }) => leaveAfter(100, user, `/odata/Shipments?$filter=${slowPattern}&$skip=${key.length}`),
  ({ user, key }) =>
    ask(user, `/odata/Shipments?$filter=contains(ShipmentReference,'${key}')&$count=true&$expand=Documents`),
  ({ user, id, key }) => contend(user, id, key),
  ({ user, key }) =>
    ask(user, '/api/hub/shipment', json('POST', { shipmentReference: `Attack ${key}`, description: key })),
  ({ user, key }) =>
    leaveAfter(5, user, '/api/hub/shipment', json('POST', { shipmentReference: `L ${key}` })),
  ({ user, sockets }) => stall(user, 'POST', '/api/hub/shipment', 'content-length: 1000', sockets),
]

async function ask(user: AppCaller, path: string, init: RequestInit = {}): Promise<Outcome> {
  try {
    const answer = await user.fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) })
    await answer.arrayBuffer()
    const mustTell = [429, 503].includes(answer.status) && !answer.headers.has('retry-after')
    return mustTell ? `refused without Retry-After: ${answer.status}` : answer.status
  } catch (error) {
    return `no answer: ${(error as Error).cause ?? error}`
  }
}

async function contend(user: AppCaller, id: string, key: string): Promise<Outcome> {
  const answer = await user.fetch(`/api/hub/shipment/${id}`, { signal: AbortSignal.timeout(patienceMs) })
  const { shipmentReference, concurrencyStamp } = (await answer.json()) as Record<string, string>
  return ask(
    user,
    `/api/hub/shipment/${id}`,
    json('PUT', { shipmentReference, concurrencyStamp, goods: key }),
  )
}

async function leaveAfter(
  ms: number,
  user: AppCaller,
  path: string,
  init: RequestInit = {},
): Promise<Outcome> {
  const answer = await user.fetch(path, { ...init, signal: AbortSignal.timeout(ms) }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return 'gone'
}

/** Takes the beginning of an answer. */
async function leaveUnread(user: AppCaller, path: string, init: RequestInit): Promise<Outcome> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(patienceMs)])
  try {
    const answer = await user.fetch(path, { ...init, signal })
    await answer.body?.getReader().read()
    gone.abort()
    return 'gone'
  } catch (error) {
    return `no answer: ${(error as Error).cause ?? error}`
  }
}

/** Sends the head of a request, and then neither reads nor writes; stays until the attack is over, unless the host ends it. */
async function stall(
  { token }: AppCaller,
  method: string,
  path: string,
  header: string,
  sockets: Socket[],
): Promise<Outcome> {
  const { hostname, port } = new URL(app.host.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined).pause()
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${header}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  sockets.push(socket)
  await pause(500)
  return 'gone'
}
