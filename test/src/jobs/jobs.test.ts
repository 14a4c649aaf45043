import { ApiHost } from '@keel/api-host'
import { KeelModule, Module, system, withAmbient } from '@keel/framework'
import { type Database, Databases, raw, sql, UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobAbandoned } from '@keel/framework/jobs'
import { startTestHost } from '@keel/framework/testing'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { templates, testServer } from '../support/test-databases.js'
import { GreetArgs, runsTable, ToilArgs, ToilForArgs, WorkModule, Workshop } from './work.js'

@Module({ dependsOn: [ApiHost, WorkModule] })
class HostWithWork extends KeelModule {}

const settings = { 'Jobs:FirstRetryMs': '1', 'Jobs:PollMs': '100', 'Jobs:LeaseMs': '2000' }
const patience = { timeout: 20_000 }
let app: App
let database: Database
let jobs: BackgroundJobs
let workshop: Workshop

beforeAll(async () => {
  app = await startApp(HostWithWork, settings)
  database = app.host.get(Databases).named('Default')
  await database.execute(raw(runsTable))
  jobs = app.host.get(BackgroundJobs)
  workshop = app.host.get(Workshop)
})
afterAll(() => app?.close())
beforeEach(() => {
  workshop.refuses = () => undefined
  workshop.putsOff = () => undefined
})

const at = new Date()
const attemptsOf = (name: string) =>
  workshop.greeted.filter((greeted) => greeted.name === name).map(({ attempt }) => attempt)

async function job(id: string): Promise<Record<string, unknown> | undefined> {
  const [found] = await database.query(sql`
    select "CompletionTime" is not null as done, "IsAbandoned" as "givenUp", "IsCancelled" as cancelled, "TryCount" as tries, "LastError" as error,
      "Progress" as progress, "JobArgs" as args from "AbpBackgroundJobs" where "Id" = ${id}`)
  return found
}

test('a job runs with its arguments, which are forgotten afterwards', async () => {
  const id = await jobs.enqueue(new GreetArgs({ name: 'Ada', at }))
  await expect.poll(() => job(id), patience).toMatchObject({ done: true, tries: 1, args: '{}' })
  expect(attemptsOf('Ada')).toEqual([1])
})

test('a job of a unit of work that failed never was', async () => {
  let id = ''
  const failed = UnitOfWork.run(async () => {
    id = await jobs.enqueue(new GreetArgs({ name: 'nobody', at }))
    throw new Error('never mind')
  })
  await expect(failed).rejects.toThrow('never mind')
  expect(await job(id)).toBeUndefined()
})

test('arguments that do not fit are refused where the job is added', async () => {
  await expect(jobs.enqueue(new GreetArgs({ name: 7 as never, at }))).rejects.toThrow('expected string')
})

testOfOneProcess(
  'a job that fails is tried again, given up with its error at last, and runs anew when somebody retries it',
  async () => {
    workshop.refuses = (name) => (name === 'Bob' ? new Error('Bob is not at home') : undefined)
    const id = await jobs.enqueue(new GreetArgs({ name: 'Bob', at }))
    await expect
      .poll(() => job(id), patience)
      .toMatchObject({ givenUp: true, tries: 3, error: 'Bob is not at home' })
    workshop.refuses = () => undefined
    expect(await jobs.retry(id)).toBe(true)
    await expect.poll(() => job(id), patience).toMatchObject({ done: true, givenUp: false, error: null })
    expect(attemptsOf('Bob')).toEqual([1, 2, 3, 1])
  },
)

testOfOneProcess('a job that can not succeed is given up at once', async () => {
  workshop.refuses = (name) => (name === 'Eve' ? new JobAbandoned('Eve never opens') : undefined)
  const id = await jobs.enqueue(new GreetArgs({ name: 'Eve', at }))
  await expect
    .poll(() => job(id), patience)
    .toMatchObject({ givenUp: true, tries: 1, error: 'Eve never opens' })
})

testOfOneProcess(
  'a job that is postponed runs later as the same job, however often, and no attempt was counted',
  async () => {
    workshop.putsOff = (name) => (name === 'Joe' && attemptsOf('Joe').length < 5 ? 10 : undefined)
    const id = await jobs.enqueue(new GreetArgs({ name: 'Joe', at }))
    await expect.poll(() => job(id), patience).toMatchObject({ done: true, tries: 1, error: null })
    expect(attemptsOf('Joe')).toEqual([1, 1, 1, 1, 1])
  },
)

test('a job that waits is cancelled and never runs', async () => {
  const id = await jobs.enqueue(new GreetArgs({ name: 'later', at }), { delayMs: 3_600_000 })
  expect(await jobs.cancel(id)).toBe(true)
  expect(await job(id)).toMatchObject({ givenUp: true, cancelled: true, tries: 0 })
  expect(await jobs.cancel(id)).toBe(false)
})

test('a job that runs tells its progress, and ends when it is cancelled', async () => {
  const id = await jobs.enqueue(new ToilArgs({ forMs: 60_000, label: 'long' }))
  await expect.poll(async () => Number((await job(id))?.progress ?? 0), patience).toBeGreaterThanOrEqual(1)
  expect(await jobs.cancel(id)).toBe(true)
  await expect.poll(() => job(id), patience).toMatchObject({ done: false, givenUp: true, cancelled: true })
})

testOfOneProcess('jobs that take long, however many there are, keep no others waiting', async () => {
  const labels = Array.from({ length: 6 }, (_, number) => `crowd ${number}`)
  const crowd = await Promise.all(labels.map((label) => jobs.enqueue(new ToilArgs({ forMs: 60_000, label }))))
  const begun = () =>
    database.query(sql`select 1 from "TestRuns" where "Label" = any(${labels}) and "End" is null`)
  await expect.poll(async () => (await begun()).length, patience).toBe(2)
  const id = await jobs.enqueue(new GreetArgs({ name: 'Quick', at }))
  await expect.poll(() => job(id), patience).toMatchObject({ done: true })
  expect(await begun()).toHaveLength(2)
  for (const one of crowd.reverse()) await jobs.cancel(one)
})

testOfOneProcess(
  'the long jobs of a person, however many there are, leave a turn to those of others',
  async () => {
    const [busy, other] = [await app.as({}), await app.as({})]
    const toil = (label: string, forMs: number, asUser: string) =>
      withAmbient({ correlationId: label, principal: system, culture: 'en' }, () =>
        jobs.enqueue(new ToilForArgs({ forMs, label }), { asUser }),
      )
    const begun = async () =>
      (
        await database.query<{ label: string }>(
          sql`select "Label" as label from "TestRuns" where starts_with("Label", 'turn') order by "Begin"`,
        )
      ).map(({ label }) => label)
    const first = await toil('turn of the busy 1', 60_000, busy.userId)
    await toil('turn of the busy 2', 3000, busy.userId)
    await expect.poll(async () => (await begun()).length, patience).toBe(2)
    const rest = [3, 4, 5].map((number) => toil(`turn of the busy ${number}`, 60_000, busy.userId))
    const waiting = await Promise.all(rest)
    const id = await toil('turn of the other', 50, other.userId)
    await expect.poll(() => job(id), patience).toMatchObject({ done: true })
    // The place that became free went to the other person, whose job was added last, and then back.
    await expect.poll(begun, patience).toHaveLength(4)
    expect((await begun()).slice(2)).toEqual([
      'turn of the other',
      expect.stringContaining('turn of the busy'),
    ])
    for (const one of [...waiting.reverse(), first]) await jobs.cancel(one)
  },
)

test('a recurring job runs in one process at a time, however many there are', async () => {
  const other = await startTestHost(HostWithWork, {
    server: testServer,
    templates,
    beside: app.host,
    settings,
  })
  onTestFinished(() => other.close())
  const runs = () =>
    database.query<{ begin: Date; end: Date | null }>(
      sql`select "Begin" as begin, "End" as end from "TestRuns" where "Label" = 'tick' order by "Begin"`,
    )
  await expect
    .poll(async () => (await runs()).filter(({ end }) => end).length, patience)
    .toBeGreaterThanOrEqual(4)
  const times = await runs()
  const overlaps = times.filter(({ begin }, index) => index > 0 && (times[index - 1]?.end ?? begin) > begin)
  expect(overlaps).toEqual([])
})

test('the health check tells of the jobs', async () => {
  const health = (await (await app.host.fetch('/health-status')).json()) as {
    entries: Record<string, unknown>
  }
  expect(health.entries.Jobs).toMatchObject({
    status: 'Healthy',
    description: expect.stringMatching(/^\d+ waiting, \d+ running, \d+ given up\.$/),
  })
})
