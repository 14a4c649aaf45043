import { ApiHost } from '@keel/api-host'
import { Configuration } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import { RateLimits } from '@keel/framework/http'
import { PortAppService } from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.js'
import { testOfOneProcess } from './one-process.js'

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
    const asked = Array.from({ length: 1300 }, () => free.host.fetch('/api/pricing/currency'))
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([401]))
  } finally {
    await free.close()
  }
})

test('a limit for an operation that does not exist stops the start and names those that do', async () => {
  await expect(startApp(ApiHost, { 'RateLimits:Operations:Hub.Port.fly': '1' })).rejects.toThrow(
    /Hub\.Port\.fly limits an operation that this host does not have.*Hub\.Port\.getList/,
  )
})
