import { ApiHost } from '@keel/api-host'
import { Databases, sql } from '@keel/framework/data'
import { DataProtection } from '@keel/framework/security'
import { ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import { expect, onTestFinished, test } from 'vitest'
import { templates, testServer } from '../support/test-databases.js'

interface KeyRow {
  readonly content: string
  readonly inUse: boolean
}

async function start(
  settings: Record<string, string> = {},
  beside?: TestHost,
  clock?: ManualClock,
): Promise<TestHost> {
  const host = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    settings,
    ...(beside && { beside }),
    ...(clock && { clock }),
  })
  onTestFinished(() => host.close())
  return host
}

async function protectionOf(host: TestHost): Promise<DataProtection> {
  const protection = host.get(DataProtection)
  await protection.load()
  return protection
}

function keysOf(host: TestHost): Promise<KeyRow[]> {
  return host
    .get(Databases)
    .named('Default')
    .query<KeyRow>(
      sql`select "Content" as content, now() between "ActivationTime" and "ExpirationTime" as "inUse" from "KeelDataProtectionKeys" order by "ActivationTime"`,
    )
}

test('several processes that start at once make one key, and each reads what another protected', async () => {
  const first = await start()
  const others = await Promise.all([start({}, first), start({}, first), start({}, first)])
  const all = await Promise.all([first, ...others].map(protectionOf))
  expect(await keysOf(first)).toEqual([{ content: expect.stringMatching(/^plain\.[\w-]{43}$/), inUse: true }])
  const [one, ...rest] = all.map((protection) => protection.protector('Test'))
  const text = one?.protect('a text: ä') ?? ''
  expect(rest.map((other) => other.unprotect(text))).toEqual(['a text: ä', 'a text: ä', 'a text: ä'])
  expect(text).not.toContain(Buffer.from('a text').toString('base64url').slice(0, 6))
})

test('what is protected is of its purpose, unchanged and in time, or nothing', async () => {
  const protection = await protectionOf(await start())
  const protector = protection.protector('Test', 'a')
  const text = protector.protect('content', new Date(Date.now() + 60_000))
  expect(protector.unprotect(text)).toBe('content')
  const bytes = Buffer.from(text, 'base64url')
  const changed = [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
    return protector.unprotect(copy.toString('base64url'))
  })
  expect(changed.filter((read) => read !== undefined)).toEqual([])
  expect([
    protection.protector('Test', 'b').unprotect(text),
    protection.protector('Test').unprotect(text),
    protection.protector('Test","a').unprotect(text),
    protector.unprotect(text.slice(0, -2)),
    protector.unprotect(''),
    protector.unprotect(protector.protect('content', new Date(Date.now() - 1))),
  ]).toEqual(Array(6).fill(undefined))
})

test('a key is replaced after its time, known to all before it is used, and what it protected stays readable', async () => {
  const clock = new ManualClock()
  const first = await start({}, undefined, clock)
  const before = await protectionOf(first)
  const text = before.protector('Test').protect('old')
  clock.advance({ days: 89 })
  const second = await start({}, first, clock)
  const after = await protectionOf(second)
  expect((await keysOf(first)).map(({ inUse }) => inUse)).toEqual([true, false])
  expect(after.protector('Test').keys[0]).toEqual(before.protector('Test').keys[0])

  await expect.poll(() => before.protector('Test').keys.length).toBe(2)
  const made = () => after.protector('Test').protect('new')
  expect(made().slice(0, 12)).toBe(text.slice(0, 12))

  clock.advance({ days: 2 })
  expect(made().slice(0, 12)).not.toBe(text.slice(0, 12))
  expect(before.protector('Test').unprotect(made())).toBe('new')
  expect(after.protector('Test').unprotect(text)).toBe('old')
})

test('with a secret the keys lie encrypted in the database, and another secret opens none of them', async () => {
  const first = await start({ 'DataProtection:Secret': 'a secret of sixteen letters' })
  const text = (await protectionOf(first)).protector('Test').protect('content')
  expect(await keysOf(first)).toEqual([
    { content: expect.stringMatching(/^sealed\.[0-9a-f]{8}\.[\w-]{80}$/), inUse: true },
  ])
  const renewed = await start(
    {
      'DataProtection:Secret': 'the next one, longer than before',
      'DataProtection:PreviousSecrets:0': 'a secret of sixteen letters',
    },
    first,
  )
  expect((await protectionOf(renewed)).protector('Test').unprotect(text)).toBe('content')
  const other = await start({ 'DataProtection:Secret': 'some other secret of somebody' }, first)
  await expect(protectionOf(other)).rejects.toThrow('set DataProtection:Secret to it')
})

test('keys that were made before there was a secret are encrypted once there is one', async () => {
  const first = await start()
  const text = (await protectionOf(first)).protector('Test').protect('content')
  const second = await start({ 'DataProtection:Secret': 'a secret of sixteen letters' }, first)
  expect((await protectionOf(second)).protector('Test').unprotect(text)).toBe('content')
  expect(await keysOf(first)).toEqual([{ content: expect.stringMatching(/^sealed\./), inUse: true }])
})
