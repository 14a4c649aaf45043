import { sql } from '@keel/framework/data'
import { UserDirectory } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, startAuthHost } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest, redeem, refresh } from './sign-in.js'

const portal = { client_id: 'portal', redirect_uri: 'http://localhost:4200/portal' }
const desk = { client_id: 'desk', redirect_uri: 'http://localhost:4200/desk' }
const partner = { client_id: 'partner', redirect_uri: 'http://localhost:4200/partner' }
type Client = typeof portal

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
  await seedClients(
    auth,
    ...[portal, desk, partner].map((client) => ({
      ClientId: client.client_id,
      DisplayName: `The ${client.client_id}`,
      ConsentType: client === partner ? 'external' : 'explicit',
      GrantTypes: ['authorization_code', 'refresh_token'],
      Scopes: ['email', 'roles', 'Core'],
      RedirectUris: [client.redirect_uri],
    })),
  )
})
afterAll(() => auth?.close())

const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]
const path = '/Account/Applications'

async function signedIn(userName: string): Promise<Browser> {
  const password = 'Abc-Crane5'
  const users = auth.host.get(UserDirectory)
  const known = await users.findByUserName(userName)
  if (!known) await users.create({ userName, email: `${userName}@example.com`, password })
  const browser = auth.browser()
  const login = await browser.open(`/Account/Login?ReturnUrl=${encodeURIComponent(path)}`)
  expect(titleOf(await browser.submit(login, { userName, password }))).toBe('Applications')
  return browser
}

const asking = (client: Client, scope = 'openid email Core offline_access') =>
  authorizationRequest({ ...client, scope })

/** Allows a client what it asks for; answers its tokens. */
async function allow(browser: Browser, client: Client) {
  const request = asking(client)
  const asked = await browser.open(request.address)
  expect(titleOf(asked)).toBe(`The ${client.client_id} asks for access`)
  return (await redeem(auth, await browser.submit(asked, { action: 'allow' }), request, client)).body
}

const refreshed = async (token: string, { client_id }: Client) =>
  (await refresh(auth, token, { client_id })).status
const userinfo = async (token: string) =>
  (await auth.fetch('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } })).status

test('what was allowed is listed by application, in words and with its time, until nothing is left', async () => {
  const browser = await signedIn('lister')
  expect((await browser.open(path)).html).toContain('You have not given any application access.')
  await allow(browser, portal)
  const { html } = await browser.open(path)
  expect(html).toContain('<strong>The portal</strong>')
  expect([...html.matchAll(/<li>([^<]+)<\/li>/g)].map(([, text]) => text)).toEqual([
    'work with Keel in your name',
    'keep this access while you are away',
    'see your e-mail address',
    'know who you are',
  ])
  expect(html).toMatch(/<dt>Allowed<\/dt><dd>\w+ \d+, \d{4}, [^<]+ UTC<\/dd>/)
  const after = await browser.submit(await browser.open(path), { client: 'portal' })
  expect(after.html).toContain('Your consent was withdrawn.')
  expect(after.html).toContain('You have not given any application access.')
})

test('after a withdrawal the application has no access, is asked about again, and others keep theirs', async () => {
  const browser = await signedIn('withdrawer')
  const ended = await allow(browser, portal)
  const other = await allow(browser, desk)
  const elsewhere = await allow(await signedIn('bystander'), portal)
  expect(await userinfo(ended.access_token)).toBe(200)
  await browser.submit(await browser.open(path), { client: 'portal' })
  expect([await userinfo(ended.access_token), await refreshed(ended.refresh_token, portal)]).toEqual([
    401, 400,
  ])
  expect([
    await refreshed(other.refresh_token, desk),
    await refreshed(elsewhere.refresh_token, portal),
  ]).toEqual([200, 200])
  const silent = await browser.open(
    authorizationRequest({ ...portal, scope: 'openid', prompt: 'none' }).address,
  )
  expect(silent.callback?.searchParams.get('error')).toBe('consent_required')
  const again = await allow(browser, portal)
  expect(await userinfo(again.access_token)).toBe(200)
  expect(await refreshed(ended.refresh_token, portal)).toBe(400)
})

test('a code that was not redeemed yet is worth nothing after the withdrawal', async () => {
  const browser = await signedIn('hasty')
  const request = asking(portal)
  const arrival = await browser.submit(await browser.open(request.address), { action: 'allow' })
  await browser.submit(await browser.open(path), { client: 'portal' })
  expect((await redeem(auth, arrival, request, portal)).body.error).toBe('invalid_grant')
})

test('a withdrawal is in the security log, once, with the application and its scopes', async () => {
  const browser = await signedIn('noted')
  await allow(browser, portal)
  const page = await browser.open(path)
  await browser.submit(page, { client: 'portal' })
  expect((await browser.submit(page, { client: 'portal' })).html).toContain('Your consent was withdrawn.')
  const entries = await auth.database.query(sql`
    select "ClientId" as "clientId", "ExtraProperties"::json ->> 'Scopes' as scopes, "ClientIpAddress" is not null as "hasAddress"
    from "AbpSecurityLogs" where "Action" = 'WithdrawConsent' and "UserName" = 'noted'`)
  expect(entries).toEqual([
    { clientId: 'portal', scopes: 'openid email Core offline_access', hasAddress: true },
  ])
  expect((await browser.open('/Account/SecurityLogs')).html).toContain(
    'Consent to an application was withdrawn',
  )
})

test('a withdrawal without the token of this browser does nothing, and says so', async () => {
  const browser = await signedIn('careful')
  await allow(browser, portal)
  const refused = await browser.submit(await browser.open(path), { client: 'portal', token: 'forged' })
  expect([refused.status, refused.html.includes('The page was open for too long')]).toEqual([400, true])
  expect(refused.html).toContain('<strong>The portal</strong>')
})

test('what an administrator allowed in everybody’s place is nothing that a user can withdraw', async () => {
  const browser = await signedIn('partnered')
  const user = await auth.host.get(UserDirectory).findByUserName('partnered')
  await auth.database.execute(sql`
    insert into "OpenIddictAuthorizations" ("Id", "ApplicationId", "CreationDate", "Scopes", "Status", "Subject", "Type", "ExtraProperties",
      "ConcurrencyStamp")
    select gen_random_uuid(), "Id", now(), '["openid"]', 'valid', ${user?.id ?? ''}, 'permanent', '{}', ''
    from "OpenIddictApplications" where "ClientId" = 'partner'`)
  await allow(browser, portal)
  const page = await browser.open(path)
  expect(page.html).not.toContain('The partner')
  await browser.submit(page, { client: 'partner' })
  const arrival = await browser.open(asking(partner, 'openid').address)
  expect(arrival.callback?.searchParams.has('code')).toBe(true)
})

test('who is not signed in is asked to sign in, and comes back', async () => {
  const login = await auth.browser().open(path)
  expect([titleOf(login), login.status]).toEqual(['Sign in', 200])
})
