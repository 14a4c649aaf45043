import { ApiHost } from '@keel/api-host'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { SuperUser } from '@keel/identity/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { noRedis, startRedis } from '../support/redis-server.js'
import { directServer, templates, testServer } from '../support/test-databases.js'

const note = noRedis ? ` (${noRedis})` : ''
const patience = { timeout: 20_000 }

test.skipIf(noRedis)(
  `with Redis the copies of a host share the limits of requests, and go on without it${note}`,
  async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.kill())
    const settings = {
      'Redis:IsEnabled': 'true',
      'Redis:Configuration': redis.configuration,
      'RateLimits:PermitsPerMinute': '4',
    }
    const first = await startApp(ApiHost, settings, undefined, directServer)
    onTestFinished(() => first.close())
    const second = await startTestHost(ApiHost, {
      server: testServer,
      directServer,
      templates,
      settings,
      beside: first.host,
    })
    onTestFinished(() => second.close())
    const { token } = await first.as({ roles: [SuperUser] })
    const ask = async (host: TestHost) =>
      (await host.fetch('/api/pricing/currency', { headers: { authorization: `Bearer ${token}` } })).status
    const asked: number[] = []
    for (const host of [first.host, second, first.host, second, first.host, second])
      asked.push(await ask(host))
    expect(asked).toEqual([200, 200, 200, 200, 429, 429])
    expect(await stateOf(first.host)).toEqual({ status: 'Healthy', redis: 'Healthy' })

    await redis.kill()
    await expect.poll(() => stateOf(first.host), patience).toEqual({ status: 'Degraded', redis: 'Degraded' })
    // Each counts for itself now.
    expect([await ask(first.host), await ask(second)]).toEqual([200, 200])
    await redis.start()
    await expect.poll(() => stateOf(first.host), patience).toEqual({ status: 'Healthy', redis: 'Healthy' })
  },
  60_000,
)

testOfOneProcess(
  'a host whose Redis never answers starts, serves, and says that it is Degraded',
  async () => {
    const app = await startApp(ApiHost, {
      'Redis:IsEnabled': 'true',
      'Redis:Configuration': '127.0.0.1:1',
      'RateLimits:PermitsPerMinute': '1',
    })
    onTestFinished(() => app.close())
    const caller = await app.as({ roles: [SuperUser] })
    const asked = [1, 2].map(() => caller.fetch('/api/pricing/currency'))
    expect((await Promise.all(asked)).map(({ status }) => status).sort()).toEqual([200, 429])
    expect(await stateOf(app.host)).toEqual({ status: 'Degraded', redis: 'Degraded' })
  },
)

async function stateOf(host: TestHost): Promise<{ status: string; redis: string | undefined }> {
  const { status, entries } = (await (await host.fetch('/health-status')).json()) as {
    status: string
    entries: Record<string, { status: string }>
  }
  return { status, redis: entries.Redis?.status }
}
