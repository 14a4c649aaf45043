import { setTimeout as sleep } from 'node:timers/promises'
import { ApiHost } from '@keel/api-host'
import { UnavailableError } from '@keel/framework/contracts'
import { Databases, Locks, lockHolder, sql, UnitOfWork } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { noPooler, type Pooler, startPooler } from '../support/pgbouncer.js'
import { templates, testServer } from '../support/test-databases.js'

let app: App
let pooler: Pooler | undefined
let other: TestHost
let pooled: TestHost | undefined

beforeAll(async () => {
  app = await startApp()
  const beside = { server: testServer, templates, beside: app.host }
  other = await startTestHost(ApiHost, beside)
  if (noPooler) return
  pooler = await startPooler(app.host.databaseUrl('Default'), { poolSize: 8 })
  const through = Object.keys(templates).map((name) => [
    `ConnectionStrings:${name}`,
    pooler?.through(app.host.databaseUrl(name)) ?? '',
  ])
  pooled = await startTestHost(ApiHost, {
    ...beside,
    settings: { ...Object.fromEntries(through), 'AuthServer:Authority': app.host.issuer.address },
  })
})
afterAll(async () => {
  await pooled?.close()
  pooler?.stop()
  await other?.close()
  await app?.close()
})

/** A promise, and what ends it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const places = [
  ['beside each other', () => other],
  ['one of them behind a PgBouncer in transaction mode', () => pooled as TestHost],
] as const

describe.each(places)('of two hosts, %s,', (place, second) => {
  const it = test.skipIf(noPooler && place !== 'beside each other')
  const first = (): Locks => app.host.get(Locks)
  const far = (): Locks => second().get(Locks)
  const name = (what: string): string => `Test ${place} ${what}`

  it('one at a time works under a lock', async () => {
    let working = 0
    let most = 0
    const work = async (): Promise<void> => {
      working += 1
      most = Math.max(most, working)
      await sleep(10)
      working -= 1
    }
    const all = [first(), far(), first(), far(), first(), far()]
    await Promise.all(all.map((locks) => locks.within(name('turns'), work)))
    expect({ most, working }).toEqual({ most: 1, working: 0 })
  })

  it('the other is told when the lock is not free, and gets it in time when it waits', async () => {
    const [taken, end] = [gate(), gate()]
    const holding = first().within(name('busy'), () => {
      taken.open()
      return end.opened
    })
    await taken.opened
    const answer = async () => 'done'
    expect(await far().tryWithin(name('busy'), answer)).toBeUndefined()
    await expect(far().within(name('busy'), answer, { waitMs: 150 })).rejects.toThrow(UnavailableError)
    expect(await far().tryWithin(name('free'), answer)).toEqual({ result: 'done' })
    const waiting = far().tryWithin(name('busy'), answer, { waitMs: 20_000 })
    end.open()
    expect(await waiting).toEqual({ result: 'done' })
    await holding
  })

  it('a unit of work holds a lock until what it wrote is committed', async () => {
    const free = async () => (await far().tryWithin(name('unit'), async () => true)) !== undefined
    await UnitOfWork.run(async () => {
      await first().hold(name('unit'))
      // The same unit of work may take it again.
      await first().within(name('unit'), async () => undefined)
      expect(await UnitOfWork.apart(free)).toBe(false)
    })
    expect(await free()).toBe(true)
  })

  it('the lock is free after work that fails', async () => {
    const fails = (): Promise<void> =>
      far().within(name('failing'), () => Promise.reject(new Error('no luck')))
    await expect(fails()).rejects.toThrow('no luck')
    expect(await first().tryWithin(name('failing'), async () => 1)).toEqual({ result: 1 })
  })

  it('a holder whose connection is lost hears of it, and fails, while another goes on', async () => {
    const [taken, heard] = [gate(), gate()]
    const holding = far().within(name('lost'), async ({ signal }) => {
      taken.open()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      heard.open()
    })
    const failed = expect(holding).rejects.toMatchObject({
      name: 'UnavailableError',
      text: { key: 'LockLost' },
    })
    await taken.opened
    const database = app.host.get(Databases).named('Default')
    const holder = await database.withConnection((session) => lockHolder(session, name('lost')))
    await database.query(sql`select pg_terminate_backend(${holder?.pid})`)
    expect(await first().within(name('lost'), async () => 'next')).toBe('next')
    await heard.opened
    await failed
  })
})

test('the same name on two databases is two locks', async () => {
  const locks = app.host.get(Locks)
  const databases = app.host.get(Databases)
  const inner = () => locks.tryWithin('Test both', async () => 'both', { database: databases.named('Hub') })
  expect(await locks.within('Test both', inner, { database: databases.named('Default') })).toEqual({
    result: 'both',
  })
})

test('a lock is not held where no unit of work is at hand', async () => {
  await expect(app.host.get(Locks).hold('Test nothing')).rejects.toThrow('no unit of work')
})
