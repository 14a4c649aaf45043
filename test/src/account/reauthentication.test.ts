import {
  AccountAppService,
  AccountErrors,
  AccountExternalLoginAppService,
  AccountSessionAppService,
  LinkUserAppService,
  ProfileAppService,
  ReauthenticationAppService,
  TwoFactorAppService,
  UserDelegationAppService,
} from '@keel/account/contracts'
import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { AuthHost } from '@keel/auth-host'
import { createClient } from '@keel/framework/client'
import { Databases, sql } from '@keel/framework/data'
import { startTestHost, type TestCaller, type TestHost } from '@keel/framework/testing'
import {
  IdentityErrors,
  IdentityUserAppService,
  Passwords,
  Sessions,
  UserDirectory,
  UserLogins,
  type UserRecord,
} from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimsOf } from '../auth/auth-host.js'
import { type Arrival, Browser } from '../auth/browser.js'
import { authorizationRequest } from '../auth/sign-in.js'
import { type App, provePerson, startApp } from '../support/app.js'
import { templates, testServer } from '../support/test-databases.js'
import { createMailFolder, type MailFolder } from './mails.js'

const issuer = 'http://login.keel.test/'
const password = 'Abc-Crane5'
const required = { status: 403, code: AccountErrors.ReauthenticationRequired }

let app: App
let auth: TestHost
let mails: MailFolder
let users: UserDirectory
beforeAll(async () => {
  mails = await createMailFolder()
  const settings = { 'Mail:Folder': mails.path }
  app = await startApp(undefined, settings)
  auth = await startTestHost(AuthHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { ...settings, 'AuthServer:Authority': issuer },
  })
  users = app.host.get(UserDirectory)
})
afterAll(async () => {
  await auth?.close()
  await app?.close()
  await mails.remove()
})

const newUser = (userName: string, more: object = {}): Promise<UserRecord> =>
  users.create({
    userName,
    email: `${userName}@example.com`,
    password,
    isEmailConfirmed: true,
    phoneNumber: '+49 40 1',
    isPhoneNumberConfirmed: true,
    ...more,
  })

/** Somebody with a session that was begun long ago. */
async function thiefOf(user: UserRecord): Promise<TestCaller> {
  const sessionId = `stolen-${user.id}`
  await app.host.get(Sessions).begin({ sessionId, device: 'OAuth', userId: user.id })
  return app.host.as({ subject: user.id, sessionId })
}

/** Lets every proof that was given end, as if minutes had gone by. */
async function letProofsEnd(): Promise<void> {
  const database = app.host.get(Databases).named('Default')
  await database.execute(sql`update "AppAccountSecrets" set "ExpirationTime" = now() - interval '1 second'`)
  await database.execute(sql`
    update "AuthSessions" set "Payload" = jsonb_set("Payload"::jsonb, '{loginTs}', to_jsonb(extract(epoch from now())::int - 3600))::text
    where "Payload"::jsonb ? 'loginTs'`)
}

const profileWith = ({ userName, phoneNumber, email: own }: UserRecord, email = own) => ({
  userName,
  email,
  phoneNumber,
})
const codeOf = (key: string) => new TOTP({ secret: Secret.fromBase32(key) }).generate()

/** All that could make an account somebody else's, by what it does. */
const takeOvers: Record<string, (caller: TestCaller, user: UserRecord) => Promise<unknown>> = {
  'another e-mail address': (caller, user) =>
    caller.service(ProfileAppService).update(profileWith(user, `evil-${user.userName}@example.com`)),
  'another telephone number': (caller, user) =>
    caller.service(ProfileAppService).update({ ...profileWith(user), phoneNumber: '+49 40 99' }),
  'the second factor off': (caller) => caller.service(ProfileAppService).setTwoFactorEnabled(false),
  'the second factor on': (caller) => caller.service(ProfileAppService).setTwoFactorEnabled(true),
  'an authenticator': (caller) => caller.service(TwoFactorAppService).getAuthenticatorInfo(),
  'the code of an authenticator': (caller) =>
    caller.service(TwoFactorAppService).verifyAuthenticatorCode({ code: '123456' }),
  'no authenticator': (caller) => caller.service(TwoFactorAppService).resetAuthenticator(),
  'a token to link accounts': (caller) => caller.service(LinkUserAppService).generateLinkToken(),
  'a linked account': async (caller) => {
    const other = await newUser(`linker-${Math.random().toString(36).slice(2)}`)
    await provePerson(app.host, other.id)
    const token = await (await app.host.as({ subject: other.id }))
      .service(LinkUserAppService)
      .generateLinkToken()
    return caller.service(LinkUserAppService).link({ userId: other.id, token })
  },
  'an account elsewhere away': (caller) =>
    caller.service(AccountExternalLoginAppService).delete('GitHub', 'somebody'),
  'another session away': async (caller, user) => {
    await app.host.get(Sessions).begin({ sessionId: `other-${user.id}`, device: 'OAuth', userId: user.id })
    const sessions = caller.service(AccountSessionAppService)
    const { items } = await sessions.getList({ skipCount: 0, maxResultCount: 10 })
    return sessions.revoke(items.find(({ isCurrent }) => !isCurrent)?.id ?? '')
  },
  'all sessions away': (caller) => caller.service(AccountSessionAppService).revokeAll(),
  'a delegation': async (caller) => {
    const { id: targetUserId } = await newUser(`heir-${Math.random().toString(36).slice(2)}`)
    const [startTime, endTime] = [new Date(), new Date(Date.now() + 3_600_000)]
    return caller.service(UserDelegationAppService).delegateNewUser({ targetUserId, startTime, endTime })
  },
  'an API key': async (caller, { id }) => {
    await app.host
      .get(PermissionGrants)
      .grant([{ providerName: 'U', providerKey: id, permission: ApiKeyPermissions.Create }])
    return caller.service(ApiKeyAppService).create({ name: 'thief' })
  },
  'a new password by the right to manage users': async (caller, { id }) => {
    await app.host.get(PermissionGrants).grant([
      { providerName: 'U', providerKey: id, permission: 'AbpIdentity.Users' },
      { providerName: 'U', providerKey: id, permission: 'AbpIdentity.Users.Update' },
    ])
    return caller.service(IdentityUserAppService).updatePassword(id, { newPassword: 'Evil-Crane5' })
  },
}

test.each(Object.entries(takeOvers))(
  'whoever has come by a session gets no %s from it',
  async (what, act) => {
    const user = await newUser(`victim-${Object.keys(takeOvers).indexOf(what)}`)
    await expect(act(await thiefOf(user), user)).rejects.toMatchObject({
      ...required,
      data: { minutes: 10, address: expect.stringMatching(/\/Account\/Confirm$/) },
      message: expect.stringContaining('/Account/Confirm'),
    })
  },
)

test('whoever has come by a session finds no password by trying many at once', async () => {
  const user = await newUser('hurried')
  const profile = (await thiefOf(user)).service(ProfileAppService)
  const guesses = Array.from({ length: 16 }, (_, index) => `Guess-Crane${index}`)
  const answers = await Promise.allSettled(
    // The right one waits behind the others, whose failures lock the user out before it is looked at.
    [...guesses, password].map((currentPassword) =>
      profile.changePassword({ currentPassword, newPassword: 'Thief-Crane5' }),
    ),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toEqual([])
  expect(await app.host.get(Passwords).verify(user.id, password)).toBe(true)
})

test('a profile with the address as it was is saved without asking, and one’s own session may be ended', async () => {
  const user = await newUser('quiet')
  const caller = await thiefOf(user)
  const profile = caller.service(ProfileAppService)
  expect(await profile.update({ ...profileWith(user, 'QUIET@example.com'), name: 'Quinn' })).toMatchObject({
    name: 'Quinn',
  })
  const sessions = caller.service(AccountSessionAppService)
  const { items } = await sessions.getList({ skipCount: 0, maxResultCount: 10 })
  await sessions.revoke(items[0]?.id ?? '')
  expect((await caller.fetch('/api/account/my-profile')).status).toBe(401)
})

test('the password lets the session change what it was asked for, and no other session', async () => {
  const user = await newUser('nora')
  const [here, elsewhere] = [await thiefOf(user), await app.host.as({ subject: user.id })]
  const proofs = here.service(ReauthenticationAppService)
  expect(await proofs.get()).toEqual({
    isProven: false,
    methods: ['Password', 'Email'],
    address: expect.stringMatching(/\/Account\/Confirm$/),
  })
  await expect(proofs.prove({ password: 'Wrong-Crane5' })).rejects.toMatchObject({
    status: 403,
    code: IdentityErrors.PasswordMismatch,
  })
  await expect(proofs.prove({})).rejects.toMatchObject({ status: 400 })
  await proofs.prove({ password })
  expect((await proofs.get()).isProven).toBe(true)
  await here.service(TwoFactorAppService).getAuthenticatorInfo()
  await expect(elsewhere.service(TwoFactorAppService).getAuthenticatorInfo()).rejects.toMatchObject(required)
  await letProofsEnd()
  await expect(here.service(TwoFactorAppService).getAuthenticatorInfo()).rejects.toMatchObject(required)
})

test('wrong passwords are counted here as at a sign-in', async () => {
  const user = await newUser('guessed')
  const proofs = (await thiefOf(user)).service(ReauthenticationAppService)
  for (let attempt = 0; attempt < 5; attempt++)
    await proofs.prove({ password: `guess-${attempt}` }).catch(() => undefined)
  expect((await users.find(user.id))?.lockedOutUntil).toBeInstanceOf(Date)
})

test('a code of the authenticator, a mailed code and a recovery code prove it too', async () => {
  const user = await newUser('coda')
  const caller = await thiefOf(user)
  const [proofs, twoFactor] = [
    caller.service(ReauthenticationAppService),
    caller.service(TwoFactorAppService),
  ]
  await proofs.sendCode({})
  const [mail] = await mails.to(user.email)
  await proofs.prove({ twoFactorProvider: 'Email', twoFactorCode: /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] })
  const { key } = await twoFactor.getAuthenticatorInfo()
  const { recoveryCodes } = await twoFactor.verifyAuthenticatorCode({ code: codeOf(key) })
  await letProofsEnd()
  await expect(twoFactor.resetAuthenticator()).rejects.toMatchObject(required)
  await proofs.prove({ recoveryCode: recoveryCodes[0] })
  await twoFactor.resetAuthenticator()
})

test('who has no password yet sets none with a session alone', async () => {
  const user = await newUser('external-only', { password: undefined })
  const profile = (await thiefOf(user)).service(ProfileAppService)
  await expect(profile.changePassword({ newPassword: 'Evil-Crane5' })).rejects.toMatchObject(required)
  expect(await app.host.get(Passwords).verify(user.id, 'Evil-Crane5')).toBe(false)
})

test('who has just signed in need not prove it, and is asked some minutes later', async () => {
  const user = await newUser('fresh')
  const body = new URLSearchParams({
    grant_type: 'password',
    client_id: 'Core_App',
    username: user.userName,
    password,
    scope: 'openid Core',
  })
  const answer = await auth.fetch('/connect/token', { method: 'POST', body })
  const { access_token } = (await answer.json()) as { access_token: string }
  const sessionId: string = claimsOf(access_token).session_id
  const caller = await app.host.as({ subject: user.id, sessionId })
  await caller.service(LinkUserAppService).generateLinkToken()
  await letProofsEnd()
  await expect(caller.service(LinkUserAppService).generateLinkToken()).rejects.toMatchObject(required)
})

const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]
const toHost: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(String(input), issuer)
  return fetch(auth.url + pathname + search, init)
}

async function signedIn(user: UserRecord): Promise<Browser> {
  const browser = new Browser(issuer, toHost)
  const page = await browser.open('/Account/Login?ReturnUrl=%2FAccount%2FManage')
  expect(titleOf(await browser.submit(page, { userName: user.userName, password }))).toBe('My account')
  return browser
}

test('the pages ask who is signed in for their password first, and go on where they were', async () => {
  const user = await newUser('paged')
  const browser = await signedIn(user)
  await letProofsEnd()
  const asked = await browser.submit(await browser.open('/Account/TwoFactor'), { action: 'on' })
  expect(titleOf(asked)).toBe('Confirm that it is you')
  expect((await users.find(user.id))?.isTwoFactorEnabled).toBe(false)
  const wrong = await browser.submit(asked, { password: 'wrong' })
  expect([wrong.status, wrong.html.includes('The password is not correct.')]).toEqual([400, true])
  const back = await browser.submit(wrong, { password })
  expect(titleOf(back)).toBe('Two-factor sign-in')
  await browser.submit(back, { action: 'on' })
  expect((await users.find(user.id))?.isTwoFactorEnabled).toBe(true)
})

test.each([
  ['/Account/Manage', { email: 'evil@example.com' }],
  ['/Account/Sessions', { action: 'others' }],
  ['/Account/ExternalLogins', { key: 'of-github' }],
])('an old session of a browser changes nothing at %s', async (path, filled) => {
  const user = await newUser(`stale-${path.split('/').pop()?.toLowerCase()}`)
  await app.host
    .get(UserLogins)
    .add(user.id, { loginProvider: 'GitHub', providerKey: `of-${path}`, providerDisplayName: 'GitHub' })
  const browser = await signedIn(user)
  await letProofsEnd()
  const page = await browser.open(path)
  const typed = path === '/Account/Manage' ? { userName: user.userName, ...filled } : filled
  expect(titleOf(await browser.submit(page, typed, Object.keys(filled)[0]))).toBe('Confirm that it is you')
  expect(await users.find(user.id)).toMatchObject({ email: user.email })
  expect(titleOf(await browser.open('/Account/Manage'))).toBe('My account')
})

test('what a browser confirms counts for the clients that it let in, and a new client of an old session asks', async () => {
  const user = await newUser('clients')
  const browser = await signedIn(user)
  await letProofsEnd()
  const { callback } = await browser.open(authorizationRequest().address)
  expect(callback?.searchParams.get('code')).toBeTruthy()
  const [session] = await app.host
    .get(Databases)
    .named('Default')
    .query<{ id: string }>(sql`select "SessionId" as id from "AbpSessions" where "UserId" = ${user.id}`)
  const links = (await app.host.as({ subject: user.id, sessionId: session?.id ?? '' })).service(
    LinkUserAppService,
  )
  await expect(links.generateLinkToken()).rejects.toMatchObject(required)
  const done = await browser.submit(await browser.open('/Account/Confirm'), { password })
  expect(titleOf(done)).toBe('Confirmed')
  await links.generateLinkToken()
})

test('a copy of the cookie that somebody took before does not become proven by what its owner confirms', async () => {
  const user = await newUser('copied')
  const browser = await signedIn(user)
  await letProofsEnd()
  const thief = new Browser(issuer, toHost)
  for (const name of ['keel.session', 'keel.session.sig']) thief.plant(name, browser.cookie(name))
  expect(titleOf(await thief.open('/Account/Manage'))).toBe('My account')
  const before = browser.cookie('keel.session')
  expect(titleOf(await browser.submit(await browser.open('/Account/Confirm'), { password }))).toBe(
    'Confirmed',
  )
  expect(browser.cookie('keel.session')).not.toBe(before)
  expect(titleOf(await browser.open('/Account/Manage'))).toBe('My account')
  expect(titleOf(await thief.open('/Account/Manage'))).toBe('Sign in')
})

test('the old address is told of a new one, without a word of the user’s, and links to reset the password still go there', async () => {
  const user = await newUser('moved', { name: 'Mo Ved' })
  await provePerson(app.host, user.id)
  const profile = (await app.host.as({ subject: user.id })).service(ProfileAppService)
  const account = createClient(AccountAppService, { baseUrl: app.host.url })
  await profile.update(profileWith(user, 'evil.words@example.com'))
  const [told] = await mails.to(user.email)
  expect([told?.subject, told?.text.includes('evil')]).toEqual([
    'Your e-mail address was changed – Keel',
    false,
  ])
  for (const email of ['evil.words@example.com', 'MOVED@example.com'])
    await account.sendPasswordResetCode({ email, appName: 'Angular' })
  const [, first, second] = await mails.to(user.email, 3)
  expect([first?.subject, second?.subject]).toEqual(Array(2).fill('Reset your password – Keel'))
  expect(await mails.to('evil.words@example.com', 0)).toEqual([])
})

test('once the new address is confirmed, or an administrator sets one, links go there', async () => {
  const user = await newUser('mover')
  await provePerson(app.host, user.id)
  const profile = (await app.host.as({ subject: user.id })).service(ProfileAppService)
  const account = createClient(AccountAppService, { baseUrl: app.host.url })
  await profile.update(profileWith(user, 'mover@new.example'))
  await account.sendEmailConfirmationToken({ userId: user.id, appName: 'Angular' })
  const [mail] = await mails.to('mover@new.example')
  const token = decodeURIComponent(/confirmationToken=([\w%-]+)/.exec(mail?.text ?? '')?.[1] ?? '')
  await account.confirmEmail({ userId: user.id, token })
  await account.sendPasswordResetCode({ email: 'mover@new.example', appName: 'Angular' })
  expect((await mails.to('mover@new.example', 2)).at(-1)?.subject).toBe('Reset your password – Keel')
  const managed = await newUser('managed')
  const admin = (await app.admin()).service(IdentityUserAppService)
  await admin.update(managed.id, { ...(await admin.get(managed.id)), email: 'managed@new.example' })
  await account.sendPasswordResetCode({ email: 'managed@new.example', appName: 'Angular' })
  expect((await mails.to('managed@new.example')).at(-1)?.subject).toBe('Reset your password – Keel')
})

test('a changed password is told to the owner, also at the address that was confirmed before', async () => {
  const user = await newUser('owner')
  await provePerson(app.host, user.id)
  const profile = (await app.host.as({ subject: user.id })).service(ProfileAppService)
  await profile.update(profileWith(user, 'owner@unconfirmed.example'))
  await profile.changePassword({ currentPassword: password, newPassword: 'Second-Crane5' })
  const subjects = (await mails.to(user.email, 2)).map(({ subject }) => subject)
  expect(subjects).toEqual(['Your e-mail address was changed – Keel', 'Your password was changed – Keel'])
  const [unconfirmed] = await mails.to('owner@unconfirmed.example')
  expect(unconfirmed?.text).toMatch(/^Your password was changed\n\nHello,\n/)
})
