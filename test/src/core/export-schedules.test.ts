import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { BackgroundJobAppService } from '@keel/background-work/contracts'
import {
  type CreateExportScheduleDto,
  ExportDelivery,
  ExportDeliveryStatus,
  ExportFormat,
  ExportRunAppService,
  type ExportRunDto,
  ExportRunStatus,
  ExportScheduleAppService,
  type ExportScheduleDto,
  ExportSchedulePermissions,
  ExportScheduleStatus,
  NotificationAppService,
} from '@keel/core/contracts'
import type { z } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { ShipmentPermissions } from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { holdReads } from '../support/holds.js'
import { addMember, addOrganization } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { type Sender, send } from '../support/wire.js'

const patience = { timeout: 20_000, interval: 50 }
const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, no?').toString('base64')}`

/** A request that the webhook got. */
interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let app: App
let mails: MailFolder
let acme: string
let ann: AppCaller
let webhook: Server
/** What the webhook answers. */
let answer = 204
const received: Received[] = []
/** Requests that the webhook lets wait. */
const held: ServerResponse[] = []

beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, { 'Mail:Folder': mails.path })
  acme = await addOrganization(app, 'ACME')
  await addOrganization(app, 'OTHER')
  ann = await customer()
  webhook = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url === '/held') {
      held.push(response)
      return
    }
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(answer, { location: '/elsewhere' }).end()
  }).listen(0)
  await once(webhook, 'listening')
})
afterAll(async () => {
  webhook?.close()
  await app?.close()
  await mails?.remove()
})

const database = () => app.host.get(Databases).named('Default')
const schedules = (who: AppCaller) => who.service(ExportScheduleAppService)
const runs = (who: AppCaller) => who.service(ExportRunAppService)
const titlesOf = async (who: AppCaller) =>
  (await who.service(NotificationAppService).getList({})).items.map(({ title }) => title)

/** A key user of ACME with a confirmed address. */
async function customer(): Promise<AppCaller> {
  const one = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, one.userId, acme)
  await database().execute(sql`update "AbpUsers" set "EmailConfirmed" = true where "Id" = ${one.userId}`)
  return one
}

/** What looks for due schedules, which no module's door shows. */
interface Looker {
  startDue(job: { readonly signal: AbortSignal }): Promise<void>
}

let number = 0

/** Schedules the organizations that somebody sees, by their codes. */
function schedule(
  who: AppCaller,
  input: Partial<z.input<typeof CreateExportScheduleDto.schema>> = {},
): Promise<ExportScheduleDto> {
  return schedules(who).create({
    name: `Organizations ${++number}`,
    entitySet: 'Organizations',
    query: '$orderby=Code desc',
    columns: [{ path: 'Code', header: 'Short' }, { path: 'FullName' }],
    frequency: 'Daily',
    timeOfDay: '02:30',
    timeZone: 'Europe/Berlin',
    ...input,
  })
}

const statusOf = async (who: AppCaller, id: string) => (await runs(who).get(id)).status

/** Runs a schedule now, and waits for the end. */
async function run(who: AppCaller, id: string): Promise<ExportRunDto> {
  const begun = await schedules(who).runNow(id)
  await expect.poll(() => statusOf(who, begun.id), patience).toBeGreaterThan(ExportRunStatus.Running)
  return runs(who).get(begun.id)
}

async function textOf(who: AppCaller, id: string): Promise<string> {
  const answered = await who.fetch(`/api/app/export-run/${id}/file`)
  return answered.ok ? answered.text() : String(answered.status)
}

/** Runs the job that looks for due schedules, as if its minute had come. */
async function lookForDue(): Promise<void> {
  const jobs = (await app.admin()).service(BackgroundJobAppService)
  const { items } = await jobs.getList({ jobName: 'Core.ExportRunner.startDue', maxResultCount: 100 })
  for (const { id, completionTime } of items) if (!completionTime) await jobs.retry(id).catch(() => undefined)
}

const makeDue = (id: string, before = '1 minute') =>
  database().execute(
    sql`update "AppExportSchedules" set "NextRunTime" = now() - ${before}::interval where "Id" = ${id}`,
  )
const runsOf = async (who: AppCaller, exportScheduleId: string) =>
  (await runs(who).getList({ exportScheduleId })).items

test('a due export runs once, and waits for its owner as a file with the wanted columns and order', async () => {
  const { id, nextRunTime, status } = await schedule(ann, { csvDelimiter: ';' })
  expect({ status, isLater: (nextRunTime ?? 0) > new Date() }).toEqual({
    status: ExportScheduleStatus.Active,
    isLater: true,
  })
  await makeDue(id)
  await lookForDue()
  await expect.poll(async () => (await runsOf(ann, id))[0]?.status, patience).toBe(ExportRunStatus.Succeeded)
  await lookForDue()
  const [only, ...others] = await runsOf(ann, id)
  expect(others).toEqual([])
  expect(only).toMatchObject({
    ...{ rowCount: 1, isTruncated: false, deliveryStatus: ExportDeliveryStatus.Delivered, attempt: 1 },
    ...{ error: null, userId: ann.userId },
  })
  expect(only?.fileName).toMatch(/^Organizations_\d{8}-\d{4}_Organizations-1\.csv$/)
  expect(await textOf(ann, only?.id ?? '')).toBe('Short;Name\r\nACME;ACME Company\r\n')
  expect(await titlesOf(ann)).toEqual(['The export Organizations 1 is ready: 1 rows.'])
  expect(await schedules(ann).get(id)).toMatchObject({
    nextRunTime,
    lastRunStatus: ExportRunStatus.Succeeded,
    consecutiveFailures: 0,
  })
})

test('of the runs that a downtime missed one is made up for, and of two processes one starts it', async () => {
  const { id } = await schedule(ann)
  await makeDue(id, '9 days')
  const runner = app.host.application.services.find(({ service }) => service.name === 'ExportRunner')
  const looker = app.host.get(runner?.service as never) as Looker
  const look = () => looker.startDue({ signal: new AbortController().signal })
  await Promise.all([look(), look(), look()])
  await expect
    .poll(async () => (await runsOf(ann, id)).map((one) => one.status), patience)
    .toEqual([ExportRunStatus.Succeeded])
})
test('a run that a killed process had ended is not delivered again', async () => {
  const { id } = await schedule(ann)
  const { id: runId } = await run(ann, id)
  const before = await titlesOf(ann)
  // As a process leaves it that is killed between the end of the run and that of its job.
  await database().execute(sql`
    update "AbpBackgroundJobs" set "CompletionTime" = null, "JobArgs" = ${JSON.stringify({ runId })}, "NextTryTime" = now() at time zone 'utc'
    where "Id" = (select "Id" from "AbpBackgroundJobs" where "JobName" = 'App.RunExport' order by "CreationTime" desc limit 1)`)
  const open = () =>
    database().query(
      sql`select 1 from "AbpBackgroundJobs" where "JobName" = 'App.RunExport' and "CompletionTime" is null`,
    )
  await expect.poll(open, patience).toEqual([])
  expect(await titlesOf(ann)).toEqual(before)
  expect((await runs(ann).get(runId)).attempt).toBe(1)
})

testOfOneProcess(
  'exports of an owner that are due at the same time take turns: none that waits adds a job or an attempt',
  async () => {
    const bob = await customer()
    const due = [await schedule(bob), await schedule(bob), await schedule(bob)]
    const before = (await jobsOfRuns()).length
    const reading = await holdReads(app.host.databaseUrl('Hub'), 'HubOrganizations')
    for (const { id } of due) await makeDue(id)
    await lookForDue()
    await reading.isMet()
    const looks = new Set<number>()
    const looked = async () => {
      for (const { time, isWaiting } of await jobsOfRuns()) if (isWaiting && time) looks.add(time.getTime())
      return looks.size
    }
    // Two wait, and each of them has looked again.
    await expect.poll(looked, patience).toBeGreaterThanOrEqual(4)
    await reading.release()
    const outcomes = async () =>
      (await runs(bob).getList({})).items.map(({ status, attempt }) => ({ status, attempt }))
    const once = { status: ExportRunStatus.Succeeded, attempt: 1 }
    await expect.poll(outcomes, patience).toEqual([once, once, once])
    expect((await jobsOfRuns()).length - before).toBe(due.length)
  },
)

/** The jobs that write files, done ones too, with the time of their last attempt. */
const jobsOfRuns = () =>
  database().query<{ time: Date | null; isWaiting: boolean }>(sql`
    select "LastTryTime" as time, "CompletionTime" is null and "LockId" is null as "isWaiting" from "AbpBackgroundJobs" where "JobName" = 'App.RunExport'`)

test('an export has the rows that its owner may see when it runs', async () => {
  const bob = await customer()
  const { id } = await schedule(bob, { format: ExportFormat.Xlsx })
  const first = await run(bob, id)
  expect(first).toMatchObject({ rowCount: 1, fileName: expect.stringMatching(/\.xlsx$/) })
  expect((await textOf(bob, first.id)).startsWith('PK')).toBe(true)
  const hub = app.host.get(Databases).named('Hub')
  await hub.execute(sql`delete from "HubOrganizationMembers" where "UserId" = ${bob.userId}`)
  hub.feed.changed('HubOrganizationMembers')
  expect((await run(bob, id)).rowCount).toBe(0)
})

test('an owner who may not sign in any more, or lost the permission, gets no file and is told', async () => {
  const bob = await customer()
  const { id } = await schedule(bob)
  await database().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${bob.userId}`)
  await makeDue(id)
  await lookForDue()
  const found = () =>
    database().query<{ status: number; error: string }>(
      sql`select "Status" as status, "Error" as error from "AppExportRuns" where "ExportScheduleId" = ${id} and "Status" > 1`,
    )
  await expect
    .poll(found, patience)
    .toEqual([{ status: ExportRunStatus.Failed, error: 'App:ExportRun:OwnerNotPermitted' }])
  await database().execute(sql`update "AbpUsers" set "IsActive" = true where "Id" = ${bob.userId}`)
  await expect
    .poll(() => titlesOf(bob), patience)
    .toEqual([expect.stringMatching(/^The export .* failed\.$/)])
  for (let time = 0; time < 4; time += 1) {
    await database().execute(
      sql`update "AppExportSchedules" set "EntitySet" = 'AuditLogs' where "Id" = ${id}`,
    )
    expect(await run(bob, id)).toMatchObject({ error: 'App:ExportRun:OwnerNotPermitted', fileName: null })
  }
  expect(await schedules(bob).get(id)).toMatchObject({
    ...{ status: ExportScheduleStatus.Faulted, consecutiveFailures: 5 },
  })
  expect((await titlesOf(bob))[0]).toMatch(/was stopped\.$/)
  expect(await schedules(bob).resume(id)).toMatchObject({
    ...{ status: ExportScheduleStatus.Active, consecutiveFailures: 0 },
  })
})

test('a file goes with a mail to the owner, and to others only with the permission for that', async () => {
  const { id } = await schedule(ann, { delivery: ExportDelivery.Email })
  await run(ann, id)
  const [{ email }] = (await database().query(
    sql`select "Email" as email from "AbpUsers" where "Id" = ${ann.userId}`,
  )) as [{ email: string }]
  const [mail] = await mails.to(email)
  expect(mail).toMatchObject({ subject: expect.stringMatching(/^Export: Organizations/) })
  const sources = await Promise.all(
    (await readdir(mails.path)).map((name) => readFile(`${mails.path}/${name}`, 'utf8')),
  )
  expect(sources.filter((source) => source.includes('Organizations_')).length).toBe(1)
  const plain = await app.as({ roles: [DefaultCustomer] })
  await expect(
    schedule(plain, { delivery: ExportDelivery.Email, emailRecipients: ['x@example.com'] }),
  ).rejects.toMatchObject({ status: 403 })
})

test('a file is posted to a webhook with the signature of Standard Webhooks, again with the same id', async () => {
  const { port } = webhook.address() as AddressInfo
  const { id } = await schedule(ann, {
    ...{ delivery: ExportDelivery.Webhook, webhookSecret: secret },
    webhookUrl: `http://localhost:${port}/exports`,
  })
  answer = 302
  const { id: runId } = await run(ann, id)
  await expect.poll(() => received.length, patience).toBe(1)
  answer = 204
  const retried = async () => {
    await database().execute(
      sql`update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'App.DeliverExport' and "CompletionTime" is null`,
    )
    return runs(ann).get(runId)
  }
  await expect
    .poll(retried, patience)
    .toMatchObject({ deliveryStatus: ExportDeliveryStatus.Delivered, deliveryAttempt: 2, error: null })
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers).toMatchObject({ 'webhook-id': runId, 'webhook-signature': `v1,${signature}` })
    expect(body).toContain('Short,Name\r\nACME,ACME Company\r\n')
    expect(body).toContain(`"runId":"${runId}"`)
  }
  // No redirect was followed.
  expect(received.length).toBe(2)
  expect(JSON.stringify(await schedules(ann).get(id))).not.toContain('whsec')
})

testOfOneProcess(
  'receivers that do not answer keep the exports of their owner waiting, and nobody else’s',
  async () => {
    const bob = await customer()
    const { port } = webhook.address() as AddressInfo
    for (let count = 0; count < 3; count += 1) {
      const { id } = await schedule(bob, {
        ...{ delivery: ExportDelivery.Webhook, webhookSecret: secret },
        webhookUrl: `http://localhost:${port}/held`,
      })
      await run(bob, id)
    }
    await expect.poll(() => held.length, patience).toBe(1)
    const { id } = await schedule(ann)
    expect(await run(ann, id)).toMatchObject({ status: ExportRunStatus.Succeeded })
    expect(held.length).toBe(1)
    for (let count = 0; count < 3; count += 1) {
      await expect.poll(() => held.length, patience).toBe(count + 1)
      held[count]?.writeHead(204).end()
    }
  },
)

test('what could never run is refused with its reason', async () => {
  const codeOf = (input: Parameters<typeof schedule>[1]) =>
    schedule(ann, input).then(
      () => 'created',
      ({ code }: { code: string }) => code,
    )
  expect({
    zone: await codeOf({ timeZone: 'Europe/Atlantis' }),
    week: await codeOf({ frequency: 'Weekly' }),
    month: await codeOf({ frequency: 'Monthly', dayOfWeek: 1 }),
    end: await codeOf({ startDate: '2027-01-02', endDate: '2027-01-01' }),
    set: await codeOf({ entitySet: 'Nothing' }),
    column: await codeOf({ columns: [{ path: 'PasswordHash' }] }),
    collection: await codeOf({ columns: [{ path: 'Children/Code' }] }),
    filter: await codeOf({ query: "$filter=Code gt gt 'A'" }),
    option: await codeOf({ query: '$apply=groupby((Code))' }),
    select: await codeOf({ query: '$select=Code' }),
    http: await codeOf({
      ...{ delivery: ExportDelivery.Webhook, webhookSecret: secret },
      webhookUrl: 'http://hooks.example.com/',
    }),
    secretless: await codeOf({ delivery: ExportDelivery.Webhook, webhookUrl: 'https://hooks.example.com/' }),
    address: await codeOf({ delivery: ExportDelivery.Email, emailRecipients: ['A <a@example.com>'] }),
  }).toEqual({
    zone: 'App:ExportSchedule:InvalidTimeZone',
    week: 'App:ExportSchedule:InvalidDay',
    month: 'App:ExportSchedule:InvalidDay',
    end: 'App:ExportSchedule:InvalidDay',
    set: 'App:ExportSchedule:EntitySetUnknown',
    column: 'App:ExportSchedule:QueryInvalid',
    collection: 'App:ExportSchedule:QueryInvalid',
    filter: 'App:ExportSchedule:QueryInvalid',
    option: 'App:ExportSchedule:QueryInvalid',
    select: 'App:ExportSchedule:QueryInvalid',
    http: 'App:ExportSchedule:DeliveryInvalid',
    secretless: 'App:ExportSchedule:DeliveryInvalid',
    address: 'App:ExportSchedule:DeliveryInvalid',
  })
  await expect(schedule(ann, { entitySet: 'AuditLogs', columns: null, query: null })).rejects.toMatchObject({
    status: 403,
  })
})

test('an owner has a hundred runs within a day, by hand or by a time that is moved again and again', async () => {
  const bob = await customer()
  const { id } = await schedule(bob)
  await run(bob, id)
  await database().execute(sql`
    insert into "AppExportRuns" ("Id", "ExportScheduleId", "UserId", "EntitySet", "ScheduledTime", "Status", "ExpirationTime")
    select gen_random_uuid(), ${id}::uuid, ${bob.userId}::uuid, 'Organizations', now() - make_interval(secs => n), ${ExportRunStatus.Succeeded}::smallint, now()
    from generate_series(1, 99) n`)
  await expect(schedules(bob).runNow(id)).rejects.toMatchObject({ code: 'App:ExportRun:TooManyRuns' })
  await makeDue(id)
  await lookForDue()
  await expect
    .poll(async () => ((await schedules(bob).get(id)).nextRunTime ?? 0) > new Date(), patience)
    .toBe(true)
  expect((await runs(bob).getList({})).totalCount).toBe(100)
  await database().execute(
    sql`update "AppExportRuns" set "ScheduledTime" = "ScheduledTime" - interval '1 day' where "UserId" = ${bob.userId}`,
  )
  expect(await run(bob, id)).toMatchObject({ status: ExportRunStatus.Succeeded })
})

test('the next runs are told, and a paused schedule has none', async () => {
  const { id } = await schedule(ann, {
    ...{ frequency: 'Monthly', dayOfMonth: 31, timeOfDay: '06:00', timeZone: 'Asia/Shanghai' },
    ...{ startDate: '2099-01-01', endDate: '2099-03-31' },
  })
  expect((await schedules(ann).getPreview(id, {})).runTimes.map((time) => time.toISOString())).toEqual([
    '2099-01-30T22:00:00.000Z',
    '2099-02-27T22:00:00.000Z',
    '2099-03-30T22:00:00.000Z',
  ])
  expect(await schedules(ann).pause(id)).toMatchObject({
    ...{ status: ExportScheduleStatus.Paused, nextRunTime: null },
  })
  expect(await schedules(ann).update(id, { timeOfDay: '07:00' })).toMatchObject({
    ...{ status: ExportScheduleStatus.Paused, nextRunTime: null, frequency: 'Monthly' },
  })
})

test('nobody else sees an export; who manages all of them stops it, and neither changes it nor gets its file', async () => {
  const { id } = await schedule(ann)
  const { id: runId } = await run(ann, id)
  const bob = await customer()
  await expect(schedules(bob).get(id)).rejects.toMatchObject({ status: 404 })
  await expect(runs(bob).get(runId)).rejects.toMatchObject({ status: 404 })
  const { View, Edit, Delete, ManageAll } = ExportSchedulePermissions
  const chief = await app.as({ permissions: [View, Edit, Delete, ManageAll] })
  expect((await schedules(chief).get(id)).userId).toBe(ann.userId)
  const notOwner = { code: 'App:ExportSchedule:NotOwner' }
  await expect(schedules(chief).update(id, { emailRecipients: ['x@example.com'] })).rejects.toMatchObject(
    notOwner,
  )
  await expect(schedules(chief).runNow(id)).rejects.toMatchObject(notOwner)
  expect(await textOf(chief, runId)).toBe('403')
  await schedules(chief).pause(id)
  await schedules(chief).delete(id)
  await expect(schedules(ann).get(id)).rejects.toMatchObject({ status: 404 })
})

test('a file is for those alone who may read all of its columns, also later and with an API key', async () => {
  const { View, Create, Edit } = ExportSchedulePermissions
  const bob = await app.as({
    permissions: [
      ...[View, Create, Edit, ApiKeyPermissions.Create],
      ...[ShipmentPermissions.View, ShipmentPermissions.ViewGoodsValue],
    ],
  })
  const shipments = { entitySet: 'Shipments', columns: null }
  const rich = await schedule(bob, { ...shipments, query: '$select=ShipmentReference,GoodsValue' })
  const sorted = await schedule(bob, {
    ...shipments,
    query: '$select=ShipmentReference&$orderby=GoodsValue',
  })
  const plain = await schedule(bob, { ...shipments, query: '$select=ShipmentReference' })
  const files: string[] = []
  for (const { id } of [rich, sorted, plain]) files.push((await run(bob, id)).id)
  const key = await newKey(bob)
  const statuses = async (who: Sender) => {
    const answers = files.map((id) => send(who, 'GET', `/api/app/export-run/${id}/file`))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  const withTheKey = () => statuses(withKey(app.host, key.key))
  expect([await statuses(bob), await withTheKey()]).toEqual([Array(3).fill(200), Array(3).fill(200)])
  const revoke = async (providerKey: string) => {
    await database().execute(
      sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${providerKey} and "Name" = ${ShipmentPermissions.ViewGoodsValue}`,
    )
    database().feed.changed('AbpPermissionGrants')
  }
  await revoke(key.id)
  expect([await statuses(bob), await withTheKey()]).toEqual([Array(3).fill(200), [403, 403, 200]])
  await revoke(bob.userId)
  expect(await statuses(bob)).toEqual([403, 403, 200])
})

test('a file is for an owner who sees the rows that they saw when it was made', async () => {
  const bob = await customer()
  const { id } = await schedule(bob)
  const { id: runId } = await run(bob, id)
  const leave = async () => {
    const hub = app.host.get(Databases).named('Hub')
    await hub.execute(sql`delete from "HubOrganizationMembers" where "UserId" = ${bob.userId}`)
    hub.feed.changed('HubOrganizationMembers')
  }
  const shown = 'Short,Name\r\nACME,ACME Company\r\n'
  expect(await textOf(bob, runId)).toBe(shown)
  await leave()
  await expect(runs(bob).getFile(runId)).rejects.toMatchObject({ code: 'App:ExportRun:ScopeChanged' })
  await addMember(app, bob.userId, acme)
  expect(await textOf(bob, runId)).toBe(shown)
  // A webhook that did not take it at once does not get it either.
  const { port } = webhook.address() as AddressInfo
  const posted = await schedule(bob, {
    ...{ delivery: ExportDelivery.Webhook, webhookSecret: secret },
    webhookUrl: `http://localhost:${port}/exports`,
  })
  answer = 500
  const before = received.length
  const failed = await run(bob, posted.id)
  await expect.poll(() => received.length, patience).toBe(before + 1)
  answer = 204
  await leave()
  const retried = async () => {
    await database().execute(
      sql`update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'App.DeliverExport' and "CompletionTime" is null`,
    )
    return runs(bob).get(failed.id)
  }
  await expect.poll(retried, patience).toMatchObject({ deliveryStatus: ExportDeliveryStatus.Failed })
  expect(received.length).toBe(before + 1)
})

test('a file is gone when its time is over', async () => {
  const { id } = await schedule(ann)
  const { id: runId } = await run(ann, id)
  await database().execute(
    sql`update "AppExportRuns" set "ExpirationTime" = now() - interval '1 second' where "Id" = ${runId}`,
  )
  await expect(runs(ann).getFile(runId)).rejects.toMatchObject({ code: 'App:ExportRun:FileExpired' })
})

test('the sets ExportSchedules and ExportRuns show what the services show', async () => {
  const answered = await ann.fetch('/odata/ExportRuns?$top=1&$select=Status,RowCount,EntitySet')
  expect(await answered.json()).toMatchObject({ value: [{ EntitySet: 'Organizations' }] })
  const others = await (await customer()).fetch('/odata/ExportSchedules')
  expect(await others.json()).toMatchObject({ value: [] })
})
