import { readFileSync } from 'node:fs'
import { sql } from '@keel/framework/data'
import { SecurityActions, Sessions, UserDirectory } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost } from './auth-host.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest, refresh, signIn, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
  await seedClients(
    auth,
    {
      ClientId: 'portal',
      ConsentType: 'explicit',
      GrantTypes: ['authorization_code'],
      RedirectUris: ['http://localhost:4200/portal'],
    },
    { ClientId: 'dock', GrantTypes: ['urn:ietf:params:oauth:grant-type:device_code'] },
  )
})
afterAll(() => auth?.close())

/** The entry of an action about a user, once it is there. */
const entry = (action: string, userName: string) =>
  expect.poll(
    async () => {
      const [found] = await auth.database.query<Record<string, unknown>>(sql`
        select "ClientIpAddress" is not null as "hasAddress", "BrowserInfo" is not null as "hasAgent", "ClientId" as "clientId"
        from "AbpSecurityLogs" where "Action" = ${action} and "UserName" = ${userName}`)
      return found
    },
    { timeout: 10_000, interval: 50 },
  )

test('a refresh token that comes again after its time is written down with the user whose it was', async () => {
  const { refresh_token: used } = await tokensFor(auth, auth.browser(), 'operator')
  await refresh(auth, used)
  await auth.database.execute(
    sql`update "OpenIddictTokens" set "RedemptionDate" = "RedemptionDate" - interval '1 minute' where "RedemptionDate" is not null`,
  )
  expect((await refresh(auth, used)).body.error).toBe('invalid_grant')
  await entry('TokenReuse', 'operator').toEqual({ hasAddress: true, hasAgent: true, clientId: 'Core_App' })
})

test('what somebody allows or refuses a client is written down', async () => {
  const request = authorizationRequest({
    client_id: 'portal',
    redirect_uri: 'http://localhost:4200/portal',
    scope: 'openid',
  })
  for (const [userName, action, event] of [
    ['customer', 'deny', 'DenyConsent'],
    ['manager', 'allow', 'GrantConsent'],
  ] as const) {
    const browser = auth.browser()
    const consent = await signIn(browser, request, userName)
    await browser.submit(consent, { action })
    await entry(event, userName).toEqual({ hasAddress: true, hasAgent: true, clientId: 'portal' })
  }
})

test('a device that is let in is written down with who let it in', async () => {
  const { body } = await auth.post('/device', { client_id: 'dock', scope: 'openid' })
  const browser = auth.browser()
  const typed = await browser.submit(await browser.open('/connect/verify'), { user_code: body.user_code })
  const login = await browser.submit(typed, { confirm: 'yes' })
  await browser.submit(login, { userName: 'pricing', password })
  await entry('AuthorizeDevice', 'pricing').toEqual({ hasAddress: true, hasAgent: true, clientId: 'dock' })
})

test('a sign-out everywhere is written down', async () => {
  await tokensFor(auth, auth.browser(), 'superuser')
  const user = await auth.host.get(UserDirectory).findByUserName('superuser')
  await auth.host.get(Sessions).endAll(user?.id ?? '')
  await entry('EndAllSessions', 'superuser').toBeDefined()
})

test('each action has words on the page of the security log', () => {
  const texts = JSON.parse(
    readFileSync(new URL('../../../modules/openid/localization/en.json', import.meta.url), 'utf8'),
  ) as Record<string, string>
  expect(Object.values(SecurityActions).filter((action) => !texts[`SecurityLog:${action}`])).toEqual([])
})
