import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiHost } from '@keel/api-host'
import { ApiKeyAppService, CreateApiKeyDto } from '@keel/api-keys/contracts'
import { Databases, type Sql, sql } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortPermissions } from '@keel/hub/contracts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { type FreezingProxy, startFreezingProxy } from '../support/freezing-proxy.js'
import { sizeOf } from '../support/size.js'
import { templates, testServer } from '../support/test-databases.js'

/** Each round revokes four kinds of rights at a random moment. */
const rounds = sizeOf(3, 60)
/** What is promised, of when a request is sent. */
const promisedMs = 1000

/** Where rights change, and a host whose connections to the database of rights can freeze. */
let app: App
let proxy: FreezingProxy
let host: TestHost

beforeAll(async () => {
  app = await startApp()
  const direct = app.host.databaseUrl('Default')
  proxy = await startFreezingProxy(direct)
  host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: {
      'AuthServer:Authority': app.host.issuer.address,
      'ConnectionStrings:Default': proxy.through(direct),
    },
  })
})
afterEach(() => proxy.thaw())
afterAll(async () => {
  await host.close()
  await proxy.close()
  await app.close()
})

const identity = () => app.host.get(Databases).named('Default')

/** A right, by what a request carries that has it, and what takes it away. */
interface Right {
  readonly headers: Record<string, string>
  readonly revocation: Sql
  readonly refusal: number
}

const bearer = async (subject: string, more: object = {}) => ({
  authorization: `Bearer ${await app.host.issuer.token({ subject, ...more })}`,
})

async function newRights(): Promise<Record<string, Right>> {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const inactive = await app.as({ permissions: [PortPermissions.View] })
  const signedIn = await app.as({ permissions: [PortPermissions.View] })
  const sessionId = randomUUID()
  await identity().execute(sql`
    insert into "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn")
    values (${randomUUID()}, ${sessionId}, 'OAuth', ${signedIn.userId}, now())`)
  const keys = (await app.admin()).service(ApiKeyAppService)
  const key = await keys.create(new CreateApiKeyDto({ name: 'frozen', isActive: true }))
  return {
    grant: {
      headers: await bearer(userId),
      revocation: sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${userId}`,
      refusal: 403,
    },
    user: {
      headers: await bearer(inactive.userId),
      revocation: sql`update "AbpUsers" set "IsActive" = false where "Id" = ${inactive.userId}`,
      refusal: 401,
    },
    session: {
      headers: await bearer(signedIn.userId, { sessionId }),
      revocation: sql`delete from "AbpSessions" where "SessionId" = ${sessionId}`,
      refusal: 401,
    },
    key: {
      headers: { 'x-api-key': key.key },
      revocation: sql`update "AppApiKeys" set "IsActive" = false where "Id" = ${key.id}`,
      refusal: 401,
    },
  }
}

async function statusOf({ headers }: Right): Promise<number> {
  const response = await host.fetch('/api/hub/port?maxResultCount=1', { headers })
  await response.arrayBuffer()
  return response.status
}

/** Waits until the host knows of a new right: behind a pooler it hears of it late. */
const letIn = (right: Right) => expect.poll(() => statusOf(right), { timeout: 10_000 }).toBe(200)

/** The statuses of all requests that were sent later after the revocation than is promised. */
async function statusesAfterPromise(right: Right, revokedAt: number): Promise<Set<number>> {
  const late = new Set<number>()
  while (performance.now() - revokedAt < promisedMs + 500 || late.size === 0) {
    const isLate = performance.now() - revokedAt > promisedMs
    const status = await statusOf(right)
    if (isLate) late.add(status)
    await pause(5)
  }
  return late
}

test('what is revoked while the connection that hears of it is frozen is refused after a second', {
  timeout: 20_000 + rounds * 10_000,
}, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const rights = await newRights()
    for (const right of Object.values(rights)) await letIn(right)
    await pause(Math.random() * 400)
    proxy.freeze('change feeds')
    await pause(Math.random() * 800)
    const seen = await Promise.all(
      Object.entries(rights).map(async ([name, right]) => {
        await identity().execute(right.revocation)
        return [name, [...(await statusesAfterPromise(right, performance.now()))]]
      }),
    )
    const expected = Object.entries(rights).map(([name, { refusal }]) => [name, [refusal]])
    expect(seen).toEqual(expected)
    proxy.thaw()
  }
})

test('nobody is let in by what was known while the database does not answer at all, and the host goes on afterwards', {
  timeout: 60_000,
}, async () => {
  const { grant } = (await newRights()) as { grant: Right }
  await letIn(grant)
  proxy.freeze('all')
  await identity().execute(grant.revocation)
  await pause(promisedMs)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(grant)))
  expect(new Set(statuses)).toEqual(new Set([503]))
  proxy.thaw()
  await expect.poll(() => statusOf(grant), { timeout: 20_000 }).toBe(403)
})

test('hundreds of requests that wait to know whether rights changed wait for one look', async () => {
  const { grant } = (await newRights()) as { grant: Right }
  await letIn(grant)
  proxy.freeze('all')
  await expect.poll(() => host.get(Databases).named('Default').feed.isCurrent, { timeout: 5000 }).toBe(false)
  const before = proxy.timesSent('"KeelTableVersions"')
  const waiting = Array.from({ length: 300 }, () => statusOf(grant))
  await pause(200)
  proxy.thaw()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]))
  // One look for all of them, and those of each table that go on besides while the answers take their time.
  expect(proxy.timesSent('"KeelTableVersions"') - before).toBeLessThan(50)
})

test('requests cost the database of rights nothing while its changes are heard', async () => {
  const { grant } = (await newRights()) as { grant: Right }
  await letIn(grant)
  const before = proxy.timesSent('select')
  const start = performance.now()
  for (let request = 0; request < 300; request += 1) expect(await statusOf(grant)).toBe(200)
  // The looks, and what runs in the background.
  expect(proxy.timesSent('select') - before).toBeLessThan(20 + (performance.now() - start) / 50)
})
