import { UserDelegationAppService } from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import {
  AutoApiController,
  ambient,
  Injectable,
  KeelModule,
  Module,
  system,
  withAmbient,
} from '@keel/framework'
import { ActingErrors, AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import { Databases, raw, type Sql, sql } from '@keel/framework/data'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import { Authenticated, UserContext } from '@keel/framework/security'
import { ShipmentAppService, ShipmentPermissions } from '@keel/hub/contracts'
import { AdministrationPermissions, IdentityUserPermissions, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { logsOf, newCorrelationId, tracked } from '../auditing/audit-logs.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { type Sender, send } from '../support/wire.js'

/** Reads the shipments that its person sees. */
class ReadArgs extends JobArgs('Test.Read', { label: z.string() }, { maxTries: 1, runsAs: 'user' }) {}

class ReadInput extends Dto({
  label: z.string(),
  asUser: z.guid().nullish(),
  later: z.boolean().default(false),
}) {}

abstract class ReadingAppService extends AppService(
  remoteService('Reading', 'reading'),
  'ReadingAppService',
  {
    create: op(ReadInput).returns(z.string()),
  },
) {}

@AutoApiController(ReadingAppService)
class ReadingService implements ReadingAppService {
  constructor(private readonly jobs: BackgroundJobs) {}

  @Authenticated()
  create({ label, asUser, later }: ReadInput): Promise<string> {
    return this.jobs.enqueue(new ReadArgs({ label }), {
      ...(later && { delayMs: 3_600_000 }),
      // A careless author passes on what the request says.
      ...(asUser && { asUser }),
    })
  }
}

interface Read {
  readonly label: string
  readonly references: readonly string[]
  readonly userId: string | undefined
  readonly culture: string
  readonly timeZone: string | undefined
}
const reads: Read[] = []
const readsOf = (label: string): readonly Read[] => reads.filter((one) => one.label === label)

@Injectable()
class Reader {
  constructor(private readonly shipments: ShipmentAppService) {}

  @JobHandler(ReadArgs)
  async read({ label }: ReadArgs): Promise<void> {
    const { items } = await this.shipments.getList({ maxResultCount: 1000 } as never)
    const list = JSON.parse(JSON.stringify(items)) as { shipmentReference: string }[]
    const references = list.map(({ shipmentReference }) => shipmentReference).sort()
    const { principal, culture, timeZone } = ambient()
    reads.push({ label, references, userId: principal.userId, culture, timeZone })
  }
}

@Module({ name: 'Reading', dependsOn: [ApiHost], services: [ReadingService, Reader] })
class HostWithReading extends KeelModule {}

const locked = `"LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour'`
const patience = { timeout: 20_000 }
const controllingCustomer = 4
let app: App
let jobs: BackgroundJobs
let staff: AppCaller

beforeAll(async () => {
  app = await startApp(HostWithReading, { 'Jobs:FirstRetryMs': '1', 'Jobs:PollMs': '100' })
  jobs = app.host.get(BackgroundJobs)
  staff = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
  const ours = await addOrganization(app, 'OURS')
  const theirs = await addOrganization(app, 'THEIRS')
  await hubOf(app).execute(sql`update "HubShipments" set "IsDeleted" = true`)
  hubOf(app).feed.changed('HubShipments')
  const of = (organizationId: string) => [{ role: controllingCustomer, organizationId }]
  await addShipments(app, [
    { ShipmentReference: 'ours', parties: of(ours) },
    { ShipmentReference: 'theirs', parties: of(theirs) },
  ])
})
afterAll(() => app?.close())

const database = () => app.host.get(Databases).named('Default')

/** Changes what identity has stored of users. */
async function changeUsers(statement: Sql, table = 'AbpUsers'): Promise<void> {
  await database().execute(statement)
  database().feed.changed(table)
}

const customer = () => app.as({ permissions: [ShipmentPermissions.View], organizations: ['OURS'] })

const enqueue = async (who: Sender, input: object): Promise<string> => {
  const { status, body } = await send(who, 'POST', '/api/reading/reading', input)
  expect({ status, body }).toMatchObject({ status: 200 })
  return String(body)
}

async function job(id: string): Promise<Record<string, unknown> | undefined> {
  const [found] = await database().query(sql`
    select "CompletionTime" is not null as done, "IsAbandoned" as "givenUp", "TryCount" as tries, "LastError" as error
    from "AbpBackgroundJobs" where "Id" = ${id}`)
  return found
}

const asProgram = <T>(work: () => Promise<T>): Promise<T> =>
  withAmbient({ correlationId: newCorrelationId(), principal: system, culture: 'en' }, work)

test("a job that a customer's user adds reads the rows of the user's organizations alone", async () => {
  const user = await customer()
  await enqueue(user, { label: 'own' })
  await expect
    .poll(() => readsOf('own'), patience)
    .toMatchObject([{ references: ['ours'], userId: user.userId }])
})

test('a job sees what a role that came meanwhile lets its user see, and no more once the role is gone', async () => {
  const user = await customer()
  const [risen, fallen] = [
    await enqueue(user, { label: 'risen', later: true }),
    await enqueue(user, { label: 'fallen', later: true }),
  ]
  await changeUsers(
    sql`insert into "AbpUserRoles" ("UserId", "RoleId") select ${user.userId}, "Id" from "AbpRoles" where "Name" = ${Operator.name}`,
    'AbpUserRoles',
  )
  await jobs.retry(risen)
  await expect.poll(() => readsOf('risen'), patience).toMatchObject([{ references: ['ours', 'theirs'] }])
  await changeUsers(sql`delete from "AbpUserRoles" where "UserId" = ${user.userId}`, 'AbpUserRoles')
  await jobs.retry(fallen)
  await expect.poll(() => readsOf('fallen'), patience).toMatchObject([{ references: ['ours'] }])
})

test('a job reads the organizations that its user belongs to when it runs', async () => {
  const user = await customer()
  const id = await enqueue(user, { label: 'moved', later: true })
  await hubOf(app).execute(sql`
    update "HubOrganizationMembers" set "OrganizationId" = (select "Id" from "HubOrganizations" where "Code" = 'THEIRS')
    where "UserId" = ${user.userId}`)
  hubOf(app).feed.changed('HubOrganizationMembers')
  await jobs.retry(id)
  await expect.poll(() => readsOf('moved'), patience).toMatchObject([{ references: ['theirs'] }])
})

test('a job whose user lost the permission meanwhile is refused', async () => {
  const user = await customer()
  const id = await enqueue(user, { label: 'refused', later: true })
  await changeUsers(
    sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${user.userId}`,
    'AbpPermissionGrants',
  )
  await jobs.retry(id)
  await expect
    .poll(() => job(id), patience)
    .toMatchObject({ givenUp: true, error: expect.stringContaining(ShipmentPermissions.View) })
  expect(readsOf('refused')).toEqual([])
})

test.for([
  ['deleted', ActingErrors.UserDeleted, raw('"IsDeleted" = true')],
  ['inactive', ActingErrors.UserInactive, raw('"IsActive" = false')],
  ['locked', ActingErrors.UserLockedOut, raw(locked)],
] as const)(
  'a job of a user who is %s meanwhile is given up at once and says so',
  async ([label, code, change]) => {
    const user = await customer()
    const id = await enqueue(user, { label, later: true })
    await changeUsers(sql`update "AbpUsers" set ${change} where "Id" = ${user.userId}`)
    await jobs.retry(id)
    await expect
      .poll(() => job(id), patience)
      .toEqual({ done: false, givenUp: true, tries: 1, error: `${code}: ${user.userId}` })
    expect(readsOf(label)).toEqual([])
  },
)

test("nobody adds a job in another's name, whatever the request says", async () => {
  const [user, other] = [await customer(), await customer()]
  const { status } = await send(user, 'POST', '/api/reading/reading', {
    label: 'stolen',
    asUser: other.userId,
  })
  expect(status).toBe(403)
  await enqueue(user, { label: 'named', asUser: user.userId })
  const admin = await app.admin()
  expect(
    (await send(admin, 'POST', '/api/reading/reading', { label: 'stolen', asUser: user.userId })).status,
  ).toBe(403)
  const client = await app.host.as({ subject: 'Some_Client', clientId: 'Some_Client' })
  expect((await send(client, 'POST', '/api/reading/reading', { label: 'stolen' })).status).toBe(403)
  await expect.poll(() => readsOf('named'), patience).toHaveLength(1)
  expect(readsOf('stolen')).toEqual([])
})

test('a job that an API key adds may do what the key may do, and ends with the key', async () => {
  const user = await app.as({
    permissions: [ShipmentPermissions.View, ApiKeyPermissions.Create],
    organizations: ['OURS'],
  })
  const key = await newKey(user)
  await changeUsers(
    sql`delete from "AbpPermissionGrants" where "ProviderName" = 'AK' and "ProviderKey" = ${key.id} and "Name" = ${ShipmentPermissions.View}`,
    'AbpPermissionGrants',
  )
  const sender = withKey(app.host, key.key)
  const refused = await enqueue(sender, { label: 'key without grants' })
  await expect.poll(() => job(refused), patience).toMatchObject({ givenUp: true })
  expect(readsOf('key without grants')).toEqual([])
  const ended = await enqueue(sender, { label: 'ended key', later: true })
  await database().execute(sql`update "AppApiKeys" set "IsActive" = false where "Id" = ${key.id}`)
  await jobs.retry(ended)
  await expect
    .poll(() => job(ended), patience)
    .toMatchObject({ givenUp: true, tries: 1, error: expect.stringContaining(ActingErrors.ApiKeyEnded) })
})

test('a job runs in the language of the request and the time zone of its user, and the audit log names both', async () => {
  const user = await customer()
  await database().execute(sql`
    insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
    values (gen_random_uuid(), 'Abp.Timing.TimeZone', 'Asia/Shanghai', 'U', ${user.userId})`)
  database().feed.changed('AbpSettings')
  const correlationId = newCorrelationId()
  const response = await user.fetch(
    '/api/reading/reading',
    tracked(correlationId, {
      method: 'POST',
      body: JSON.stringify({ label: 'German' }),
      headers: { 'accept-language': 'de' },
    }),
  )
  expect(response.status).toBe(200)
  await expect
    .poll(() => readsOf('German'), patience)
    .toMatchObject([{ culture: 'de', timeZone: 'Asia/Shanghai' }])
  const logs = await logsOf(staff, correlationId, 2)
  expect(logs.find(({ httpMethod }) => httpMethod === null)).toMatchObject({
    userId: user.userId,
    url: null,
    extraProperties: { RanBy: 'job Test.Read' },
  })
})

test('a series runs in the name of its person until it ends', async () => {
  const user = await customer()
  const repetition = { cron: '* * * * * *', asUser: user.userId }
  await asProgram(() => jobs.repeat('first', new ReadArgs({ label: 'again' }), repetition))
  await expect.poll(() => readsOf('again').length, patience).toBeGreaterThanOrEqual(2)
  expect(readsOf('again')[0]).toMatchObject({ references: ['ours'], userId: user.userId })
  expect(await asProgram(() => jobs.endRepetition(ReadArgs, 'first'))).toBe(true)
  await expect.poll(() => openOccurrences('Test.Read/first'), patience).toBe(0)
})

test('a series ends with the deletion of its person, and outlasts a lockout', async () => {
  const user = await customer()
  const repetition = { cron: '* * * * * *', asUser: user.userId }
  await changeUsers(sql`update "AbpUsers" set ${raw(locked)} where "Id" = ${user.userId}`)
  await asProgram(() => jobs.repeat('second', new ReadArgs({ label: 'gone' }), repetition))
  await expect.poll(() => givenUp('Test.Read/second'), patience).toBeGreaterThanOrEqual(2)
  expect(await openOccurrences('Test.Read/second')).toBe(1)
  await changeUsers(sql`update "AbpUsers" set "IsDeleted" = true where "Id" = ${user.userId}`)
  await expect.poll(() => openOccurrences('Test.Read/second'), patience).toBe(0)
  expect(readsOf('gone')).toEqual([])
})

test('the program names the person of a job, and runs nothing as itself that should run as somebody', async () => {
  await expect(asProgram(() => jobs.enqueue(new ReadArgs({ label: 'nobody' })))).rejects.toMatchObject({
    name: 'ForbiddenError',
  })
  const user = await customer()
  const id = await enqueue(user, { label: 'nobody', later: true })
  await database().execute(sql`update "AbpBackgroundJobs" set "ExtraProperties" = '{}' where "Id" = ${id}`)
  await jobs.retry(id)
  await expect.poll(() => job(id), patience).toMatchObject({ givenUp: true, tries: 1 })
  expect(readsOf('nobody')).toEqual([])
})

test('what is run in the name of a person sees what the person sees', async () => {
  const user = await customer()
  const people = app.host.get(UserContext)
  const shipments = app.host.get(ShipmentAppService)
  const total = () => shipments.getList({ maxResultCount: 1 } as never).then(({ totalCount }) => totalCount)
  expect(await asProgram(() => people.runAs(user.userId, total))).toBe(1)
  await changeUsers(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${user.userId}`)
  await expect(asProgram(() => people.runAs(user.userId, total))).rejects.toMatchObject({
    name: 'BusinessError',
    code: ActingErrors.UserInactive,
  })
})

/** What it takes to act as a user without a delegation, beside the user's own rights. */
const toActAs = [IdentityUserPermissions.Impersonation, AdministrationPermissions.InternalAdmin]

test('work that an impersonator began is theirs too, and ends with them: the user and their API keys go on', async () => {
  const user = await app.as({ permissions: [ShipmentPermissions.View, ApiKeyPermissions.Create] })
  const clerk = await app.as({
    permissions: [...toActAs, ShipmentPermissions.View, ApiKeyPermissions.Create],
  })
  const { key } = await newKey(user)
  const people = app.host.get(UserContext)
  const impersonator = async () => ambient().principal.impersonator?.userId
  const own = () => asProgram(() => people.runAs(user.userId, impersonator))
  const begunByClerk = () =>
    asProgram(() => people.runAs({ userId: user.userId, impersonatorId: clerk.userId }, impersonator))
  const withTheKey = async () =>
    (await send(withKey(app.host, key), 'GET', '/api/hub/shipment?maxResultCount=1')).status
  expect([await own(), await begunByClerk(), await own()]).toEqual([undefined, clerk.userId, undefined])
  await changeUsers(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${clerk.userId}`)
  await expect(begunByClerk()).rejects.toMatchObject({ code: ActingErrors.UserInactive })
  expect([await own(), await withTheKey()]).toEqual([undefined, 200])
  await expect(begunByClerk()).rejects.toMatchObject({ code: ActingErrors.UserInactive })
})

test('work that an impersonator began ends when they may not act as the user any more', async () => {
  const user = await customer()
  const people = app.host.get(UserContext)
  const work = async () => 'done'
  const begunBy = (impersonatorId: string) =>
    asProgram(() => people.runAs({ userId: user.userId, impersonatorId }, work))
  const ended = { code: ActingErrors.ImpersonationEnded }
  const [clerk, colleague] = [
    await app.as({ permissions: [...toActAs, ShipmentPermissions.View] }),
    await app.as({}),
  ]
  await expect(begunBy(colleague.userId)).rejects.toMatchObject(ended)
  const delegations = user.service(UserDelegationAppService)
  const endTime = new Date(Date.now() + 3_600_000)
  await delegations.delegateNewUser({ targetUserId: colleague.userId, startTime: new Date(0), endTime })
  expect([await begunBy(clerk.userId), await begunBy(colleague.userId)]).toEqual(['done', 'done'])
  const [{ id = '' } = {}] = (await delegations.getDelegatedUsers()).items
  await delegations.deleteDelegation(id)
  await changeUsers(
    sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${clerk.userId}`,
    'AbpPermissionGrants',
  )
  await expect(begunBy(clerk.userId)).rejects.toMatchObject(ended)
  await expect(begunBy(colleague.userId)).rejects.toMatchObject(ended)
})

async function occurrences(name: string, condition: string): Promise<number> {
  const [found] = await database().query<{ count: number }>(
    sql`select count(*)::int as count from "AbpBackgroundJobs" where "RecurringName" = ${name} and ${raw(condition)}`,
  )
  return found?.count ?? 0
}
const openOccurrences = (name: string) => occurrences(name, `"CompletionTime" is null and not "IsAbandoned"`)
const givenUp = (name: string) => occurrences(name, '"IsAbandoned"')
