import http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'
import { testServer } from '../support/test-databases.js'

let databases: DatabaseCopies

beforeAll(async () => {
  databases = await copyDatabases()
})
afterAll(() => databases?.drop())

/** A host that is gone after the test. */
function start(env: Record<string, string> = {}): HostProcess {
  const host = startApiProcess({ ...databases.env, ...env })
  onTestFinished(async () => {
    host.child.kill('SIGKILL')
    await host.exitCode
  })
  return host
}

const password = decodeURIComponent(/:([^:@]+)@/.exec(testServer.urlOf(''))?.[1] ?? '')

test('the host is ready as soon as it listens', async () => {
  const before = performance.now()
  const host = start()
  const ready = await fetch(`${await host.url}/health/ready`)
  const readyMs = Math.round(performance.now() - before)
  console.info(`The API host was ready ${readyMs} ms after its start.`)
  expect(ready.status).toBe(200)
})

test('every line of its log is JSON with time, level and message', async () => {
  const host = start()
  const url = await host.url
  await fetch(`${url}/health/live`)
  await expect.poll(host.said).toContain('"msg":"request"')
  const lines = host
    .said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const line of lines) {
    expect(line).toMatchObject({
      application: 'ApiHost',
      level: expect.stringMatching(/^(info|warn)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: expect.any(String),
    })
  }
})

test('a host that has nothing to do gives back what its start needed, and goes on', async () => {
  const host = start({ Log__Level: 'debug' })
  const url = await host.url
  await expect.poll(host.said, { timeout: 20_000 }).toContain('"msg":"idle memory returned"')
  const [, from, to] = /"fromMb":(\d+),"toMb":(\d+)/.exec(host.said()) ?? []
  console.info(`An idle API host had ${from} MB and has ${to} MB.`)
  expect(Number(to)).toBeLessThan(Number(from) - 15)
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  host.child.kill('SIGTERM')
  expect(await host.exitCode).toBe(0)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the host with 0, open connections or not',
  async (signal) => {
    const host = start()
    const url = await host.url
    const agent = new http.Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    await new Promise<void>((resolve) =>
      http.get(`${url}/health/live`, { agent }, (response) => response.resume().on('end', resolve)),
    )
    const before = performance.now()
    host.child.kill(signal)
    expect(await host.exitCode).toBe(0)
    expect(performance.now() - before).toBeLessThan(5000)
    expect(host.said()).toContain('"msg":"stopped"')
  },
)

test('a second signal ends a host that is stopping at once', async () => {
  const host = start()
  const { hostname, port } = new URL(await host.url)
  // A request that never comes to its end keeps the first signal waiting.
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write('GET / HTTP/1.1\r\n'))
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
  await (await fetch(`${await host.url}/health/live`)).text()
  host.child.kill('SIGTERM')
  await expect.poll(host.said).toContain('"msg":"stopping"')
  host.child.kill('SIGTERM')
  expect(await host.exitCode).toBe(130)
})

test('a connection that is not configured is told in words, and the host ends with 1', async () => {
  const host = start({ ConnectionStrings__Default: '' })
  expect(await host.exitCode).toBe(1)
  expect(host.said()).toBe(
    'ApiHost did not start.\nConnectionStrings:Default is not set. Set it in appsettings.secrets.json or as the environment variable ConnectionStrings__Default.\n',
  )
})

test('a connection string that is broken is told without its text', async () => {
  const host = start({ ConnectionStrings__Hub: 'postgres://keel:hunter2@db:port/hub' })
  expect([await host.exitCode, host.said()]).toEqual([
    1,
    'ApiHost did not start.\nConnectionStrings:Hub is not a valid postgres:// URL. Write special characters of user and password percent-encoded.\n',
  ])
})

test('a setting that is not valid is told by its name and where it came from', async () => {
  const host = start({ App__SelfUrl: 'nowhere' })
  expect([await host.exitCode, host.said()]).toEqual([
    1,
    'ApiHost did not start.\nThe configuration is not valid:\n  App:selfUrl: Invalid URL (from environment variable App__SelfUrl)\n',
  ])
})

test.each(['Production', ''])(
  'in the environment “%s” an auth server without TLS must be wanted',
  async (name) => {
    const host = start({ KEEL_ENVIRONMENT: name })
    // Behind a pooler it warned before.
    expect([await host.exitCode, host.said().replace(/^\{"level":"warn".*\n/gm, '')]).toEqual([
      1,
      expect.stringMatching(
        /^ApiHost did not start\.\nAuthServer:Authority is http:.*RequireHttpsMetadata is true\. Use https/,
      ),
    ])
  },
)

test('a port that is taken is told, and the host ends with 1', async () => {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const host = start({ PORT: String(port) })
  expect(await host.exitCode).toBe(1)
  expect(host.said()).toContain(
    `Port ${port} is in use. Stop what listens there, or set PORT (and App:SelfUrl) to another.`,
  )
})

test('a request that a limit of its caller turns away is a warning of the log, without a stack', async () => {
  const issuer = await TokenIssuer.start()
  const hub = new pg.Client(databases.env.ConnectionStrings__Hub)
  const accounts = new pg.Client(databases.env.ConnectionStrings__Default)
  onTestFinished(async () => {
    await Promise.all([issuer.stop(), hub.end(), accounts.end()])
  })
  await Promise.all([hub.connect(), accounts.connect()])
  const limits = { OData__MaxConcurrency: '1', OData__MaxWaiting: '0' }
  const host = start({ AuthServer__Authority: issuer.address, ...limits })
  const url = await host.url
  const { rows } = await accounts.query(`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`)
  const headers = { authorization: `Bearer ${await issuer.token({ subject: rows[0].id })}` }
  const ask = async () => (await fetch(`${url}/odata/Shipments?$top=1`, { headers })).status
  expect(await ask()).toBe(200)
  await hub.query('begin')
  await hub.query('lock table "HubShipments"')
  const [first, second] = [ask(), ask()]
  expect(await Promise.race([first, second])).toBe(503)
  await hub.query('rollback')
  expect((await Promise.all([first, second])).sort()).toEqual([200, 503])
  await expect.poll(host.said).toContain('"msg":"request turned away"')
  const lines = host.said().trim().split('\n')
  expect(lines.filter((line) => /"level":"error"|"err":/.test(line))).toEqual([])
  expect(JSON.parse(lines.find((line) => line.includes('"msg":"request turned away"')) ?? '')).toMatchObject({
    level: 'warn',
    method: 'GET',
    url: '/odata/Shipments?$top=1',
    status: 503,
    reason: 'At most 1 queries of one caller run at a time.',
  })
})

test('a statement that the database refuses is told with all but its values, in the log and in the answer', async () => {
  const own = await copyDatabases()
  const issuer = await TokenIssuer.start()
  onTestFinished(async () => {
    await issuer.stop()
    await own.drop()
  })
  const database = async (connection: string, statement: string) => {
    const client = new pg.Client(own.env[`ConnectionStrings__${connection}`])
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }
  const { rows } = await database('Default', `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`)
  const host = start({ ...own.env, AuthServer__Authority: issuer.address })
  const url = await host.url
  await database('Hub', 'alter table "HubShipments" rename column "ShipmentReference" to "Reference"')
  const headers = {
    authorization: `Bearer ${await issuer.token({ subject: rows[0].id })}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ shipmentReference: 'PRIVATE-17', totalPackages: 4711 })
  const answers = await Promise.all([
    fetch(`${url}/api/hub/shipment`, { method: 'POST', headers, body }),
    fetch(`${url}/api/hub/shipment/00000000-0000-4000-8000-000000000018`, { headers }),
  ])
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(answers.map(({ status }) => status)).toEqual([500, 500])
  await expect.poll(() => host.said().split('"msg":"request failed"').length).toBe(3)
  const lines = host
    .said()
    .split('\n')
    .filter((line) => line.includes('"msg":"request failed"'))
    .map((line) => JSON.parse(line) as { operation: string; err: { database: object } })
    .sort((a, b) => (a.operation < b.operation ? -1 : 1))
  expect(lines).toMatchObject([
    {
      operation: 'ShipmentService.create',
      err: {
        database: {
          sqlState: '42703',
          message: 'column "ShipmentReference" of relation "HubShipments" does not exist',
          statement: expect.stringMatching(
            /^insert into "HubShipments" \(.+"ShipmentReference".+\) values \(\$1,/,
          ),
        },
      },
    },
    {
      operation: 'ShipmentService.get',
      err: {
        database: {
          sqlState: '42703',
          statement: expect.stringMatching(/^select t\."Id", t\."ShipmentReference"/),
        },
      },
    },
  ])
  expect(bodies.map((text) => /STATEMENT: (insert into|select|with)/.exec(text)?.[1])).toEqual([
    'insert into',
    expect.stringMatching(/select|with/),
  ])
  for (const value of ['PRIVATE-17', '4711'])
    expect([...bodies, host.said()].filter((text) => text.includes(value))).toEqual([])
  for (const line of lines) expect(JSON.stringify(line.err)).not.toMatch(/PRIVATE|00018/)
})

test('neither log lines nor error bodies ever tell a secret', async () => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ0b3Atc2VjcmV0In0.c2lnbmF0dXJl'
  const host = start({
    Log__Level: 'trace',
    // Nobody listens there, so that every attempt fails and is logged.
    ConnectionStrings__Pricing: 'postgres://keel:hunter2@127.0.0.1:1/keel_pricing',
    AuthServer__Authority: 'http://127.0.0.1:1',
  })
  const url = await host.url
  const secrets = {
    authorization: `Bearer ${token}`,
    cookie: 'session=top-secret',
  }
  const answers = await Promise.all(
    [
      '/api/pricing/currency?apiKey=top-secret&access_token=top-secret&code=top-secret',
      '/health/ready?password=top-secret',
      '/nothing?client_secret=top-secret&refresh_token=top-secret',
    ].flatMap((path) => [
      fetch(url + path),
      fetch(url + path, { headers: secrets }),
      fetch(url + path, { headers: { 'x-api-key': 'top-secret' } }),
    ]),
  )
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200, 503, 200, 404, 503, 404])
  await expect.poll(() => host.said().split('"msg":"request"').length - 1).toBe(answers.length)
  host.child.kill('SIGTERM')
  await host.exitCode
  for (const secret of [token, 'top-secret', 'hunter2', password])
    expect([...bodies, host.said()].filter((text) => text.includes(secret))).toEqual([])
})
