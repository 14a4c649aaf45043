import { ApiHost } from '@keel/api-host'
import { KeelModule, Module } from '@keel/framework'
import { Databases, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { TenantDatabases } from '@keel/migrator/tenant-databases'
import { ApplyDatabaseMigrationsEto, TenantCreatedEto } from '@keel/saas/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { ThingSpoke, ThingStore, ThingsModule, thingsTable, Witness } from './things.js'

@Module({ dependsOn: [ApiHost, ThingsModule], services: [TenantDatabases] })
class HostWithThings extends KeelModule {}

const patience = { timeout: 20_000 }
let app: App
let admin: AppCaller
let witness: Witness
let things: ThingStore
let events: DistributedEventBus

beforeAll(async () => {
  app = await startApp(HostWithThings, {
    'Events:MaxRetries': '2',
    'Events:FirstRetryMs': '1',
    'Events:PollMs': '100',
  })
  await hub(sql`${{ texts: [thingsTable], values: [] }}`)
  admin = await app.admin()
  witness = app.host.get(Witness)
  things = app.host.get(ThingStore)
  events = app.host.get(DistributedEventBus)
})
afterAll(() => app?.close())
beforeEach(() => {
  witness.refuses = () => false
})

const hub = <R extends object>(statement: ReturnType<typeof sql>) =>
  app.host.get(Databases).named('Hub').query<R>(statement)
const heard = (words: string) => witness.heard.filter((event) => event.words === words)

test('what a local handler refuses was never written', async () => {
  await expect(things.insert({ name: 'nameless' })).rejects.toMatchObject({ code: 'Test:Nameless' })
  expect(await hub(sql`select from "TestThings" where "Name" = 'nameless'`)).toEqual([])
})

testOfOneProcess('an event of a unit of work that failed is told to nobody', async () => {
  const failed = UnitOfWork.run(async () => {
    await events.publish(new ThingSpoke({ words: 'taken back' }))
    throw new Error('never mind')
  })
  await expect(failed).rejects.toThrow('never mind')
  await events.publish(new ThingSpoke({ words: 'said after it' }))
  await expect.poll(() => heard('said after it'), patience).toHaveLength(1)
  expect(heard('taken back')).toEqual([])
})

testOfOneProcess('what an aggregate raises is told when it is written', async () => {
  const thing = await things.insert({ name: 'first' })
  thing.raise(new ThingSpoke({ words: 'I have changed' }))
  await things.update(thing, { name: 'second' })
  await expect
    .poll(() => heard('I have changed'), patience)
    .toEqual([{ words: 'I have changed', attempt: 1 }])
  await expect.poll(() => witness.renamed, patience).toContain('second')
})

testOfOneProcess('a handler that fails is tried again until it succeeds', async () => {
  let refusals = 2
  witness.refuses = (words) => words === 'twice refused' && refusals-- > 0
  await events.publish(new ThingSpoke({ words: 'twice refused' }))
  await expect.poll(() => heard('twice refused').map(({ attempt }) => attempt), patience).toEqual([1, 2, 3])
})

test('an event that does not fit its shape is refused where it is published', async () => {
  await expect(events.publish(new ThingSpoke({ words: 1 as never }))).rejects.toThrow('expected string')
})

test('a user who is renamed is renamed in their memberships, and a deleted one is a member no more', async () => {
  await addOrganization(app, 'EVENTFUL')
  const { userId } = await app.as({ organizations: ['EVENTFUL'] })
  const members = () =>
    hub<{ name: string; isDeleted: boolean }>(
      sql`select "UserName" as name, "IsDeleted" as "isDeleted" from "HubOrganizationMembers" where "UserId" = ${userId}`,
    )
  const path = `/api/identity/users/${userId}`
  const user = (await (await admin.fetch(path)).json()) as Record<string, unknown>
  const renamed = await admin.fetch(path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...user, userName: `renamed-${userId.slice(-8)}`, roleNames: [] }),
  })
  expect(renamed.status).toBe(200)
  await expect.poll(members, patience).toEqual([{ name: `renamed-${userId.slice(-8)}`, isDeleted: false }])
  expect((await admin.fetch(path, { method: 'DELETE' })).status).toBe(204)
  await expect.poll(members, patience).toMatchObject([{ isDeleted: true }])
})

test("the migrator's handlers take ABP's events and do nothing while multi-tenancy is off", async () => {
  const database = app.host.get(Databases).named('Default')
  await database.execute(sql`delete from "AbpRoles" where "Name" = 'PricingAnalyst'`)
  await events.publish(new TenantCreatedEto({ id: sequentialGuid(), name: 'acme', properties: {} }))
  await events.publish(new ApplyDatabaseMigrationsEto({ databaseName: 'Default', properties: {} }))
  const handled = () =>
    database.query(
      sql`select "Status" as status from "AbpEventInbox" where "Consumer" like '%.TenantDatabases.%'`,
    )
  await expect.poll(handled, patience).toEqual([{ status: 2 }, { status: 2 }])
  expect(await database.query(sql`select from "AbpRoles" where "Name" = 'PricingAnalyst'`)).toEqual([])
})
