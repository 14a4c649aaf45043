import { setTimeout as sleep } from 'node:timers/promises'
import { ApiHost } from '@keel/api-host'
import { type Cache, Caches } from '@keel/framework/caching'
import { Databases, modelSnapshot, sql } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortAppService, PortPermissions } from '@keel/hub/contracts'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { noPooler, type Pooler, startPooler } from '../support/pgbouncer.js'
import { directServer, templates, testServer } from '../support/test-databases.js'
import { send } from '../support/wire.js'

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

/** A connection to a database itself: notifications do not come through a pooler. */
async function administratorOf(name: string): Promise<pg.Client> {
  const database = new URL(app.host.databaseUrl(name)).pathname.slice(1)
  const client = new pg.Client({ connectionString: directServer.urlOf(database) })
  await client.connect()
  return client
}

async function statusAt(host: TestHost, userId: string): Promise<number> {
  return (await send(await host.as({ subject: userId }), 'GET', '/api/hub/port')).status
}

test('a grant that is revoked in one process is refused in the others', async () => {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const hosts = [app.host, ...others]
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 200)
  await identity().execute(sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${userId}`)
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 403)
})

test('a user who is deactivated in one process is nobody in the others', async () => {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const hosts = [app.host, ...others]
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 200)
  await identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${userId}`)
  for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 401)
})

describe('what others than hosts change', () => {
  let administrator: pg.Client
  beforeAll(async () => {
    administrator = await administratorOf('Default')
    await administrator.query('create table "KeptGrants" as table "AbpPermissionGrants" with no data')
  })
  afterAll(() => administrator.end())

  const versions = async () =>
    (
      await identity().query<{ sum: string | null }>(sql`
        select sum("Version") from "KeelTableVersions" where "TableName" = 'AbpPermissionGrants'`)
    )[0]?.sum

  test.each([
    ['a truncation', 'truncate "AbpPermissionGrants"'],
    [
      'a session that replicates or restores',
      `set session_replication_role = replica; delete from "AbpPermissionGrants"; reset session_replication_role`,
    ],
  ])(
    '%s that takes rights away is told, and counts within a second in every process',
    async (_name, statements) => {
      const { userId } = await app.as({ permissions: [PortPermissions.View] })
      const hosts = [app.host, ...others]
      for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 200)
      await administrator.query('insert into "KeptGrants" table "AbpPermissionGrants"')
      const told: (string | undefined)[] = []
      administrator.on('notification', ({ payload }) => told.push(payload))
      await administrator.query('listen keel_changes')
      const before = await versions()
      try {
        await administrator.query(statements)
        const changedAt = performance.now()
        const sentOfLastStale = hosts.map(async (host) => {
          let sent = 0
          let last = 0
          await eventually(async () => {
            sent = performance.now()
            if ((await statusAt(host, userId)) === 403) return true
            last = sent
            return false
          })
          return last - changedAt
        })
        expect(Math.max(...(await Promise.all(sentOfLastStale)))).toBeLessThan(1000)
        expect(Number(await versions()) - Number(before)).toBeGreaterThan(0)
        await eventually(async () => told.includes('AbpPermissionGrants'))
      } finally {
        await administrator.query('unlisten keel_changes')
        administrator.removeAllListeners('notification')
        await administrator.query(`
        insert into "AbpPermissionGrants" table "KeptGrants" on conflict do nothing; truncate "KeptGrants"`)
      }
    },
  )

  test.each(Object.keys(templates))(
    'every watched table of %s has a trigger that fires always',
    async (name) => {
      const database = app.host.get(Databases).named(name)
      const triggers = await database.query<{ table: string; always: boolean }>(sql`
      select c.relname as table, t.tgenabled = 'A' and t.tgtype & 32 > 0 as always
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      join pg_proc p on p.oid = t.tgfoid and p.proname = 'keel_notify_change'`)
      expect(triggers.filter(({ always }) => !always)).toEqual([])
      const watched = modelSnapshot(database.entities).tables.filter(
        (table) => table.watched || table.tellsDeletes,
      )
      expect(triggers.map(({ table }) => table).sort()).toEqual(watched.map(({ name }) => name).sort())
    },
  )
})

test('a right that is revoked without a word ends with the age that what is kept may have', async () => {
  const host = await beside({ 'Database:MaxCacheAgeMs': '2000' })
  const administrator = await administratorOf('Default')
  try {
    const { userId } = await app.as({ permissions: [PortPermissions.View] })
    expect(await statusAt(host, userId)).toBe(200)
    await administrator.query('alter table "AbpPermissionGrants" disable trigger user')
    await administrator.query('delete from "AbpPermissionGrants" where "ProviderKey" = $1', [userId])
    await eventually(async () => (await statusAt(host, userId)) === 403)
  } finally {
    await administrator.query(
      'alter table "AbpPermissionGrants" enable always trigger "TR_AbpPermissionGrants_NotifyChange"',
    )
    await administrator.end()
    await host.close()
  }
})

describe('what a host writes itself', () => {
  let listener: pg.Client
  const heard: (string | undefined)[] = []
  const timesAnnounced = (table: string) => heard.filter((payload) => payload === table).length
  beforeAll(async () => {
    listener = await administratorOf('Default')
    listener.on('notification', ({ payload }) => heard.push(payload))
    await listener.query('listen keel_changes')
  })
  beforeEach(() => {
    heard.length = 0
  })
  afterAll(() => listener.end())

  test('is announced for many commits at once', async () => {
    const writes = Array.from({ length: 60 }, () =>
      identity().execute(sql`update "AbpRoleClaims" set "ClaimValue" = "ClaimValue" where false`),
    )
    await Promise.all(writes)
    // Announcements are sent one after the other.
    await identity().execute(sql`update "AbpUserClaims" set "ClaimValue" = "ClaimValue" where false`)
    await eventually(async () => timesAnnounced('AbpUserClaims') > 0)
    expect(timesAnnounced('AbpRoleClaims')).toBeGreaterThan(0)
    expect(timesAnnounced('AbpRoleClaims')).toBeLessThan(writes.length / 2)
  })

  test('is announced by the database where a function writes it, which the host knows nothing of', async () => {
    const { userId } = await app.as({ permissions: [PortPermissions.View] })
    const hosts = [app.host, ...others]
    for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 200)
    await listener.query(`create function revoke_all(who text) returns void language sql as $$
      delete from "AbpPermissionGrants" where "ProviderKey" = who $$`)
    onTestFinished(async () => void (await listener.query('drop function revoke_all')))
    await identity().query(sql`select revoke_all(${userId})`)
    for (const host of hosts) await eventually(async () => (await statusAt(host, userId)) === 403)
    await eventually(async () => timesAnnounced('AbpPermissionGrants') > 0)
  })

  test('is announced when the host ends, though it was written last', async () => {
    const host = await beside()
    await host
      .get(Databases)
      .named('Default')
      .execute(sql`update "AbpRoleClaims" set "ClaimValue" = "ClaimValue" where false`)
    await host.close()
    await eventually(async () => timesAnnounced('AbpRoleClaims') > 0)
  })
})

test.skipIf(noPooler)(
  'a host behind a pooler hears changes when it listens at PostgreSQL itself, and its caches keep values',
  async () => {
    const pooler = await startPooler(directServer.urlOf('postgres'))
    onTestFinished(() => pooler.stop())
    const addresses = Object.keys(templates).flatMap((name) => {
      const direct = directServer.urlOf(new URL(app.host.databaseUrl(name)).pathname.slice(1))
      return [
        [`ConnectionStrings:${name}`, pooler.through(direct)],
        [`ConnectionStrings:${name}Direct`, direct],
      ]
    })
    const host = await beside(Object.fromEntries(addresses))
    onTestFinished(() => host.close())
    await expect
      .poll(async () => (await send(host, 'GET', '/health/ready')).body.status, { timeout: 20_000 })
      .toBe('Healthy')
    const [one, heard] = [app.host, host].map((of) =>
      of.get(Caches).of<string>({ name: 'Test.Direct', max: 10 }),
    ) as [Cache<string>, Cache<string>]
    await heard.set('a', 'old')
    expect(heard.peek('a')).toBe('old')
    await one.remove('a')
    await expect.poll(() => heard.peek('a'), { timeout: 20_000 }).toBeUndefined()
  },
)

test.skipIf(noPooler)(
  'behind a pooler in transaction mode changes are found by looking, and health says so and what to set',
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
        const { entries } = body as { entries: Record<string, { description?: string }> }
        return (
          status === 200 &&
          entries['Default change feed']?.description?.includes('set ConnectionStrings:DefaultDirect') ===
            true
        )
      })
      const ports = (await pooled.as({ subject: (await app.admin()).userId })).service(PortAppService)
      expect((await ports.getList({ maxResultCount: 3 })).items).toHaveLength(3)
    } finally {
      await host?.close()
      pooler?.stop()
    }
  },
)
