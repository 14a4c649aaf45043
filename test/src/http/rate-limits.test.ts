import { ApiHost } from '@keel/api-host'
import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { Configuration } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import { RateLimits } from '@keel/framework/http'
import { newApiKey } from '@keel/framework/security'
import { PortAppService } from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'

let app: App
beforeAll(async () => {
  app = await startApp(ApiHost, {
    'RateLimits:PermitsPerMinute': '6',
    'RateLimits:AnonymousPermitsPerMinute': '3',
    'RateLimits:Operations:Hub.Port.getList': '2',
  })
})
afterAll(() => app.close())

testOfOneProcess(
  'a user who asks too often is told when they may again, others are not affected',
  async () => {
    const [eager, other] = [await app.as({ roles: [SuperUser] }), await app.as({ roles: [SuperUser] })]
    const statuses: number[] = []
    for (let request = 0; request < 7; request++)
      statuses.push((await eager.fetch('/api/pricing/currency')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
    const refused = await eager.fetch('/api/pricing/currency')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('more requests') },
    })
    expect((await other.fetch('/api/pricing/currency')).status).toBe(200)
  },
)

testOfOneProcess('an operation has a limit of its own, and a proxy throws it as a typed error', async () => {
  const ports = (await app.as({ roles: [SuperUser] })).service(PortAppService)
  await ports.getList({})
  await ports.getList({})
  await expect(ports.getList({})).rejects.toBeInstanceOf(TooManyRequestsError)
})

testOfOneProcess('strangers share the limit of their address; health is never limited', async () => {
  const statuses: number[] = []
  for (let request = 0; request < 4; request++)
    statuses.push((await app.host.fetch('/api/pricing/currency')).status)
  expect(statuses).toEqual([401, 401, 401, 429])
  for (const path of ['/health/ready', '/health-status', '/health/live'])
    expect((await app.host.fetch(path)).status).toBe(200)
  // Nothing answers there on this host, but it is not limited.
  expect((await app.host.fetch('/.well-known/openid-configuration')).status).toBe(404)
})

testOfOneProcess('strangers are limited where nothing is configured, and not where it says 0', async () => {
  const { anonymousPermitsPerMinute } = new Configuration('Development').read(RateLimits)
  expect(anonymousPermitsPerMinute).toBe(1200)
  const free = await startApp(ApiHost, { 'RateLimits:AnonymousPermitsPerMinute': '0' })
  try {
    // Few at once: a busy machine resets connections that wait to be accepted.
    const statuses = new Set<number>()
    for (let turn = 0; turn < 13; turn++) {
      const asked = Array.from({ length: 100 }, () => free.host.fetch('/api/pricing/currency'))
      for (const { status } of await Promise.all(asked)) statuses.add(status)
    }
    expect([...statuses]).toEqual([401])
  } finally {
    await free.close()
  }
})

testOfOneProcess(
  'keys that are made up are looked up only so often for an address, where it is not limited otherwise, and right ones go on',
  async () => {
    const limited = await startApp(ApiHost, { 'RateLimits:AnonymousPermitsPerMinute': '3' })
    onTestFinished(() => limited.close())
    const owner = await limited.as({
      permissions: [ApiKeyPermissions.Create, ApiKeyPermissions.Edit, ApiKeyPermissions.Delete],
    })
    const keys = owner.service(ApiKeyAppService)
    const [known, fresh] = [await keys.create({ name: 'Known' }), await keys.create({ name: 'Fresh' })]
    const ask = async (key: string, path = '/health/live') =>
      (await limited.host.fetch(path, { headers: { 'x-api-key': key } })).status
    const madeUp = () => {
      const { prefix, rawKey } = newApiKey()
      return prefix + rawKey
    }
    expect(await ask(known.key, '/api/abp/application-configuration')).toBe(200)
    const statuses: number[] = []
    for (let request = 0; request < 3; request++) statuses.push(await ask(madeUp()))
    // A right key that has to be looked up counts as none of them.
    expect([...statuses, await ask(madeUp()), await ask(fresh.key), await ask(known.key)]).toEqual([
      200, 200, 200, 429, 429, 200,
    ])
    // Also when a change of any key has all of them looked up again, until the key itself has ended.
    await keys.update(fresh.id, { name: 'Fresher' })
    expect([await ask(known.key), await ask(known.key)]).toEqual([200, 200])
    await keys.delete(known.id)
    expect([await ask(known.key), await ask(known.key)]).toEqual([200, 429])
  },
)

test('a limit for an operation that does not exist stops the start and names those that do', async () => {
  await expect(startApp(ApiHost, { 'RateLimits:Operations:Hub.Port.fly': '1' })).rejects.toThrow(
    /Hub\.Port\.fly limits an operation that this host does not have.*Hub\.Port\.getList/,
  )
})

testOfOneProcess('who has a network of IPv6 has one limit, whichever of its addresses are used', async () => {
  const behindProxy = await startApp(ApiHost, {
    'App:TrustedProxies': '1',
    'RateLimits:AnonymousPermitsPerMinute': '3',
  })
  onTestFinished(() => behindProxy.close())
  const statusFor = async (address: string) =>
    (await behindProxy.host.fetch('/api/pricing/currency', { headers: { 'x-forwarded-for': address } }))
      .status
  const statuses: number[] = []
  for (let last = 1; last <= 4; last++) statuses.push(await statusFor(`2001:db8:1:2::${last}`))
  expect(statuses).toEqual([401, 401, 401, 429])
  expect(await statusFor('2001:db8:1:3::1')).toBe(401)
})

testOfOneProcess('health is found out once for all who ask at the same time', async () => {
  const { healthChecks } = app.host.application
  let underWay = 0
  let most = 0
  const check = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setTimeout(resolve, 20))
    underWay -= 1
    return { status: 'Healthy' as const }
  }
  healthChecks.push({ name: 'Counted', check })
  onTestFinished(() => void healthChecks.pop())
  const asked = Array.from({ length: 100 }, () => app.host.fetch('/health/ready'))
  const answers = await Promise.all(asked)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(most).toBe(1)
})
