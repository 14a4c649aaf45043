import { setTimeout as sleep } from 'node:timers/promises'
import { ApiHost } from '@keel/api-host'
import { Databases, sql } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortAppService, PortPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.js'
import { noPooler, type Pooler, startPooler } from './pgbouncer.js'
import { templates, testServer } from './test-databases.js'
import { send } from './wire.js'

/** The first process, in which rights change, and two more on the same databases. */
let app: App
let others: TestHost[]

beforeAll(async () => {
  app = await startApp()
  others = [await beside(), await beside()]
})
afterAll(async () => {
  for (const host of others) await host.close()
  await app.close()
})

function beside(settings: Record<string, string> = {}): Promise<TestHost> {
  return startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'AuthServer:Authority': app.host.issuer.address, ...settings },
  })
}

/** Waits until something is so; fails after a time that is far beyond what is promised. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(5)) if (await check()) return
  throw new Error('still not so after 20 s')
}

const identity = () => app.host.get(Databases).named('Default')

async function statusAt(host: TestHost, userId: string): Promise<number> {
  return (await send(await host.as({ subject: userId }), 'GET', '/api/hub/port')).status
}

test('a grant that is revoked in one process is refused in the others', async () => {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const hosts = [app.host, ...others]
  expect(await Promise.all(hosts.map((host) => statusAt(host, userId)))).toEqual([200, 200, 200])
  await identity().execute(sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${userId}`)
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 403)
})

test('a user who is deactivated in one process is nobody in the others', async () => {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const hosts = [app.host, ...others]
  expect(await Promise.all(hosts.map((host) => statusAt(host, userId)))).toEqual([200, 200, 200])
  await identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${userId}`)
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 401)
})

test('a right that is revoked without a word ends with the age that what is kept may have', async () => {
  const host = await beside({ 'Database:MaxCacheAgeMs': '2000' })
  try {
    const { userId } = await app.as({ permissions: [PortPermissions.View] })
    expect(await statusAt(host, userId)).toBe(200)
    await identity().execute(sql`alter table "AbpPermissionGrants" disable trigger user`)
    await identity().execute(sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${userId}`)
    await eventually(async () => (await statusAt(host, userId)) === 403)
  } finally {
    await identity().execute(sql`alter table "AbpPermissionGrants" enable trigger user`)
    await host.close()
  }
})

test.skipIf(noPooler)(
  'behind a pooler in transaction mode changes are found by looking, and health says so',
  async () => {
    let pooler: Pooler | undefined
    let host: TestHost | undefined
    try {
      const direct = app.host.databaseUrl('Default')
      pooler = await startPooler(direct)
      const through = Object.fromEntries(
        Object.keys(templates).map((name) => [
          `ConnectionStrings:${name}`,
          pooler?.through(app.host.databaseUrl(name)) ?? '',
        ]),
      )
      host = await beside(through)
      const pooled = host
      const { userId } = await app.as({ permissions: [PortPermissions.View] })
      await eventually(async () => (await statusAt(pooled, userId)) === 200)
      await identity().execute(sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${userId}`)
      await eventually(async () => (await statusAt(pooled, userId)) === 403)
      await eventually(async () => {
        const { status, body } = await send(pooled, 'GET', '/health/ready')
        return status === 200 && (body as { status: string }).status === 'Degraded'
      })
      const ports = (await pooled.as({ subject: (await app.admin()).userId })).service(PortAppService)
      expect((await ports.getList({ maxResultCount: 3 })).items).toHaveLength(3)
    } finally {
      await host?.close()
      pooler?.stop()
    }
  },
)
