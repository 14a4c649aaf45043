import { setTimeout as sleep } from 'node:timers/promises'
import { ApiHost } from '@keel/api-host'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { type Cache, type CacheOptions, Caches } from '@keel/framework/caching'
import { z } from '@keel/framework/contracts'
import { Databases, sql, UnitOfWork } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { PortPermissions } from '@keel/hub/contracts'
import { createClient } from '@redis/client'
import { expect, onTestFinished, test } from 'vitest'
import { newKey, ports } from '../api-keys/keys.js'
import { startApp } from '../support/app.js'
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.js'
import { directServer, templates, testServer } from '../support/test-databases.js'

const note = noRedis ? ` (${noRedis})` : ''
const patience = { timeout: 20_000, interval: 20 }
const texts: CacheOptions<string> = { name: 'Test.Texts', max: 100, shared: z.string() }

/** They listen for changes past a pooler: where notifications do not arrive, these caches keep nothing. */
async function twoHosts(settings: Record<string, string> = {}): Promise<[TestHost, TestHost]> {
  const options = { server: testServer, directServer, templates, settings }
  const first = await startTestHost(ApiHost, options)
  onTestFinished(() => first.close())
  const second = await startTestHost(ApiHost, { ...options, beside: first })
  onTestFinished(() => second.close())
  return [first, second]
}

async function twoCaches(
  settings: Record<string, string> = {},
): Promise<[Cache<string>, Cache<string>, TestHost, TestHost]> {
  const [first, second] = await twoHosts(settings)
  return [first.get(Caches).of(texts), second.get(Caches).of(texts), first, second]
}

async function redisFor(): Promise<[RedisServer, Record<string, string>]> {
  const redis = await startRedis()
  onTestFinished(() => redis.kill())
  return [redis, { 'Redis:IsEnabled': 'true', 'Redis:Configuration': redis.configuration }]
}

/** Makes one text after the other, not at once. */
function maker(name: string) {
  let times = 0
  return {
    get times() {
      return times
    },
    make: async () => {
      times += 1
      await sleep(100)
      return `${name} ${times}`
    },
  }
}

test('a value is made once for all who ask at the same time, a failure goes to all of them and is not kept', async () => {
  const [cache] = await twoCaches()
  const one = maker('one')
  expect(new Set(await Promise.all(Array.from({ length: 50 }, () => cache.getOrAdd('a', one.make))))).toEqual(
    new Set(['one 1']),
  )
  expect([one.times, await cache.getOrAdd('a', one.make), cache.peek('a'), await cache.get('b')]).toEqual([
    1,
    'one 1',
    'one 1',
    undefined,
  ])
  const fail = () => Promise.reject(new Error('no'))
  const failed = await Promise.allSettled([cache.getOrAdd('c', fail), cache.getOrAdd('c', fail)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.getOrAdd('c', () => 'yes')).toBe('yes')
})

test('what one process sets or removes no other uses after that', async () => {
  const [one, other] = await twoCaches()
  expect([await one.getOrAdd('a', () => 'old'), await other.getOrAdd('a', () => 'old')]).toEqual([
    'old',
    'old',
  ])
  await one.set('a', 'new')
  await expect.poll(() => other.peek('a'), patience).toBeUndefined()
  expect([one.peek('a'), await other.getOrAdd('a', () => 'new')]).toEqual(['new', 'new'])
  await one.setMany([
    ['b', '1'],
    ['c', '2'],
  ])
  expect(['a', 'b', 'c', 'd'].map((key) => one.peek(key))).toEqual(['new', '1', '2', undefined])
  await other.remove('b', 'c')
  await expect
    .poll(() => ['a', 'b', 'c'].map((key) => one.peek(key)), patience)
    .toEqual(['new', undefined, undefined])
})

test('what was being made while another process removed it is not kept', async () => {
  const [one, other] = await twoCaches()
  let finish = (_: string) => {}
  const making = one.getOrAdd('a', () => new Promise<string>((resolve) => (finish = resolve)))
  await other.remove('a')
  await other.set('heard', 'x')
  // Notices come in their order.
  await one.getOrAdd('heard', () => 'y')
  await other.remove('heard')
  await expect.poll(() => one.peek('heard'), patience).toBeUndefined()
  finish('old')
  expect([await making, one.peek('a')]).toEqual(['old', undefined])
})

test('inside a unit of work a value is set when that commits', async () => {
  const [cache] = await twoCaches()
  const setAnd = (work: () => void) =>
    UnitOfWork.run(async () => {
      await cache.set('a', 'set')
      expect(cache.peek('a')).toBeUndefined()
      work()
    })
  await expect(
    setAnd(() => {
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(cache.peek('a')).toBeUndefined()
  // While a busy machine lets it hear nothing a cache keeps nothing.
  const setAndPeek = async () => {
    await setAnd(() => {})
    return cache.peek('a')
  }
  await expect.poll(setAndPeek, patience).toBe('set')
})

test('a cache of what tables say forgets when one of them changes, and shows a unit of work its own changes alone', async () => {
  const [first, second] = await twoHosts()
  const [one, other] = [first, second].map((host) => {
    const database = host.get(Databases).named('Default')
    const madeOf = { database, tables: ['AbpSettings'] }
    return host.get(Caches).of<string>({ name: 'Test.Settings', max: 10, madeOf })
  }) as [Cache<string>, Cache<string>]
  const database = first.get(Databases).named('Default')
  await one.getOrAdd('a', () => 'old')
  await other.getOrAdd('a', () => 'old')
  await UnitOfWork.run(async () => {
    await database.execute(
      sql`insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName") values (gen_random_uuid(), 'Test', 'x', 'G')`,
    )
    UnitOfWork.current?.changed(database, 'AbpSettings')
    expect([await one.getOrAdd('a', () => 'mine'), one.peek('a')]).toEqual(['mine', 'old'])
  })
  expect(one.peek('a')).toBeUndefined()
  await expect.poll(() => other.peek('a'), patience).toBeUndefined()
})

test.skipIf(noRedis)(
  `with Redis one of all processes makes a value, and what one sets or removes all have or miss${note}`,
  async () => {
    const [, settings] = await redisFor()
    const [one, other] = await twoCaches(settings)
    const made = maker('made')
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other).getOrAdd('a', made.make))
    expect([new Set(await Promise.all(asked)), made.times]).toEqual([new Set(['made 1']), 1])
    await one.set('b', 'set')
    await one.setMany([['c', 'too']], { absoluteMs: 60_000, slidingMs: 30_000 })
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => other.get(key)))).toEqual([
      'made 1',
      'set',
      'too',
      undefined,
    ])
    await other.remove('a')
    await expect.poll(() => one.get('a'), patience).toBeUndefined()
    const slow = maker('slow')
    const askedBySlow = [one, other].map((cache) => cache.getOrAdd('f', slow.make))
    // A process that was busy does not take Redis for away.
    const until = performance.now() + 800
    while (performance.now() < until);
    expect([new Set(await Promise.all(askedBySlow)), slow.times]).toEqual([new Set(['slow 1']), 1])
    // Whichever of the two makes a value, and however long that takes: the other looks and locks just before, just after or in between.
    const keys = Array.from({ length: 300 }, (_, index) => `many ${index}`)
    let makings = 0
    const make = async () => {
      makings += 1
      await sleep(Math.random() * 100)
      return 'once'
    }
    await Promise.all(keys.flatMap((key) => [one.getOrAdd(key, make), other.getOrAdd(key, make)]))
    expect(makings).toBe(keys.length)
    await one.set('e', 'short', { absoluteMs: 50 })
    await expect.poll(() => other.get('e'), patience).toBeUndefined()
  },
  60_000,
)

test.skipIf(noRedis)(
  `without Redis that should be there values are served, and what was removed meanwhile does not come back${note}`,
  async () => {
    const [redis, settings] = await redisFor()
    const [one, other, host] = await twoCaches(settings)
    const stateOf = async () =>
      ((await (await host.fetch('/health-status')).json()) as { status: string }).status
    await one.set('kept', 'old')
    expect([await other.get('kept'), await stateOf()]).toEqual(['old', 'Healthy'])

    redis.freeze()
    await one.set('kept', 'new')
    await other.remove('gone')
    expect([one.peek('kept'), await one.getOrAdd('more', () => 'made')]).toEqual(['new', 'made'])
    redis.thaw()
    await expect.poll(() => other.get('kept'), patience).not.toBe('old')

    await redis.kill()
    await expect.poll(stateOf, patience).toBe('Degraded')
    const made = maker('made')
    const asked = Array.from({ length: 10 }, () => one.getOrAdd('d', made.make))
    expect([new Set(await Promise.all(asked)), await other.get('a')]).toEqual([
      new Set(['made 1']),
      undefined,
    ])
    await redis.start()
    await expect.poll(stateOf, patience).toBe('Healthy')
    const passOn = async () => {
      await one.set('back', 'again')
      return other.get('back')
    }
    await expect.poll(passOn, patience).toBe('again')
  },
  60_000,
)

test.skipIf(noRedis)(
  `processes share which API keys they verified, and Redis learns neither a key nor a hash nor can it make one${note}`,
  async () => {
    const [redis, settings] = await redisFor()
    const app = await startApp(ApiHost, settings, undefined, directServer)
    onTestFinished(() => app.close())
    const options = { server: testServer, directServer, templates, settings, beside: app.host }
    const second = await startTestHost(ApiHost, options)
    onTestFinished(() => second.close())
    const owner = await app.as({ permissions: [PortPermissions.View, ApiKeyPermissions.Create] })
    const { key } = await newKey(owner)
    const ask = async (host: TestHost) => (await host.fetch(ports, { headers: { 'x-api-key': key } })).status
    expect(await ask(app.host)).toBe(200)

    const [address = '', password = ''] = redis.configuration.split(',')
    const client = createClient({ url: `redis://:${password.replace('password=', '')}@${address}` })
    await client.connect()
    onTestFinished(() => client.destroy())
    const places = (await client.keys('*')).filter((place) => place.includes('ApiKeys.Verified'))
    expect(places).toHaveLength(1)
    const shown = `${places} ${await client.get(places[0] ?? '')}`
    for (const secret of [key.slice(0, 16), key.slice(16), 'true']) expect(shown).not.toContain(secret)

    expect(await ask(second)).toBe(200)
    // What somebody else puts there opens for nobody: the key is verified.
    await client.set(places[0] ?? '', '{"v":true,"e":null,"s":null}')
    const third = await startTestHost(ApiHost, options)
    onTestFinished(() => third.close())
    expect(await ask(third)).toBe(200)
  },
  60_000,
)
