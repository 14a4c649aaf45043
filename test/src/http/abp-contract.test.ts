import { readFileSync } from 'node:fs'
import { apiDefinition } from '@keel/framework/http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, startAuthHost } from '../auth/auth-host.js'
import { abpUiCalls, abpUiTexts } from '../support/abp-ui.js'
import { type App, startApp } from '../support/app.js'

interface Definition {
  readonly modules: Readonly<
    Record<
      string,
      {
        readonly controllers: Readonly<
          Record<string, { readonly actions: Readonly<Record<string, { httpMethod: string; url: string }>> }>
        >
      }
    >
  >
}

const document = readFileSync(new URL('../../../docs/abp-contract.md', import.meta.url), 'utf8')
/** Routes of the tables of the document. */
const absent = [...document.matchAll(/^\| `([A-Z]+ \/\S+)` \| \S/gm)].map(([, route = '']) =>
  route.replace(/\{\w+\}/g, '{}'),
)
let app: App
let auth: AuthHost
const served = new Set<string>()

beforeAll(async () => {
  app = await startApp()
  auth = await startAuthHost()
  for (const { application } of [app.host, auth.host]) {
    const { modules } = apiDefinition(application) as unknown as Definition
    for (const { controllers } of Object.values(modules))
      for (const { actions } of Object.values(controllers))
        for (const { httpMethod, url } of Object.values(actions))
          served.add(`${httpMethod} /${url.replace(/\{\w+\}/g, '{}')}`)
  }
})
afterAll(() => Promise.all([app?.close(), auth?.close()]))

test('every call of ABP’s Angular UI has an operation, or stands in the list of what is absent with its reason', () => {
  // The first describes the others; the auth server answers the other two beside its pages.
  const elsewhere = ['GET /api/abp/api-definition', 'POST /api/account/login', 'GET /api/account/logout']
  const known = new Set<string>([...served, ...absent, ...elsewhere])
  expect(abpUiCalls.filter((call) => !known.has(call))).toEqual([])
})

test('nothing that is listed as absent is served', () => {
  expect(absent.length).toBeGreaterThan(10)
  expect(absent.filter((call) => served.has(call))).toEqual([])
})

test.for(['en', 'de', 'fr', 'es', 'tr', 'zh-Hans'])(
  'every text of ABP’s Angular UI is there in %s',
  (culture) => {
    const resources = new Map(
      app.host.application.localization.resources(culture).map((one) => [one.name, one]),
    )
    const has = (name: string, key: string): boolean => {
      const resource = resources.get(name)
      if (!resource) return false
      return Object.hasOwn(resource.texts, key) || resource.baseResources.some((base) => has(base, key))
    }
    const missing = Object.entries(abpUiTexts).flatMap(([name, keys]) =>
      keys.filter((key) => !has(name || 'Core', key)).map((key) => `${name}::${key}`),
    )
    expect(missing).toEqual([])
  },
)
