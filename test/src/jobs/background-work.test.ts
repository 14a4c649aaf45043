import { ApiHost } from '@keel/api-host'
import {
  BackgroundJobAppService,
  BackgroundJobState,
  BackgroundWorkPermissions,
  InboxEventAppService,
  InboxEventStatus,
} from '@keel/background-work/contracts'
import { KeelModule, Module } from '@keel/framework'
import { type Database, Databases, raw, sql } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { BackgroundJobs } from '@keel/framework/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ThingSpoke, ThingsModule, thingsTable, Witness } from '../events/things.js'
import { type App, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { GreetArgs, runsTable, ToilArgs, WorkModule, Workshop } from './work.js'

@Module({ dependsOn: [ApiHost, ThingsModule, WorkModule] })
class HostWithEverything extends KeelModule {}

const patience = { timeout: 20_000 }
let app: App
let hub: Database
let manager: { jobs: BackgroundJobAppService; events: InboxEventAppService }

beforeAll(async () => {
  app = await startApp(HostWithEverything, {
    'Events:MaxRetries': '1',
    'Events:FirstRetryMs': '1',
    'Jobs:FirstRetryMs': '1',
    'Jobs:LeaseMs': '2000',
  })
  const databases = app.host.get(Databases)
  hub = databases.named('Hub')
  await hub.execute(raw(thingsTable))
  await databases.named('Default').execute(raw(runsTable))
  const permissions = Object.values(BackgroundWorkPermissions)
  const caller = await app.as({ permissions })
  manager = { jobs: caller.service(BackgroundJobAppService), events: caller.service(InboxEventAppService) }
})
afterAll(() => app?.close())

const add = (args: object, delayMs = 0) => app.host.get(BackgroundJobs).enqueue(args, { delayMs })

testOfOneProcess(
  'a job that was given up is listed with its error and without its arguments, and is run again',
  async () => {
    const workshop = app.host.get(Workshop)
    workshop.refuses = (name) => (name === 'Carol' ? new Error('Carol is away, password=hunter2') : undefined)
    const id = await add(new GreetArgs({ name: 'Carol', at: new Date() }))
    const failed = () => manager.jobs.getList({ jobName: 'Test.Greet', state: BackgroundJobState.Abandoned })
    await expect.poll(async () => (await failed()).totalCount, patience).toBe(1)
    const [job] = (await failed()).items
    expect(job).toMatchObject({
      id,
      tryCount: 3,
      isRecurring: false,
      lastError: 'Carol is away, password=***',
    })
    expect(JSON.stringify(job)).not.toContain('"at"')
    workshop.refuses = () => undefined
    await manager.jobs.retry(id)
    await expect
      .poll(() => manager.jobs.get(id), patience)
      .toMatchObject({ state: BackgroundJobState.Completed, tryCount: 1, lastError: null })
    await expect(manager.jobs.retry(id)).rejects.toMatchObject({ code: 'BackgroundWork:JobIsBusy' })
  },
)

test('a job that runs shows its progress, and is cancelled', async () => {
  const id = await add(new ToilArgs({ forMs: 60_000, label: 'endless' }))
  await expect
    .poll(() => manager.jobs.get(id), patience)
    .toMatchObject({ state: BackgroundJobState.Running, progressText: expect.stringContaining('step') })
  await manager.jobs.cancel(id)
  await expect
    .poll(async () => (await manager.jobs.get(id)).state, patience)
    .toBe(BackgroundJobState.Cancelled)
  await expect(manager.jobs.cancel(id)).rejects.toMatchObject({ code: 'BackgroundWork:JobIsOver' })
})

test('recurring jobs wait in the list, once each', async () => {
  const { items } = await manager.jobs.getList({
    jobName: 'BackgroundWork.FinishedWorkDeleter.deleteFinished',
  })
  expect(items.map(({ isRecurring, state }) => ({ isRecurring, state }))).toEqual([
    { isRecurring: true, state: BackgroundJobState.Waiting },
  ])
})

test('a recurring job that is run now deletes what was handled long ago', async () => {
  await hub.execute(sql`insert into "AbpEventInbox" ("Id", "ExtraProperties", "MessageId", "EventName", "EventData", "CreationTime", "Status",
    "HandledTime", "Consumer") select gen_random_uuid(), '{}', 'old ' || n, 'Test.Old', '', now() - interval '9 days', 2, now() - interval '8 days', 'x'
    from generate_series(1, 3) n`)
  const { items } = await manager.jobs.getList({
    jobName: 'BackgroundWork.FinishedWorkDeleter.deleteFinished',
  })
  await manager.jobs.retry(items[0]?.id ?? '')
  const old = async () =>
    (await manager.events.getList({ database: 'Hub', eventName: 'Test.Old' })).totalCount
  await expect.poll(old, patience).toBe(0)
})

testOfOneProcess('a discarded event is listed with its error, replayed and then handled', async () => {
  const witness = app.host.get(Witness)
  witness.refuses = (words) => words === 'unwelcome'
  await app.host.get(DistributedEventBus).publish(new ThingSpoke({ words: 'unwelcome' }), { key: 'a thing' })
  const discarded = () => manager.events.getList({ database: 'Hub', status: InboxEventStatus.Discarded })
  await expect.poll(async () => (await discarded()).totalCount, patience).toBe(1)
  const [event] = (await discarded()).items
  expect(event).toMatchObject({
    eventName: 'Test.Thing.Spoke',
    consumer: 'Things.Witness.hear',
    orderKey: 'a thing',
    retryCount: 2,
    lastError: 'I do not want to hear unwelcome',
  })
  const { items: boxes } = await manager.events.getBoxes()
  expect(boxes.find(({ database }) => database === 'Hub')).toMatchObject({ discarded: 1 })
  witness.refuses = () => false
  await manager.events.replay(event?.id ?? '')
  const state = async () =>
    (await manager.events.getList({ database: 'Hub', eventName: 'Test.Thing.Spoke' })).items[0]
  await expect.poll(state, patience).toMatchObject({ status: InboxEventStatus.Processed, lastError: null })
  await expect(manager.events.replay(event?.id ?? '')).rejects.toMatchObject({
    code: 'BackgroundWork:EventNotDiscarded',
  })
})

testOfOneProcess('discarded events are replayed together, or forgotten', async () => {
  const witness = app.host.get(Witness)
  witness.refuses = (words) => words.startsWith('unheard')
  const bus = app.host.get(DistributedEventBus)
  for (const number of [1, 2, 3]) await bus.publish(new ThingSpoke({ words: `unheard ${number}` }))
  const discarded = () => manager.events.getList({ database: 'Hub', status: InboxEventStatus.Discarded })
  await expect.poll(async () => (await discarded()).totalCount, patience).toBe(3)
  await manager.events.delete((await discarded()).items[0]?.id ?? '')
  witness.refuses = () => false
  expect(await manager.events.replayMany({ database: 'Hub', consumer: 'Things.Witness.hear' })).toEqual({
    count: 2,
  })
  await expect.poll(async () => (await discarded()).totalCount, patience).toBe(0)
})

test('who may only look changes nothing, and a database that is none is named', async () => {
  const { Jobs, Events } = BackgroundWorkPermissions
  const reader = await app.as({ permissions: [Jobs, Events] })
  const id = await add(new GreetArgs({ name: 'later', at: new Date() }), 3_600_000)
  await expect(reader.service(BackgroundJobAppService).cancel(id)).rejects.toMatchObject({ status: 403 })
  await expect(reader.service(InboxEventAppService).replayMany({ database: 'Hub' })).rejects.toMatchObject({
    status: 403,
  })
  await expect(manager.events.getList({ database: 'Atlantis' })).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['database'] }],
  })
})
