import { randomUUID } from 'node:crypto'
import { ApiHost } from '@keel/api-host'
import { ListMailAppService, LiveEventAppService } from '@keel/background-work/contracts'
import { NotificationAppService, NotificationPermissions } from '@keel/core/contracts'
import { Databases, sequentialGuid, sql } from '@keel/framework/data'
import { liveNotice } from '@keel/framework/live'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortPermissions } from '@keel/hub/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfDirectConnections } from '../support/direct-connections.js'
import { openPath, openStream, type ReceivedStream } from '../support/live-stream.js'
import { isPooled, templates, testServer } from '../support/test-databases.js'

const patience = { timeout: 10_000, interval: 20 }

let app: App
/** A second copy of the host, on the same databases. */
let other: TestHost
let mails: MailFolder
const open: ReceivedStream[] = []

const settings = { 'LiveEvents:MaxStreamsPerUser': '2', 'LiveEvents:HeartbeatSeconds': '1' }

beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, { ...settings, 'Mail:Folder': mails.path })
  other = await startTestHost(ApiHost, { server: testServer, templates, beside: app.host, settings })
})
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})
afterAll(async () => {
  await other?.close()
  await app?.close()
  await mails?.remove()
})

const database = () => app.host.get(Databases).named('Default')

async function listen(who: Parameters<typeof openStream>[0], url?: string): Promise<ReceivedStream> {
  const stream = await openStream(who, url)
  open.push(stream)
  return stream
}

/** Adds a notification as the program does it: in one transaction with its notice. */
async function notify({ userId }: AppCaller): Promise<void> {
  await database().execute(sql`
    with added as (
      insert into "AppNotifications" ("Id", "UserId", "EventId", "Kind", "Severity", "Title", "IsRead", "CreationTime")
      values (${sequentialGuid()}, ${userId}, ${randomUUID()}, 'ShipmentBooked', 0, 'Booked.', false, now()))
    select ${liveNotice('notification', { userId, key: '' })}`)
}

test('a permission that is granted is told within a second, by another copy of the host, to the person alone', async () => {
  const ann = await app.as({})
  const bob = await app.as({})
  const streams = [await listen(ann, other.url), await listen(bob, other.url)]
  await expect.poll(() => streams.map(({ kinds }) => kinds), patience).toEqual([['ready'], ['ready']])
  const before = performance.now()
  await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'U', providerKey: ann.userId, permission: PortPermissions.View }])
  await expect.poll(() => streams[0]?.kinds, patience).toEqual(['ready', 'permissions'])
  // On a machine that is busy with other tests; without load it is some 60 ms.
  expect(performance.now() - before).toBeLessThan(isPooled ? 5000 : 2000)
  expect(streams[1]?.kinds).toEqual(['ready'])
})

test('a stream passes proxies, and shows signs of life', async () => {
  const stream = await listen(await app.as({}))
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  expect(stream.headers.has('content-encoding')).toBe(false)
  await expect.poll(() => stream.beats, patience).toBeGreaterThan(1)
})

test('a ticket opens one stream, soon after it was issued, for users with a token alone', async () => {
  const ann = await app.as({})
  const { path } = await ann.service(LiveEventAppService).createTicket()
  open.push(await openPath(ann, path))
  await expect(openPath(ann, path)).rejects.toThrow('401')
  await expect(openPath(ann, path.replace(/ticket=.*/, 'ticket=no'))).rejects.toThrow('401')
  const late = await ann.service(LiveEventAppService).createTicket()
  await database().execute(
    sql`update "KeelLiveTickets" set "ExpirationTime" = now() - interval '1 second' where "UserId" = ${ann.userId}`,
  )
  await expect(openPath(ann, late.path)).rejects.toThrow('401')
  expect((await ann.fetch(path, { method: 'POST' })).status).toBe(405)
  const client = await app.host.as({ subject: 'a-client', clientId: 'a-client' })
  await expect(client.service(LiveEventAppService).createTicket()).rejects.toMatchObject({ status: 403 })
  const stranger = await app.host.fetch('/api/background-work/live-event/ticket', { method: 'POST' })
  expect(stranger.status).toBe(401)
})

test('of tickets that are asked for at once, no more are issued than may wait', async () => {
  const ann = await app.as({})
  const asked = Array.from({ length: 50 }, () => ann.service(LiveEventAppService).createTicket())
  const answers = await Promise.allSettled(asked)
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused).toEqual(
    Array.from({ length: 30 }, () =>
      expect.objectContaining({ reason: expect.objectContaining({ status: 429 }) }),
    ),
  )
})

test('a person has a bounded number of streams in a process', async () => {
  const ann = await app.as({})
  const { url } = other
  const [first] = [await listen(ann, url), await listen(ann, url)]
  await expect(listen(ann, url)).rejects.toThrow('429')
  await listen(await app.as({}), url)
  first.close()
  await expect.poll(() => listen(ann, url).then(() => 'open', String), patience).toBe('open')
})

testOfDirectConnections(
  'the number of unread notifications is told when one arrives and when it is read',
  async () => {
    const ann = await app.as({ permissions: [NotificationPermissions.View] })
    const bob = await app.as({ permissions: [NotificationPermissions.View] })
    const carl = await app.as({})
    const [mine, others, without] = [await listen(ann, other.url), await listen(bob), await listen(carl)]
    await notify(ann)
    await notify(carl)
    const counts = () => mine.events.filter(({ kind }) => kind === 'notification').map(({ data }) => data)
    await expect.poll(counts, patience).toEqual([{ count: 1 }])
    await ann.service(NotificationAppService).markAllRead()
    await expect.poll(counts, patience).toEqual([{ count: 1 }, { count: 0 }])
    expect(others.kinds).toEqual(['ready'])
    expect(without.kinds).toEqual(['ready'])
  },
)

testOfDirectConnections('the progress of a job is told to the person in whose name it runs', async () => {
  const ann = await app.as({ permissions: [PortPermissions.View] })
  await database().execute(sql`update "AbpUsers" set "EmailConfirmed" = true where "Id" = ${ann.userId}`)
  const stream = await listen(ann, other.url)
  await expect.poll(() => stream.kinds, patience).toContain('ready')
  const { jobId } = await ann.service(ListMailAppService).create({ list: 'Hub.Port', format: 'csv' })
  const jobs = () => stream.events.filter(({ kind }) => kind === 'job').map(({ data }) => data)
  await expect
    .poll(() => jobs().at(-1), patience)
    .toMatchObject({ jobId, jobName: 'MailList.Hub.Port', isCompleted: true, isRunning: false })
})

test('settings are told to those who see others now', async () => {
  const ann = await app.as({})
  const bob = await app.as({})
  const streams = [await listen(ann), await listen(bob)]
  const set = (userId: string | null, value: string) =>
    database().execute(sql`
      insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
      values (${sequentialGuid()}, 'Abp.Timing.TimeZone', ${value}, ${userId ? 'U' : 'G'}, ${userId})`)
  await set(ann.userId, 'Europe/Berlin')
  await expect.poll(() => streams[0]?.kinds, patience).toContain('settings')
  expect(streams[1]?.kinds).not.toContain('settings')
  await set(null, 'Asia/Tokyo')
  await expect.poll(() => streams[1]?.kinds, patience).toContain('settings')
  await database().execute(sql`delete from "AbpSettings" where "Name" = 'Abp.Timing.TimeZone'`)
})

test('a stream ends with its token, with its session, and with its person', async () => {
  const ann = await app.as({})
  const sessionId = randomUUID()
  await database().execute(sql`
    insert into "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn", "ExtraProperties")
    values (${sequentialGuid()}, ${sessionId}, 'Web', ${ann.userId}, now() at time zone 'utc', '{}')`)
  const short = await listen(await app.host.as({ subject: ann.userId, expiresIn: 3 }))
  const inSession = await listen(await app.host.as({ subject: ann.userId, sessionId }), other.url)
  const bob = await app.as({})
  const locked = await listen(bob)
  await database().execute(sql`delete from "AbpSessions" where "SessionId" = ${sessionId}`)
  await database().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${bob.userId}`)
  await expect
    .poll(() => [inSession, locked, short].map(({ events }) => events.at(-1)), patience)
    .toEqual(['signed-out', 'signed-out', 'expired'].map((reason) => ({ kind: 'end', data: { reason } })))
  await expect
    .poll(() => [inSession, locked, short].map(({ isOver }) => isOver), patience)
    .toEqual([true, true, true])
})

test('a host that stops ends its streams at once', async () => {
  const stopping = await startTestHost(ApiHost, { server: testServer, templates, beside: app.host, settings })
  const stream = await listen(await app.as({}), stopping.url)
  await expect.poll(() => stream.kinds, patience).toEqual(['ready'])
  const before = performance.now()
  await stopping.close()
  expect(performance.now() - before).toBeLessThan(8000)
  expect(stream.events.at(-1)).toEqual({ kind: 'end', data: { reason: 'stopping' } })
  expect(stream.isOver).toBe(true)
})
