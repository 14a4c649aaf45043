import http from 'node:http'
import { connect } from 'node:net'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startApiProcess, startAuthProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'

/** How hosts drain: not ready first, then closed, and whatever they accepted is answered. */
let databases: DatabaseCopies

beforeAll(async () => {
  databases = await copyDatabases()
})
afterAll(() => databases?.drop())

function gone(host: HostProcess): HostProcess {
  onTestFinished(async () => {
    host.child.kill('SIGKILL')
    await host.exitCode
  })
  return host
}

interface Answer {
  readonly status: number | undefined
  /** Whether the host says that the connection ends with this answer. */
  readonly isLast: boolean
}

/** One request; its failure by code. */
function ask(
  url: string,
  agent?: http.Agent,
  headers: Record<string, string> = {},
): Promise<Answer | string> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)
    http
      .get(url, { agent, headers }, (response) => {
        response.on('error', failed).resume()
        response.on('end', () =>
          resolve({ status: response.statusCode, isLast: response.headers.connection === 'close' }),
        )
      })
      .on('error', failed)
  })
}

/** Clients that ask again and again, as a load balancer sends them. */
class Load {
  answered = 0
  /** Everything that was neither 200 nor a refused connection. */
  readonly faults: unknown[] = []
  /** Set when the balancer hears that the host is not ready: it sends this many more to each client until it has understood. */
  more = Number.POSITIVE_INFINITY

  constructor(private readonly url: string) {}

  async client(keepAlive: boolean): Promise<void> {
    const agent = new http.Agent({ keepAlive, maxSockets: 1 })
    for (let after = 0; after < this.more; ) {
      const answer = await ask(this.url, agent)
      if (answer === 'ECONNREFUSED') break
      if (typeof answer === 'object' && answer.status === 200) this.answered += 1
      else this.faults.push(answer)
      if (this.more < Number.POSITIVE_INFINITY) after += 1
    }
    agent.destroy()
  }
}

/** A host that shares two cores with other tests answers some 60 requests in a second: those of all clients take a third of this time. */
const drainMs = 4000
const perClient = 10

test.each([
  ['API host', startApiProcess, '/health/live'],
  ['auth server', startAuthProcess, '/.well-known/openid-configuration'],
] as const)(
  'the %s says that it is not ready, goes on answering for a while, and then closes without a reset',
  async (_name, start, path) => {
    const host = gone(start({ ...databases.env, Log__Requests: 'false', App__DrainDelayMs: `${drainMs}` }))
    const url = await host.url
    const load = new Load(`${url}${path}`)
    const clients = Array.from({ length: 8 }, (_, index) => load.client(index % 2 === 0))
    await expect.poll(() => load.answered, { timeout: 10_000 }).toBeGreaterThan(100)
    const probe = new http.Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(`${url}/health/ready`, probe)).toEqual({ status: 200, isLast: false })

    host.child.kill('SIGTERM')
    await expect
      .poll(() => ask(`${url}/health/ready`, probe), { interval: 10, timeout: drainMs })
      .toEqual({ status: 503, isLast: true })
    const before = load.answered
    load.more = perClient
    await Promise.all(clients)
    expect([load.faults, load.answered - before]).toEqual([[], 8 * perClient])
    await expect.poll(() => ask(`${url}${path}`), { timeout: 10_000 }).toBe('ECONNREFUSED')
    expect(await host.exitCode).toBe(0)
  },
)

test('an answer that takes its time is given after the host has closed', async () => {
  const issuer = await TokenIssuer.start()
  onTestFinished(() => issuer.stop())
  const host = gone(
    startApiProcess({
      ...databases.env,
      AuthServer__Authority: issuer.address,
      AuthServer__RequireHttpsMetadata: 'false',
      // A list is ended after five seconds by default.
      Database__QueryTimeoutMs: '60000',
    }),
  )
  const url = await host.url
  const hub = new pg.Client({ connectionString: databases.env.ConnectionStrings__Hub })
  const identity = new pg.Client({ connectionString: databases.env.ConnectionStrings__Default })
  await Promise.all([hub.connect(), identity.connect()])
  onTestFinished(async () => void (await Promise.all([hub.end(), identity.end()])))
  const { rows } = await identity.query(`select "Id" from "AbpUsers" where "UserName" = 'admin'`)
  const token = await issuer.token({ subject: rows[0].Id, expiresIn: 3600 })

  await hub.query('begin; lock table "HubShipments"')
  const slow = ask(`${url}/api/hub/shipment`, undefined, { authorization: `Bearer ${token}` })
  await expect
    .poll(
      async () => {
        // Within a transaction the first look at the activity is remembered: it takes another connection to look again.
        const waiting = await identity.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1`,
          [hub.database],
        )
        return waiting.rowCount
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0)
  host.child.kill('SIGTERM')
  await expect.poll(() => ask(`${url}/health/live`), { timeout: 10_000 }).toBe('ECONNREFUSED')
  await hub.query('rollback')
  expect(await slow).toMatchObject({ status: 200 })
  expect(await host.exitCode).toBe(0)
})

test('a connection that nothing was asked on does not keep a host from ending', async () => {
  const host = gone(startApiProcess(databases.env))
  const { hostname, port } = new URL(await host.url)
  const silent = connect({ host: hostname, port: Number(port) })
  silent.on('error', () => undefined)
  onTestFinished(() => void silent.destroy())
  await new Promise((resolve) => silent.once('connect', resolve))
  await ask(`${await host.url}/health/live`)
  const before = performance.now()
  host.child.kill('SIGTERM')
  expect(await host.exitCode).toBe(0)
  // A server that waited for it would take two minutes.
  expect(performance.now() - before).toBeLessThan(15_000)
})
