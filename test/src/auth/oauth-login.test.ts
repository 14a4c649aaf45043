import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from '@keel/framework/data'
import { UserDirectory, UserLogins } from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuthHost, claimsOf, startAuthHost, tooling } from './auth-host.js'
import { type Authority, startAuthority, theirPassword, useAuthority } from './authority.js'

/** Of people whose password is kept here. */
const password = 'Quay-lantern-42'

let authority: Authority
let auth: AuthHost

const configure = (changed: Partial<Authority['form']> = {}) =>
  useAuthority(auth.host, { ...authority.form, ...changed })
const person: Authority['person'] = (...them) => authority.person(...them)
const askedAbout: Authority['askedAbout'] = (userName) => authority.askedAbout(userName)

beforeAll(async () => {
  authority = await startAuthority()
  auth = await startAuthHost({
    settings: {
      'SignInLimits:FailuresPerAddress': '1000',
      'SignInLimits:FailuresPerName': '10',
      'Settings:Abp.Identity.Lockout.MaxFailedAccessAttempts': '2',
    },
  })
})
afterAll(() => Promise.all([auth?.close(), authority?.close()]))
beforeEach(() => configure())
afterEach(() => auth.database.execute(sql`delete from "AppAccountLimits"`))

const tokenFor = (username: string, secret = theirPassword) =>
  auth.post('/connect/token', {
    grant_type: 'password',
    ...tooling,
    username,
    password: secret,
    scope: 'openid profile email roles Core',
  })
const users = () => auth.host.get(UserDirectory)
test('somebody whom only the authority knows gets an external user without a password, with the roles of people who register themselves', async () => {
  const them = await person('ada', { phoneNumber: '+49123456', roleNames: ['SuperUser'] })
  const { status, body } = await tokenFor('ada')
  expect([status, body.error_description]).toEqual([200, undefined])
  const { sub, role } = claimsOf(body.access_token)
  expect(role).toBe('DefaultCustomer')
  const user = await users().find(sub)
  expect(user).toMatchObject({
    userName: 'ada',
    email: 'ada@contoso.com',
    isEmailConfirmed: true,
    name: 'Their',
    surname: 'Name',
    phoneNumber: '+49123456',
    isPhoneNumberConfirmed: false,
    isExternal: true,
    hasPassword: false,
  })
  expect(await auth.host.get(UserLogins).of(sub)).toEqual([
    { loginProvider: 'OAuth', providerKey: them.id, providerDisplayName: 'OAuth' },
  ])
  const logged = await auth.database.query(sql`
    select "Action" as action, "Identity" as identity from "AbpSecurityLogs" where "UserId" = ${sub} order by "CreationTime", "Id"`)
  expect(logged).toEqual([
    { action: 'AddExternalLogin', identity: 'IdentityExternal' },
    { action: 'LoginSucceeded', identity: 'IdentityExternal' },
  ])
})

test('the next sign-in takes over what changed at the authority, by any of the names there', async () => {
  const them = await person('bea')
  const { body } = await tokenFor('bea')
  const { sub } = claimsOf(body.access_token)
  await authority.host.host
    .get(UserDirectory)
    .updateProfile(them.id, { name: 'New', email: 'bea.new@contoso.com', phoneNumber: '+4911' })
  const again = await tokenFor('bea.new@contoso.com')
  expect(claimsOf(again.body.access_token).sub).toBe(sub)
  expect(await users().find(sub)).toMatchObject({
    userName: 'bea',
    name: 'New',
    email: 'bea.new@contoso.com',
    isEmailConfirmed: false,
    phoneNumber: '+4911',
  })
})

test('an address that somebody has here is not taken over', async () => {
  const them = await person('bob')
  const { sub } = claimsOf((await tokenFor('bob')).body.access_token)
  await users().create({ userName: 'bert', email: 'bert@contoso.com', password })
  await authority.host.host.get(UserDirectory).updateProfile(them.id, { email: 'bert@contoso.com' })
  expect(claimsOf((await tokenFor('bob')).body.access_token).sub).toBe(sub)
  expect((await users().find(sub))?.email).toBe('bob@contoso.com')
})

test('the password of an account that is kept here never goes to the authority, right or wrong', async () => {
  await person('cid')
  const here = await users().create({ userName: 'cid', email: 'cid@here.com', password })
  expect((await tokenFor('cid', password)).status).toBe(200)
  for (const secret of [theirPassword, 'nonsense']) expect((await tokenFor('cid', secret)).status).toBe(400)
  expect((await tokenFor('cid@here.com', theirPassword)).status).toBe(400)
  expect(await askedAbout('cid')).toBe(0)
  expect(await users().find(here.id)).toMatchObject({ isExternal: false, hasPassword: true })
})

test('nobody at the authority comes into an account that is kept here by its e-mail address', async () => {
  await users().create({ userName: 'dan', email: 'dan@contoso.com', password, isEmailConfirmed: true })
  await person('daniel', { email: 'dan@contoso.com' })
  const { status, body } = await tokenFor('daniel')
  expect([status, body.error_description]).toEqual([400, 'Invalid username or password!'])
  expect(await users().findByUserName('daniel')).toBeUndefined()
})

test('who gets a name at the authority after somebody else does not get their account', async () => {
  const before = await person('eve')
  const { sub } = claimsOf((await tokenFor('eve')).body.access_token)
  await authority.host.database.execute(
    sql`update "AbpUsers" set "IsDeleted" = true where "Id" = ${before.id}`,
  )
  await person('eve')
  expect((await tokenFor('eve')).status).toBe(400)
  expect(await auth.host.get(UserLogins).of(sub)).toMatchObject([{ providerKey: before.id }])
})

test('an external user of an ABP database is linked at the first sign-in when the addresses are the same', async () => {
  await person('fay')
  await person('flo', { email: 'other@contoso.com' })
  const fay = await users().create({ userName: 'fay', email: 'FAY@contoso.com', isExternal: true })
  const flo = await users().create({ userName: 'flo', email: 'flo@contoso.com', isExternal: true })
  expect(claimsOf((await tokenFor('fay')).body.access_token).sub).toBe(fay.id)
  expect((await tokenFor('flo')).status).toBe(400)
  expect(await auth.host.get(UserLogins).of(flo.id)).toEqual([])
})

test('wrong passwords lock out external users and names that nobody has here, and locked names are not asked about', async () => {
  await person('gus')
  const { sub } = claimsOf((await tokenFor('gus')).body.access_token)
  await person('hal')
  for (const name of ['gus', 'hal']) {
    const before = await askedAbout(name)
    for (let attempt = 0; attempt < 2; attempt++) expect((await tokenFor(name, 'wrong')).status).toBe(400)
    expect((await askedAbout(name)) - before).toBe(2)
    expect((await tokenFor(name)).status).toBe(400)
    expect((await askedAbout(name)) - before).toBe(2)
  }
  expect((await users().find(sub))?.lockedOutUntil).not.toBeNull()
  expect(await users().findByUserName('hal')).toBeUndefined()
})

test('guesses at one name are refused after the tenth, also when they come at once', async () => {
  const unlimited = { 'Abp.Identity.Lockout.MaxFailedAccessAttempts': 1000 }
  await auth.host.get(StoredSettings).setForEverybody(unlimited)
  await Promise.all(Array.from({ length: 10 }, () => tokenFor('nobody-at-all', 'wrong')))
  const { status, headers } = await tokenFor('nobody-at-all', 'wrong')
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
  const usual = { 'Abp.Identity.Lockout.MaxFailedAccessAttempts': null }
  await auth.host.get(StoredSettings).setForEverybody(usual)
})

test('an inactive external user does not come in', async () => {
  await person('ida')
  const { sub } = claimsOf((await tokenFor('ida')).body.access_token)
  await auth.database.execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${sub}`)
  expect((await tokenFor('ida')).status).toBe(400)
})

test('it is off until it is switched on', async () => {
  await person('jan')
  await configure({ enableOAuthLogin: false })
  expect((await tokenFor('jan')).status).toBe(400)
  expect(await askedAbout('jan')).toBe(0)
})

test('while it is off, the password that an ABP database has of an external user counts, as in ABP; while it is on, it does not', async () => {
  const { id } = await users().create({ userName: 'max', email: 'max@contoso.com', password })
  await auth.database.execute(sql`update "AbpUsers" set "IsExternal" = true where "Id" = ${id}`)
  expect((await tokenFor('max', password)).status).toBe(400)
  await configure({ enableOAuthLogin: false })
  expect((await tokenFor('max', password)).status).toBe(200)
})

test('two first sign-ins at once make one user', async () => {
  await person('kim')
  const both = await Promise.all([tokenFor('kim'), tokenFor('kim')])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  const [one, other] = both.map(({ body }) => claimsOf(body.access_token).sub)
  expect(one).toBe(other)
})

test('the login page takes such a password, and the page where one proves again who one is', async () => {
  await person('lea')
  const browser = auth.browser()
  const page = await browser.open('/Account/Login')
  const wrong = await browser.submit(page, { userName: 'lea', password: 'wrong' })
  expect(wrong.status).toBe(400)
  await browser.submit(wrong, { userName: 'lea', password: theirPassword })
  const home = await browser.open('/Account/Manage')
  expect(home.html).toContain('lea')
  const confirm = await browser.open('/Account/Confirm')
  const refused = await browser.submit(confirm, { password: 'wrong' })
  expect(refused.status).toBe(400)
  const done = await browser.submit(refused, { password: theirPassword })
  expect([done.status, done.html.includes('name="password"')]).toEqual([200, false])
})

test('people who wait for an authority that is away or does not know us are told to try again, and nothing is counted', async () => {
  await person('max')
  for (const changed of [
    { authority: 'http://localhost:1/' },
    { clientSecret: 'another secret' },
    { clientId: 'nobody' },
  ]) {
    await configure(changed)
    expect((await tokenFor('max')).status).toBe(503)
  }
  await configure()
  expect((await tokenFor('max')).status).toBe(200)
})

test('what the authority publishes is checked: its name, where its endpoints are, and https', async () => {
  await person('ned')
  let published: Record<string, unknown> = {}
  const stand = http.createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(published))
  })
  await new Promise<void>((resolve) => stand.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://localhost:${(stand.address() as AddressInfo).port}`
  const genuine = (await (
    await fetch(`${authority.address}.well-known/openid-configuration`)
  ).json()) as object
  const statusWith = async (document: object, changed: Parameters<typeof configure>[0]) => {
    published = { ...document }
    await configure({ authority: elsewhere, ...changed })
    return (await tokenFor('ned')).status
  }
  try {
    // Calls itself by another name, and its endpoints are on another port.
    const none = { validateEndpoints: false, validateIssuerName: false }
    expect(await statusWith(genuine, { ...none, validateIssuerName: true })).toBe(503)
    expect(await statusWith(genuine, { ...none, validateEndpoints: true })).toBe(503)
    const insecure = { ...genuine, token_endpoint: 'http://127.0.0.1:1/token' }
    expect(await statusWith(insecure, { ...none, scope: 'openid profile' })).toBe(503)
    expect(await statusWith(genuine, { ...none, requireHttpsMetadata: true, scope: 'openid' })).toBe(503)
    expect(await askedAbout('ned')).toBe(0)
    expect(await statusWith(genuine, { ...none, scope: 'openid email profile' })).toBe(200)
  } finally {
    stand.close()
  }
})
