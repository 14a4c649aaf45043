import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { LinkedAccounts, LinkUserAppService } from '@keel/account/contracts'
import { ambient, withAmbient } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { UserDirectory, UserLogins, type UserRecord } from '@keel/identity/contracts'
import { type ExternalProvider, ExternalProviders, StoredSettings } from '@keel/setting-management/contracts'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, startAuthHost } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'
import { type Directory, startDirectory } from './directory.js'
import { authorizationRequest, redeem } from './sign-in.js'

let auth: AuthHost
let directory: Directory
/** Tells when a person signed in only where it is asked to. */
let silent: Directory

const contoso = 'OpenIdConnect.contoso'
const fabrikam = 'OpenIdConnect.fabrikam'
/** Of everybody here; the seeded one is too common for new users. */
const password = 'Quay-lantern-42'

function contosoSettings(changed: Partial<ExternalProvider> = {}): ExternalProvider {
  return {
    name: contoso,
    enabled: true,
    properties: {
      Authority: directory.authority,
      ClientId: directory.clientId,
      DisplayName: 'Contoso',
      TrustedEmailDomains: 'keel.local, contoso.com',
    },
    secretProperties: { ClientSecret: directory.clientSecret },
    ...changed,
  }
}

const configure = (...providers: ExternalProvider[]) => auth.host.get(ExternalProviders).replace(providers)
const set = (values: Record<string, boolean>) => auth.host.get(StoredSettings).setForEverybody(values)

beforeAll(async () => {
  auth = await startAuthHost()
  directory = await startDirectory([`${issuer}signin-oidc/contoso`, `${issuer}signin-oidc/fabrikam`])
  silent = await startDirectory([`${issuer}signin-oidc/fabrikam`], { tellsTime: false })
})
afterAll(async () => {
  await auth.close()
  await directory.close()
  await silent.close()
})
beforeEach(async () => {
  directory.signedInAt = undefined
  await configure(contosoSettings())
  await set({
    'Abp.Account.IsSelfRegistrationEnabled': false,
    'Abp.Account.EnableLocalLogin': true,
    'Abp.Account.VerifyPasswordDuringExternalLogin': false,
  })
})

/** Begins a sign-in with a provider, for a client that waits; ends at the provider. */
async function start(
  browser: Browser,
  request = authorizationRequest(),
  provider = contoso,
): Promise<Arrival> {
  const page = await browser.open(request.address)
  return browser.submit(page, { provider }, 'class="providers"')
}

/** Signs in with the directory; ends at the client or on a page of ours. */
async function comeFromDirectory(browser: Browser, request = authorizationRequest()): Promise<Arrival> {
  const { callback } = await start(browser, request)
  return browser.open((await directory.visit(callback)).href)
}

async function newUser(
  userName: string,
  more: { isEmailConfirmed?: boolean; password?: string | undefined } = {},
) {
  return auth.host.get(UserDirectory).create({
    userName,
    email: `${userName}@contoso.com`,
    password,
    isEmailConfirmed: true,
    ...more,
  })
}

const loginsOf = async (userId: string) =>
  (await auth.host.get(UserLogins).of(userId)).map(({ loginProvider, providerKey }) => [
    loginProvider,
    providerKey,
  ])

async function logged(userId: string) {
  return auth.database.query<{ action: string; identity: string; address: string }>(sql`
    select "Action" as action, "Identity" as identity, "ClientIpAddress" as address from "AbpSecurityLogs"
    where "UserId" = ${userId} order by "CreationTime", "Id"`)
}

test('whose verified address a trusted directory tells is linked and signed in, and known by their key from then on', async () => {
  const user = await newUser('ada')
  directory.person = { sub: 'ada-1', email: 'ADA@contoso.com', email_verified: true }
  const browser = auth.browser()
  const request = authorizationRequest()
  const { body } = await redeem(auth, await comeFromDirectory(browser, request), request)
  expect(claimsOf(body.access_token)).toMatchObject({ sub: user.id, preferred_username: 'ada' })
  expect(await loginsOf(user.id)).toEqual([[contoso, 'ada-1']])
  expect(await logged(user.id)).toEqual([
    { action: 'AddExternalLogin', identity: 'IdentityExternal', address: expect.any(String) },
    { action: 'LoginSucceeded', identity: 'IdentityExternal', address: expect.any(String) },
  ])
  directory.person = { sub: 'ada-1', email: 'other@fabrikam.com' }
  const again = authorizationRequest()
  const second = await redeem(auth, await comeFromDirectory(auth.browser(), again), again)
  expect(claimsOf(second.body.access_token)).toMatchObject({ sub: user.id })
})

test('a client that asks for a new sign-in gets one from the directory', async () => {
  await newUser('prompted')
  directory.person = { sub: 'prompted-1', email: 'prompted@contoso.com', email_verified: true }
  const { callback } = await comeFromDirectory(auth.browser(), authorizationRequest({ prompt: 'login' }))
  expect(callback?.searchParams.get('code')).toBeTruthy()
})

test.each([
  ['an address that the directory did not verify', 'bea', { email_verified: false }, {}],
  [
    'an address of a domain that the directory is not believed about',
    'bob',
    { email: 'admin@fabrikam.com' },
    {},
  ],
  ['an address that nobody confirmed here', 'cid', {}, { isEmailConfirmed: false }],
])('%s links nobody: the password is asked for', async (_case, userName, person, more) => {
  const user = await newUser(userName, more)
  directory.person = {
    sub: `${userName}-1`,
    email: `${userName}@contoso.com`,
    email_verified: true,
    ...person,
  }
  const browser = auth.browser()
  const page = await comeFromDirectory(browser)
  expect(page.callback).toBeUndefined()
  expect(page.html).toContain('One more step')
  const wrong = await browser.submit(page, { action: 'link', userName, password: 'wrong' })
  expect([wrong.status, await loginsOf(user.id)]).toEqual([400, []])
  const { callback } = await browser.submit(wrong, { action: 'link', userName, password })
  expect(callback?.searchParams.get('code')).toBeTruthy()
  expect(await loginsOf(user.id)).toEqual([[contoso, `${userName}-1`]])
})

test('where it is wanted, the password of the account is given once with each account elsewhere', async () => {
  const user = await newUser('vera')
  await newUser('walt')
  const guest = await newUser('xena', { password: undefined })
  directory.person = { sub: 'vera-1', email: 'vera@contoso.com', email_verified: true }
  expect((await comeFromDirectory(auth.browser())).callback).toBeDefined()
  await set({ 'Abp.Account.VerifyPasswordDuringExternalLogin': true })
  const browser = auth.browser()
  const page = await comeFromDirectory(browser)
  expect(page.callback).toBeUndefined()
  expect(page.html).toContain('Your Contoso account is linked to an account here')
  expect(page.html).not.toContain('value="register"')
  // Neither a wrong password nor that of somebody else will do.
  for (const credentials of [
    { userName: 'vera', password: 'wrong' },
    { userName: 'walt', password },
  ]) {
    const refused = await browser.submit(page, { action: 'link', ...credentials })
    expect([refused.status >= 400, refused.callback]).toEqual([true, undefined])
  }
  const again = await comeFromDirectory(browser)
  const done = await browser.submit(again, { action: 'link', userName: 'vera', password })
  expect(done.callback?.searchParams.get('code')).toBeTruthy()
  expect(await loginsOf(user.id)).toEqual([[contoso, 'vera-1']])
  expect((await comeFromDirectory(auth.browser())).callback).toBeDefined()
  // Who has no password here has none to give.
  await auth.host
    .get(UserLogins)
    .add(guest.id, { loginProvider: contoso, providerKey: 'xena-1', providerDisplayName: null })
  directory.person = { sub: 'xena-1' }
  expect((await comeFromDirectory(auth.browser())).callback).toBeDefined()
})

test('strangers get an account only where they may have one', async () => {
  directory.person = {
    sub: 'new-1',
    email: 'new@contoso.com',
    email_verified: true,
    given_name: 'Nina',
    family_name: 'New',
    preferred_username: 'nina',
  }
  const browser = auth.browser()
  const closed = await comeFromDirectory(browser)
  expect(closed.html).toContain('Ask your administrator')
  const forced = await browser.submit(closed, {
    action: 'register',
    newUserName: 'nina',
    email: 'new@contoso.com',
  })
  expect(forced.callback).toBeUndefined()

  await set({ 'Abp.Account.IsSelfRegistrationEnabled': true })
  const other = auth.browser()
  const request = authorizationRequest()
  const open = await comeFromDirectory(other, request)
  const taken = await other.submit(
    open,
    { action: 'register', newUserName: 'admin', email: 'new@contoso.com' },
    'newUserName',
  )
  expect([taken.status, taken.callback]).toEqual([400, undefined])
  expect(taken.html).toContain('newUserName-fault')
  const arrival = await other.submit(
    taken,
    { action: 'register', newUserName: 'nina', email: 'new@contoso.com' },
    'newUserName',
  )
  const { body } = await redeem(auth, arrival, request)
  expect(claimsOf(body.access_token)).toMatchObject({ preferred_username: 'nina', given_name: 'Nina' })
  const made = await auth.host.get(UserDirectory).findByUserName('nina')
  expect(made).toMatchObject({ isEmailConfirmed: true, hasPassword: false, email: 'new@contoso.com' })
})

test('an address that was typed differently is not confirmed', async () => {
  await set({ 'Abp.Account.IsSelfRegistrationEnabled': true })
  directory.person = { sub: 'odd-1', email: 'odd@contoso.com', email_verified: true }
  const browser = auth.browser()
  const page = await comeFromDirectory(browser)
  const { callback } = await browser.submit(
    page,
    { action: 'register', newUserName: 'odd', email: 'president@contoso.com' },
    'newUserName',
  )
  expect(callback?.searchParams.get('code')).toBeTruthy()
  const made = await auth.host.get(UserDirectory).findByUserName('odd')
  expect(made).toMatchObject({ isEmailConfirmed: false })
})

test('somebody inactive or locked out does not come in through a directory either', async () => {
  const user = await newUser('dan')
  await auth.host.get(UserLogins).add(user.id, {
    loginProvider: contoso,
    providerKey: 'dan-1',
    providerDisplayName: null,
  })
  directory.person = { sub: 'dan-1' }
  await auth.database.execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${user.id}`)
  const inactive = await comeFromDirectory(auth.browser())
  await auth.database.execute(
    sql`update "AbpUsers" set "IsActive" = true, "LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour' where "Id" = ${user.id}`,
  )
  const locked = await comeFromDirectory(auth.browser())
  expect([inactive, locked].map(({ callback }) => callback)).toEqual([undefined, undefined])
  expect((await logged(user.id)).map(({ action }) => action)).toEqual([
    'AddExternalLogin',
    'LoginNotAllowed',
    'LoginLockedout',
  ])
})

test('a provider that is switched on, changed or switched off while the server runs counts from the next request on', async () => {
  const browser = auth.browser()
  const page = () => browser.open('/Account/Login')
  await configure()
  expect((await page()).html).not.toContain('Continue with')
  await configure(contosoSettings({ secretProperties: { ClientSecret: 'wrong' } }))
  expect((await page()).html).toContain('Continue with Contoso')
  await newUser('eve')
  directory.person = { sub: 'eve-1', email: 'eve@contoso.com', email_verified: true }
  const refused = await comeFromDirectory(auth.browser())
  expect([refused.status, refused.callback]).toEqual([502, undefined])
  expect(refused.html).toContain('Contoso gave an answer that cannot be used.')
  await configure(contosoSettings())
  expect((await comeFromDirectory(auth.browser())).callback).toBeDefined()
  const under = await start(auth.browser())
  await configure(contosoSettings({ enabled: false }))
  expect((await page()).html).not.toContain('Continue with')
  expect((await auth.browser().open((await directory.visit(under.callback)).href)).status).toBe(404)
})

test('an identity token that none of the published keys signed is refused', async () => {
  await newUser('forged')
  directory.person = { sub: 'forged-1', email: 'forged@contoso.com', email_verified: true }
  directory.publishesOtherKeys = true
  // Other settings, so that the keys are asked for again.
  await configure(contosoSettings({ properties: { ...contosoSettings().properties, DisplayName: 'Other' } }))
  const refused = await comeFromDirectory(auth.browser())
  directory.publishesOtherKeys = false
  expect([refused.status, refused.callback]).toEqual([502, undefined])
})

test('a directory that does not answer ends on a page that helps', async () => {
  await configure(
    contosoSettings({
      properties: { ...contosoSettings().properties, Authority: 'http://localhost:9' },
    }),
  )
  const browser = auth.browser()
  const page = await start(browser)
  expect([page.status, page.callback]).toEqual([503, undefined])
  expect(page.html).toContain('Contoso cannot be reached at this moment.')
  expect(page.html).toMatch(/href="\/Account\/Login\?ReturnUrl=/)
})

test('who cancels at the directory comes back to a page that leads on', async () => {
  directory.person = undefined
  const page = await comeFromDirectory(auth.browser())
  expect([page.status, page.callback]).toEqual([400, undefined])
  expect(page.html).toContain('You went back from Contoso without signing in.')
})

test('an answer counts in the browser that asked for it, once, and for its own provider alone', async () => {
  await configure(contosoSettings(), contosoSettings({ name: 'OpenIdConnect.fabrikam' }))
  await newUser('flo')
  directory.person = { sub: 'flo-1', email: 'flo@contoso.com', email_verified: true }
  const browser = auth.browser()
  const back = await directory.visit((await start(browser)).callback)
  const stranger = await auth.browser().open(back.href)
  const elsewhere = await browser.open(back.href.replace('/contoso', '/fabrikam'))
  const forged = await browser.open(back.href.replace(/state=[^&]+/, 'state=forged'))
  expect([stranger, elsewhere, forged].map(({ status }) => status)).toEqual([400, 400, 400])
  const right = await browser.open(back.href)
  const again = await browser.open(back.href)
  expect([right.callback?.origin, again.callback]).toEqual(['http://localhost:4200', undefined])
})

test('a code of somebody else, brought into one’s own sign-in, is refused', async () => {
  await newUser('gus')
  directory.person = { sub: 'gus-1', email: 'gus@contoso.com', email_verified: true }
  const [attacker, victim] = [auth.browser(), auth.browser()]
  const stolen = await directory.visit((await start(victim)).callback)
  const own = await directory.visit((await start(attacker)).callback)
  own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
  const { status, callback } = await attacker.open(own.href)
  expect([status, callback]).toEqual([400, undefined])
})

test.each([
  ['garbage for a code', 'code=garbage'],
  ['an empty code', 'code='],
  ['no code', ''],
  ['two codes', 'code=a&code=b'],
])('who comes back with %s is told so, and led back to the sign-in', async (_what, brought) => {
  directory.person = { sub: 'garbage-1', email: 'garbage@contoso.com', email_verified: true }
  const browser = auth.browser()
  const back = await directory.visit((await start(browser)).callback)
  back.searchParams.delete('code')
  back.search = [back.searchParams, brought].filter(String).join('&')
  const page = await browser.open(back.href)
  expect([page.status, page.callback]).toEqual([400, undefined])
  expect(page.html).toContain('The answer you came back with from')
  expect(page.html).toMatch(/href="\/Account\/Login\?ReturnUrl=/)
})

test('what waits in the browser can not be read, and goes to the way back alone', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const form = /<form[^>]* action="([^"]*)" class="providers">[\s\S]*?name="token" value="([^"]*)"/.exec(
    page.html,
  )
  const body = new URLSearchParams({ token: form?.[2] ?? '', provider: contoso })
  const answer = await auth.fetch(form?.[1]?.replaceAll('&amp;', '&') ?? '', {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie: browser.cookieHeader('/') },
  })
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('keel.external.')) ?? ''
  expect(cookie).toMatch(/; path=\/signin-oidc\/contoso;/)
  expect(cookie.toLowerCase()).toMatch(/httponly/)
  expect(cookie.toLowerCase()).toMatch(/samesite=lax/)
  const state = new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? ''
  expect(cookie.split(';')[0]?.split('=')[1]).not.toContain(state)
})

test('a form of another site starts nothing', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const { callback } = await browser.submit(page, { provider: contoso, token: 'forged' }, 'class="providers"')
  expect(callback).toBeUndefined()
})

test('no way leads away from here afterwards', async () => {
  const user = await newUser('hal')
  directory.person = { sub: 'hal-1', email: 'hal@contoso.com', email_verified: true }
  const browser = auth.browser()
  const page = await browser.open('/Account/Login?ReturnUrl=https://evil.example/')
  const { callback } = await browser.submit(page, { provider: contoso }, 'class="providers"')
  const arrival = await browser.open((await directory.visit(callback)).href)
  expect([arrival.callback, arrival.status]).toEqual([undefined, 200])
  expect(arrival.html).toContain(user.userName)
})

test('people see, add and remove what they sign in with', async () => {
  const user = await newUser('ivy')
  const browser = auth.browser()
  const stranger = await browser.open('/Account/ExternalLogins')
  const list = await browser.submit(stranger, { userName: 'ivy', password })
  expect(list.html).toContain('Add Contoso')
  directory.person = { sub: 'ivy-1', email: 'else@fabrikam.com' }
  const { callback } = await browser.submit(list, { provider: contoso }, 'Add Contoso')
  const linked = await browser.open((await directory.visit(callback)).href)
  expect(linked.html).toContain('Remove Contoso')
  expect(await loginsOf(user.id)).toEqual([[contoso, 'ivy-1']])

  const other = auth.browser()
  await newUser('jon')
  const page = await other.submit(await other.open('/Account/ExternalLogins'), { userName: 'jon', password })
  const taken = await other.submit(page, { provider: contoso }, 'Add Contoso')
  const refused = await other.open((await directory.visit(taken.callback)).href)
  expect(refused.html).toContain('Somebody signs in with this account already.')

  const removed = await browser.submit(linked, {}, 'Remove Contoso')
  expect(removed.html).toContain('Add Contoso')
  expect(await loginsOf(user.id)).toEqual([])
  expect((await logged(user.id)).map(({ action }) => action)).toEqual([
    'LoginSucceeded',
    'AddExternalLogin',
    'RemoveExternalLogin',
  ])
})

test('the last way in of somebody without a password stays', async () => {
  await set({ 'Abp.Account.IsSelfRegistrationEnabled': true })
  directory.person = { sub: 'kim-1', email: 'kim@contoso.com', email_verified: true }
  const browser = auth.browser()
  const page = await comeFromDirectory(browser)
  await browser.submit(
    page,
    { action: 'register', newUserName: 'kim', email: 'kim@contoso.com' },
    'newUserName',
  )
  const list = await browser.open('/Account/ExternalLogins')
  const kept = await browser.submit(list, {}, 'Remove Contoso')
  expect([kept.status, kept.html.includes('This is the only way to sign in')]).toEqual([400, true])
})

test.each([
  [
    'in another case',
    'lia@contoso.com',
    'LIA@contoso.com',
    { email: 'lia@contoso.com', isEmailConfirmed: true },
  ],
  [
    'with a letter that is looked up alike',
    'luk@contoso.com',
    'lu\u212a@contoso.com',
    { email: 'luk@contoso.com', isEmailConfirmed: true },
  ],
  [
    'with a letter that is only small alike',
    'straße@contoso.com',
    'STRA\u1e9eE@contoso.com',
    { email: 'STRA\u1e9eE@contoso.com', isEmailConfirmed: false },
  ],
])(
  'of an address that was typed %s, only what the directory vouches for is confirmed',
  async (what, known, email, expected) => {
    await set({ 'Abp.Account.IsSelfRegistrationEnabled': true })
    const userName = what.replaceAll(' ', '-')
    directory.person = { sub: userName, email: known, email_verified: true }
    const browser = auth.browser()
    const page = await comeFromDirectory(browser)
    await browser.submit(page, { action: 'register', newUserName: userName, email }, 'newUserName')
    expect(await auth.host.get(UserDirectory).findByUserName(userName)).toMatchObject(expected)
  },
)

test('who has no password confirms with the account elsewhere that is theirs, and with no other one', async () => {
  const user = await newUser('max', { password: undefined, isEmailConfirmed: true })
  directory.person = { sub: 'max-1', email: 'max@contoso.com', email_verified: true }
  const browser = auth.browser()
  await comeFromDirectory(browser)
  await letSignInsAge(user.id)
  const setPassword = async () =>
    browser.submit(await browser.open('/Account/ChangePassword'), {
      newPassword: 'Abc-Crane5',
      confirmation: 'Abc-Crane5',
    })
  const asked = await setPassword()
  expect(asked.html).toContain('Confirm with Contoso')
  const confirmAs = async (sub: string) => {
    const { callback } = await browser.submit(asked, { external: contoso }, 'Confirm with Contoso')
    expect([callback?.searchParams.get('prompt'), callback?.searchParams.get('max_age')]).toEqual([
      'login',
      '0',
    ])
    directory.person = { sub, email: 'max@contoso.com', email_verified: true }
    return browser.open((await directory.visit(callback)).href)
  }
  const other = await confirmAs('somebody-else')
  expect([other.status, other.html.includes('not the account you sign in with here')]).toEqual([400, true])
  expect((await setPassword()).html).toContain('Confirm that it is you')
  // A sign-in of an hour ago, as the provider tells who takes the demand for a new one out of the address.
  directory.signedInAt = Math.floor(Date.now() / 1000) - 3600
  expect((await confirmAs('max-1')).status).toBe(400)
  directory.signedInAt = undefined
  expect((await setPassword()).html).toContain('Confirm that it is you')
  expect((await confirmAs('max-1')).html).toContain('id="newPassword"')
  expect((await setPassword()).html).toContain('Your password was changed.')
})

/** As somebody at the browser of a person who is signed in at the provider already: no new sign-in is demanded. */
function withoutDemand(address: URL | undefined): URL {
  const changed = new URL(address ?? '')
  for (const name of ['prompt', 'max_age']) changed.searchParams.delete(name)
  return changed
}

/** Lets all sign-ins of a user be old, as if minutes had gone by. */
async function letSignInsAge(userId: string): Promise<void> {
  await auth.database.execute(sql`
    update "AuthSessions" set "Payload" = jsonb_set("Payload"::jsonb, '{loginTs}', '1')::text where "Subject" = ${userId}`)
}

/** The page that a new password leads to. */
async function changePassword(browser: Browser): Promise<string> {
  const form = await browser.open('/Account/ChangePassword')
  const filled = { newPassword: 'Abc-Crane5', confirmation: 'Abc-Crane5' }
  return (await browser.submit(form, filled)).html
}

/** The sessions of clients in which a user may change what they sign in with. */
async function proofsOf(userId: string): Promise<number> {
  const proofs = await auth.database.query(sql`
    select from "AppAccountSecrets" where "UserId" = ${userId} and "Purpose" like 'proof %' and "ExpirationTime" > now()`)
  return proofs.length
}

/** A token with which an account is linked with another one, made by its owner. */
async function linkTokenOf({ id: userId, userName }: UserRecord): Promise<string> {
  const provenAt = new Date()
  const principal = {
    kind: 'user',
    userId,
    userName,
    provenAt,
    roles: [],
    permissions: new Set<string>(),
  } as const
  return withAmbient({ ...ambient(), principal }, () => auth.host.get(LinkUserAppService).generateLinkToken())
}

/** Adds the directory that tells when a person signed in only where it is asked to. */
async function configureSilent(): Promise<void> {
  const properties = {
    Authority: silent.authority,
    ClientId: silent.clientId,
    DisplayName: 'Fabrikam',
    TrustedEmailDomains: 'contoso.com',
  }
  await configure(contosoSettings(), contosoSettings({ name: fabrikam, properties }))
}

test('a provider that does not tell of a new sign-in confirms nobody', async () => {
  await configureSilent()
  await newUser('ned', { password: undefined })
  silent.person = { sub: 'ned-1', email: 'ned@contoso.com', email_verified: true }
  const browser = auth.browser()
  const { callback: first } = await start(browser, authorizationRequest(), fabrikam)
  await browser.open((await silent.visit(first)).href)
  const confirm = async () => {
    const page = await browser.open('/Account/Confirm')
    const { callback } = await browser.submit(page, { external: fabrikam }, 'Confirm with Fabrikam')
    return callback
  }
  const refused = await browser.open((await silent.visit(withoutDemand(await confirm()))).href)
  expect([
    refused.status,
    refused.html.includes('Fabrikam did not tell us that you signed in there'),
  ]).toEqual([400, true])
  expect(await changePassword(browser)).toContain('Confirm that it is you')
  const confirmed = await browser.open((await silent.visit(await confirm())).href)
  expect(confirmed.html).toContain('Go back to where you came from')
  expect(await changePassword(browser)).not.toContain('Confirm that it is you')
})

test('a provider that cannot be asked for a new sign-in is not offered to confirm with', async () => {
  const user = await newUser('olga', { password: undefined })
  for (const loginProvider of ['Google', contoso])
    await auth.host
      .get(UserLogins)
      .add(user.id, { loginProvider, providerKey: 'olga-1', providerDisplayName: loginProvider })
  await configure(contosoSettings(), {
    name: 'Google',
    enabled: true,
    properties: { ClientId: 'keel' },
    secretProperties: { ClientSecret: 'secret' },
  })
  directory.person = { sub: 'olga-1' }
  const browser = auth.browser()
  await comeFromDirectory(browser)
  const page = await browser.open('/Account/Confirm')
  expect([page.html.includes('Confirm with Contoso'), page.html.includes('Confirm with Google')]).toEqual([
    true,
    false,
  ])
  const forced = await browser.submit(page, { external: 'Google' }, 'Confirm with Contoso')
  expect([forced.callback, forced.status]).toEqual([undefined, 200])
})

test('who signs out and in again with an old session at a provider has proved nothing', async () => {
  const user = await newUser('petra', { password: undefined })
  directory.person = { sub: 'petra-1', email: 'petra@contoso.com', email_verified: true }
  directory.signedInAt = Math.floor(Date.now() / 1000) - 3600
  const browser = auth.browser()
  const request = authorizationRequest()
  const { body } = await redeem(auth, await comeFromDirectory(browser, request), request)
  expect(claimsOf(body.access_token)).toMatchObject({ sub: user.id })
  expect(await proofsOf(user.id)).toBe(0)
  expect(await changePassword(browser)).toContain('Confirm that it is you')
  // Nor does it link the account with another one that the browser was signed in to.
  const thief = await newUser('quill')
  const others = auth.browser()
  await others.submit(await others.open('/Account/Login'), { userName: 'quill', password })
  const { callback } = await others.submit(
    await others.open('/Account/Login'),
    { provider: contoso },
    'class="providers"',
  )
  const back = await directory.visit(callback)
  const answer = await auth.fetch(back.href, {
    headers: { cookie: others.cookieHeader(back.pathname) },
    redirect: 'manual',
  })
  const [, identity = ''] =
    /keel\.external-identity=([^;]+)/.exec(answer.headers.getSetCookie().join('\n')) ?? []
  others.plant('keel.external-identity', identity)
  const query = new URLSearchParams({ LinkUserId: thief.id, LinkToken: await linkTokenOf(thief) })
  const refused = await others.open(`/Account/ExternalLogin?${query}`)
  expect(refused.html).toContain('This link does not work any more')
  expect(await auth.host.get(LinkedAccounts).areLinked(thief.id, user.id)).toBe(false)
  directory.signedInAt = undefined
  const again = authorizationRequest()
  await redeem(auth, await comeFromDirectory(auth.browser(), again), again)
  expect(await proofsOf(user.id)).toBe(1)
})

test.each([
  ['a new sign-in', { prompt: 'login' }, ['login', '0']],
  ['a sign-in of the last hour', { max_age: '3600' }, ['login', '0']],
  ['any sign-in', {}, [null, null]],
])('a client that wants %s has the provider asked for it', async (_what, wanted, expected) => {
  const { callback } = await start(auth.browser(), authorizationRequest(wanted))
  expect(['prompt', 'max_age'].map((name) => callback?.searchParams.get(name))).toEqual(expected)
})

test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '3600' }])(
  'an old session at a provider is no sign-in for a client that wants %o',
  async (wanted) => {
    const name = `rosa-${Object.values(wanted)}`
    const user = await newUser(name)
    directory.person = { sub: name, email: user.email, email_verified: true }
    const browser = auth.browser()
    const request = authorizationRequest(wanted)
    directory.signedInAt = Math.floor(Date.now() / 1000) - 600
    const refused = await browser.open(
      (await directory.visit(withoutDemand((await start(browser, request)).callback))).href,
    )
    expect([refused.callback, refused.status]).toEqual([undefined, 400])
    expect(refused.html).toContain('Contoso did not tell us that you signed in there just now.')
    directory.signedInAt = undefined
    const { body } = await redeem(auth, await comeFromDirectory(browser, request), request)
    const { sub, auth_time: at } = claimsOf(body.id_token)
    expect(sub).toBe(user.id)
    expect(Date.now() / 1000 - Number(at)).toBeLessThan(60)
  },
)

test('a session that came of an old one at a provider has no age for clients: they ask for a sign-in', async () => {
  const user = await newUser('selma')
  directory.person = { sub: 'selma-1', email: user.email, email_verified: true }
  directory.signedInAt = Math.floor(Date.now() / 1000) - 600
  const browser = auth.browser()
  await comeFromDirectory(browser)
  expect((await browser.open(authorizationRequest().address)).callback?.searchParams.get('code')).toBeTruthy()
  const silently = authorizationRequest({ max_age: '86400', prompt: 'none' })
  const { callback } = await browser.open(silently.address)
  expect(callback?.searchParams.get('error')).toBe('login_required')
  const request = authorizationRequest({ max_age: '86400' })
  const page = await browser.open(request.address)
  const { body } = await redeem(auth, await browser.submit(page, { userName: 'selma', password }), request)
  expect(claimsOf(body.id_token)).toMatchObject({ sub: user.id, auth_time: expect.any(Number) })
  // The password has proved the person: the next one is let in.
  const next = await browser.open(authorizationRequest({ max_age: '86400' }).address)
  expect(next.callback?.searchParams.get('code')).toBeTruthy()
})

test('a provider that cannot be asked for a new sign-in is not offered to clients that want one', async () => {
  const google = {
    name: 'Google',
    enabled: true,
    properties: { ClientId: 'keel' },
    secretProperties: { ClientSecret: 'secret' },
  }
  await configure(contosoSettings(), google)
  const offered = async (wanted: Record<string, string>) => {
    const { html } = await auth.browser().open(authorizationRequest(wanted).address)
    return ['Continue with Contoso', 'Continue with Google'].map((label) => html.includes(label))
  }
  expect(await offered({})).toEqual([true, true])
  expect(await offered({ prompt: 'login' })).toEqual([true, false])
  await set({ 'Abp.Account.EnableLocalLogin': false })
  await configure(google)
  const { callback } = await auth.browser().open(authorizationRequest({ max_age: '0' }).address)
  expect(callback?.searchParams.get('error')).toBe('login_required')
})

test('tokens tell of a sign-in elsewhere and a code, and of no password', async () => {
  const user = await newUser('tora')
  const key = await authenticatorOf(user.id)
  directory.person = { sub: 'tora-1', email: user.email, email_verified: true }
  const browser = auth.browser()
  const request = authorizationRequest()
  const form = await comeFromDirectory(browser, request)
  expect(form.html).toContain('name="secondFactorToken"')
  // What the form says of the first factor is not believed: it was no password.
  const forged = await browser.submit(form, { methods: 'pwd', code: key.generate() })
  expect([forged.callback, forged.status]).toEqual([undefined, 400])
  await browser.submit(form, { code: key.generate() })
  expect(await methodsOf(user.id)).toEqual([['ext', 'user', 'otp', 'mfa']])
  const local = auth.browser()
  const page = await local.open(authorizationRequest().address)
  const asked = await local.submit(page, { userName: 'tora', password })
  // Each code counts once.
  await local.submit(asked, { code: key.generate({ timestamp: Date.now() + 30_000 }) })
  expect(await methodsOf(user.id)).toContainEqual(['pwd', 'otp', 'mfa'])
})

/** The key of an authenticator application, which a user has to give codes of from now on. */
async function authenticatorOf(userId: string): Promise<TOTP> {
  const secret = new Secret({ size: 20 })
  await auth.database.execute(sql`
    insert into "AbpUserTokens" ("UserId", "LoginProvider", "Name", "Value") values (${userId}, '[AspNetUserStore]', 'AuthenticatorKey', ${secret.base32})`)
  await auth.host.get(UserDirectory).setTwoFactorEnabled(userId, true)
  return new TOTP({ secret })
}

/** How the people of a user's browsers proved who they are. */
async function methodsOf(userId: string): Promise<string[][]> {
  const sessions = await auth.database.query<{ amr: string[] }>(sql`
    select "Payload"::jsonb -> 'amr' as amr from "AuthSessions" where "Subject" = ${userId}`)
  return sessions.map(({ amr }) => amr)
}

test('the cookies of a sign-in elsewhere are worth nothing in another browser, where a host of the domain may plant them', async () => {
  await newUser('mallory')
  directory.person = { sub: 'mallory-1', email: 'mallory@contoso.com', email_verified: true }
  const attacker = auth.browser()
  const { callback } = await start(attacker)
  const back = await directory.visit(callback)
  const ofAnswer = [...attacker.cookieHeader(back.pathname).matchAll(/(keel\.external\.[^=]+)=([^;]+)/g)]
  expect(ofAnswer).toHaveLength(1)
  const victim = auth.browser()
  for (const [, name = '', value = ''] of ofAnswer) victim.plant(name, value)
  const refused = await victim.open(back.href)
  expect([refused.status, refused.callback]).toEqual([400, undefined])
  // The same with the cookie of the next step, the identity that the directory told.
  directory.person = { sub: 'mallory-2', email: 'nobody@contoso.com', email_verified: true }
  await comeFromDirectory(attacker)
  const identity = attacker.cookie('keel.external-identity')
  expect(identity).not.toBe('')
  victim.plant('keel.external-identity', identity)
  const page = await victim.open('/Account/ExternalLogin')
  expect(page.html).not.toContain('nobody@contoso.com')
  expect((await attacker.open('/Account/ExternalLogin')).html).toContain('nobody@contoso.com')
})

test('where nobody signs in with a password the page offers the providers alone', async () => {
  await set({ 'Abp.Account.EnableLocalLogin': false })
  const { html } = await auth.browser().open('/Account/Login')
  expect(html).toContain('Continue with Contoso')
  expect(html).not.toContain('name="password"')
})

test('a GitHub of one’s own tells by its API who somebody is', async () => {
  const user = await newUser('octo')
  const gitHub = await startGitHub({ id: 42, login: 'octo', name: 'Octo Cat' }, 'octo@contoso.com')
  await configure({
    name: 'GitHub',
    enabled: true,
    properties: { ClientId: 'keel', Authority: gitHub.address },
    secretProperties: { ClientSecret: 'secret' },
  })
  const browser = auth.browser()
  const { callback: asked } = await start(browser, authorizationRequest(), 'GitHub')
  expect(asked?.origin).toBe(gitHub.address)
  const back = new URL(asked?.searchParams.get('redirect_uri') ?? '')
  back.search = `${new URLSearchParams({ code: 'code', state: asked?.searchParams.get('state') ?? '' })}`
  const { callback } = await browser.open(back.href)
  expect(callback?.searchParams.get('code')).toBeTruthy()
  expect(await loginsOf(user.id)).toEqual([['GitHub', '42']])
  await gitHub.close()
})

/** Another company: what GitHub answers, as its documentation has it. */
async function startGitHub(user: object, email: string) {
  const answers: Record<string, unknown> = {
    '/login/oauth/access_token': {
      access_token: 'gho_1',
      token_type: 'bearer',
      scope: 'read:user,user:email',
    },
    '/api/v3/user': user,
    '/api/v3/user/emails': [
      { email: 'old@example.com', verified: true, primary: false },
      { email, verified: true, primary: true },
    ],
  }
  const server = http.createServer((request, response) => {
    const isAllowed = request.method === 'POST' || request.headers.authorization === 'Bearer gho_1'
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[request.url ?? '']))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://localhost:${(server.address() as AddressInfo).port}`
  return { address, close: () => new Promise((resolve) => server.close(resolve)) }
}
