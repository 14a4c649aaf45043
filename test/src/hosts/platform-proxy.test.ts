import { createDefaultProxy } from '@keel/default-proxy'
import { createHubProxy } from '@keel/hub-proxy'
import { IdentityUserPermissions } from '@keel/identity/contracts'
import { createPlatformProxy, type PlatformProxy, type ProxyOptions } from '@keel/platform-proxy'
import { createPricingProxy } from '@keel/pricing-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let caller: AppCaller
let platform: PlatformProxy
beforeAll(async () => {
  app = await startApp()
  caller = await app.admin()
  platform = createPlatformProxy({ baseUrl: app.host.url, accessToken: () => caller.token })
})
afterAll(() => app.close())

type Client = Readonly<Record<string, ((...args: unknown[]) => Promise<unknown>) | object>>

/** The clients of a proxy, by their paths in it (`identity.users`). */
function clientsOf(value: object, path: readonly string[] = []): [path: string, client: Client][] {
  const members = Object.entries(value)
  if (members.some(([, member]) => typeof member === 'function')) return [[path.join('.'), value as Client]]
  return members.flatMap(([name, member]) => clientsOf(member, [...path, name]))
}

test('the platform proxy has every operation of the API host that is none of Hub, Pricing and the core application', async () => {
  const asked = new Set<string>()
  const recording = createPlatformProxy({
    baseUrl: 'http://recorded',
    fetch: async (url, init) => {
      asked.add(`${init?.method} ${new URL(String(url)).pathname}`)
      return new Response(null, { status: 204 })
    },
  })
  for (const [, client] of clientsOf(recording))
    for (const [name, run] of Object.entries(client))
      if (!name.startsWith('query') && typeof run === 'function') await run()
  const { paths } = (await (await fetch(`${app.host.url}/swagger/v1/swagger.json`)).json()) as {
    paths: Record<string, object>
  }
  const offered = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/') && !/^\/api\/(hub|pricing|app)\//.test(path))
    .flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'undefined')}`),
    )
  expect(asked.size).toBeGreaterThan(200)
  expect([...asked].sort()).toEqual([...new Set(offered)].sort())
})

test('the proxies have every entity set of the API host, and each can be queried', async () => {
  const asked = new Set<string>()
  const failures: string[] = []
  const options: ProxyOptions = {
    baseUrl: app.host.url,
    accessToken: () => caller.token,
    fetch: (url, init) => {
      asked.add(new URL(String(url)).pathname.replace('/odata/', ''))
      return fetch(url, init)
    },
  }
  const proxies = {
    core: createDefaultProxy(options),
    hub: createHubProxy(options),
    platform: createPlatformProxy(options),
    pricing: createPricingProxy(options),
  }
  for (const [path, client] of clientsOf(proxies))
    if (typeof client.query === 'function')
      await client
        .query((q: { top(count: number): unknown }) => q.top(1))
        .catch((error: Error) => failures.push(`${path}: ${error.message}`))
  expect(failures).toEqual([])
  const headers = { authorization: `Bearer ${caller.token}` }
  const { value } = (await (await fetch(`${app.host.url}/odata`, { headers })).json()) as {
    value: { name: string; kind: string }[]
  }
  const sets = value.filter(({ kind }) => kind === 'EntitySet').map(({ name }) => name)
  expect([...asked].sort()).toEqual(sets.sort())
})

test('the platform proxy tells a page who the user is, what they may do, and the texts of their language', async () => {
  const { auth, currentUser } = await platform.application.configuration.get({
    includeLocalizationResources: false,
  })
  expect(currentUser.id).toBe(caller.userId)
  expect(auth.grantedPolicies[IdentityUserPermissions.Default]).toBe(true)
  const { resources, currentCulture } = await platform.application.localization.get({ cultureName: 'de' })
  expect(currentCulture.name).toBe('de')
  expect(Object.keys(resources)).toContain('AbpIdentity')
})

test('the platform proxy creates a user with a role and reads both back', async () => {
  const { items } = await platform.identity.roles.getAllList()
  const [role] = items
  const user = await platform.identity.users.create({
    userName: 'platform-user',
    email: 'platform-user@example.com',
    password: '1q2w3E*-platform',
    roleNames: [role?.name ?? ''],
  })
  expect(user.creationTime).toBeInstanceOf(Date)
  const rows = await platform.identity.users.query((q) => q.filter((u) => u.userName.eq('platform-user')))
  expect(rows.items.map(({ id }) => id)).toEqual([user.id])
  await platform.identity.users.delete(user.id)
})
