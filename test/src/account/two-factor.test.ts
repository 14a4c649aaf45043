import { createHash } from 'node:crypto'
import {
  AccountAppService,
  AccountErrors,
  LoginResultType,
  ProfileAppService,
  TwoFactorAppService,
} from '@keel/account/contracts'
import { AuthHost } from '@keel/auth-host'
import { createClient } from '@keel/framework/client'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { UserDirectory, type UserRecord, UserTokens } from '@keel/identity/contracts'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from '../auth/browser.js'
import { type App, provePerson, startApp } from '../support/app.js'
import { templates, testServer } from '../support/test-databases.js'
import { createMailFolder, type MailFolder } from './mails.js'

const issuer = 'http://login.keel.test/'
let app: App
let auth: TestHost
let mails: MailFolder
let users: UserDirectory
let strangers: TwoFactorAppService
beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, { 'Mail:Folder': mails.path, 'App:WhiteLabeling:AppName': 'Harbour' })
  auth = await startTestHost(AuthHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'AuthServer:Authority': issuer, 'Mail:Folder': mails.path },
  })
  users = app.host.get(UserDirectory)
  strangers = createClient(TwoFactorAppService, { baseUrl: app.host.url })
})
afterAll(async () => {
  await auth.close()
  await app.close()
  await mails.remove()
})

const password = 'Abc-Crane5'

async function newUser(userName: string, isEmailConfirmed = false): Promise<UserRecord> {
  return users.create({ userName, email: `${userName}@example.com`, password, isEmailConfirmed })
}

async function servicesOf(user: UserRecord) {
  await provePerson(app.host, user.id)
  const caller = await app.host.as({ subject: user.id })
  return { profile: caller.service(ProfileAppService), twoFactor: caller.service(TwoFactorAppService) }
}

/** The code that an authenticator application shows, some steps from now. */
function codeOf(key: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + steps * 30_000 })
}

/** A user with an authenticator application. Its code of the step before was used for setting it up. */
async function newUserWithAuthenticator(userName: string) {
  const user = await newUser(userName)
  const { profile, twoFactor } = await servicesOf(user)
  const { key } = await twoFactor.getAuthenticatorInfo()
  const { recoveryCodes } = await twoFactor.verifyAuthenticatorCode({ code: codeOf(key, -1) })
  await profile.setTwoFactorEnabled(true)
  return { user, key, recoveryCodes, profile, twoFactor }
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
}

async function grant(userName: string, more: Record<string, string> = {}, host = auth): Promise<Answer> {
  const body = new URLSearchParams({
    grant_type: 'password',
    client_id: 'Core_App',
    username: userName,
    password,
    scope: 'openid Core',
    ...more,
  })
  const response = await host.fetch('/connect/token', { method: 'POST', body })
  return { status: response.status, body: await response.json() }
}

const byAuthenticator = (code: string) => ({ TwoFactorProvider: 'Authenticator', TwoFactorCode: code })

test('an authenticator is set up with a key and proven with a code, and its key is not shown again', async () => {
  const ada = await newUser('ada')
  const { twoFactor, profile } = await servicesOf(ada)
  expect(await twoFactor.hasAuthenticatorKey()).toBe(false)
  const info = await twoFactor.getAuthenticatorInfo()
  expect(info).toEqual({
    key: expect.stringMatching(/^[A-Z2-7]{32}$/),
    uri: `otpauth://totp/Harbour:ada%40example.com?issuer=Harbour&secret=${info.key}&algorithm=SHA1&digits=6&period=30`,
  })
  expect(await twoFactor.getAuthenticatorInfo()).toEqual(info)
  expect(await profile.canEnableTwoFactor()).toBe(false)
  await expect(twoFactor.verifyAuthenticatorCode({ code: '000000' })).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.InvalidAuthenticatorCode,
  })
  expect(await twoFactor.hasAuthenticatorKey()).toBe(false)
  const { recoveryCodes } = await twoFactor.verifyAuthenticatorCode({ code: codeOf(info.key) })
  expect(new Set(recoveryCodes).size).toBe(10)
  expect(await twoFactor.hasAuthenticatorKey()).toBe(true)
  expect(await profile.canEnableTwoFactor()).toBe(true)
  await expect(twoFactor.getAuthenticatorInfo()).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.AuthenticatorInUse,
  })
})

test('recovery codes are not stored as they are', async () => {
  const { user, recoveryCodes } = await newUserWithAuthenticator('abel')
  const stored = await app.host.get(UserTokens).find({
    userId: user.id,
    loginProvider: '[AspNetUserStore]',
    name: 'RecoveryCodes',
  })
  expect(stored?.split(';')).toHaveLength(10)
  // ASP.NET Core Identity's format: version 3, HMAC-SHA512, and its own salt for each.
  for (const hash of stored?.split(';') ?? []) expect(hash).toMatch(/^AQAAAAIAAE4gAAAAE/)
  for (const code of recoveryCodes) expect(stored).not.toContain(code)
})

test('recovery codes that were stored as digests still work, once', async () => {
  const { user } = await newUserWithAuthenticator('adam')
  const digest = createHash('sha256').update('B7KQM2XTWD').digest('base64url')
  const key = { userId: user.id, loginProvider: '[AspNetUserStore]', name: 'RecoveryCodes' }
  await app.host.get(UserTokens).save(key, digest)
  expect((await grant('adam', { RecoveryCode: 'B7KQM-2XTWD' })).status).toBe(200)
  expect((await grant('adam', { RecoveryCode: 'B7KQM-2XTWD' })).status).toBe(400)
})

test('the right password alone gives no tokens to who chose a second factor', async () => {
  const { user, key } = await newUserWithAuthenticator('bob')
  const { status, body } = await grant('bob')
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: 'RequiresTwoFactor',
      userId: user.id.replaceAll('-', ''),
      twoFactorToken: expect.any(String),
    },
  })
  expect(await strangers.getTwoFactorProviders(body.userId, body.twoFactorToken)).toEqual(['Authenticator'])
  const wrong = await grant('bob', { ...byAuthenticator(codeOf(key)), password: 'wrong' })
  expect(wrong.body).toMatchObject({ error_description: 'Invalid username or password!' })
  const signedIn = await grant('bob', byAuthenticator(codeOf(key)))
  expect({ status: signedIn.status, tokens: Object.keys(signedIn.body) }).toEqual({
    status: 200,
    tokens: expect.arrayContaining(['access_token', 'id_token']),
  })
})

test('who checks a password is told that it takes more', async () => {
  await newUserWithAuthenticator('bert')
  const account = createClient(AccountAppService, { baseUrl: app.host.url })
  expect(await account.checkPassword({ userNameOrEmailAddress: 'bert', password })).toEqual({
    result: LoginResultType.RequiresTwoFactor,
    description: 'RequiresTwoFactor',
  })
})

test('a code of an authenticator works once, also for several who bring it at once', async () => {
  const { key } = await newUserWithAuthenticator('carl')
  const code = codeOf(key, 1)
  const answers = await Promise.all([1, 2, 3].map(() => grant('carl', byAuthenticator(code))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await grant('carl', byAuthenticator(code))).body).toEqual({
    error: 'invalid_grant',
    error_description: 'Invalid authenticator code!',
  })
  expect((await grant('carl', byAuthenticator(codeOf(key)))).status).toBe(400)
})

test('codes can not be guessed: after five wrong ones the right one is refused too', async () => {
  const { key } = await newUserWithAuthenticator('dora')
  const answers = []
  for (let attempt = 0; attempt < 5; attempt++) answers.push(await grant('dora', byAuthenticator('000000')))
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
  expect((await grant('dora', byAuthenticator(codeOf(key)))).status).not.toBe(200)
})

test('a recovery code works once', async () => {
  const { recoveryCodes } = await newUserWithAuthenticator('emil')
  const [first = '', second = ''] = recoveryCodes
  const spelled = first.toLowerCase().replace('-', ' ')
  expect((await grant('emil', { RecoveryCode: spelled })).status).toBe(200)
  expect((await grant('emil', { RecoveryCode: first })).body).toMatchObject({
    error_description: 'Invalid recovery code!',
  })
  expect((await grant('emil', { RecoveryCode: second })).status).toBe(200)
})

test('a code is sent by mail to a confirmed address, and works once', async () => {
  const finn = await newUser('finn', true)
  await (await servicesOf(finn)).profile.setTwoFactorEnabled(true)
  const { body } = await grant('finn')
  expect(await strangers.getTwoFactorProviders(body.userId, body.twoFactorToken)).toEqual(['Email'])
  await strangers.sendTwoFactorCode({ userId: body.userId, provider: 'Email', token: body.twoFactorToken })
  const [first] = await mails.to(finn.email)
  await strangers.sendTwoFactorCode({ userId: finn.id, provider: 'Email', token: body.twoFactorToken })
  const [, second] = await mails.to(finn.email, 2)
  const byMail = (mail: typeof first) => ({
    TwoFactorProvider: 'Email',
    TwoFactorCode: /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? '',
  })
  expect(first?.subject).toBe('Your security code – Harbour')
  expect((await grant('finn', byMail(first))).status).toBe(400)
  expect((await grant('finn', byMail(second))).status).toBe(200)
  expect((await grant('finn', byMail(second))).status).toBe(400)
})

test('without the token of the password nobody learns of factors or gets a code', async () => {
  const gina = await newUser('gina', true)
  await (await servicesOf(gina)).profile.setTwoFactorEnabled(true)
  const other = await newUser('gustav', true)
  await (await servicesOf(other)).profile.setTwoFactorEnabled(true)
  const { body } = await grant('gustav')
  for (const token of ['AAAA', body.twoFactorToken]) {
    const refused = { status: 403, code: AccountErrors.InvalidToken }
    await expect(strangers.getTwoFactorProviders(gina.id, token)).rejects.toMatchObject(refused)
    await expect(
      strangers.sendTwoFactorCode({ userId: gina.id, provider: 'Email', token }),
    ).rejects.toMatchObject(refused)
  }
  await expect(
    strangers.sendTwoFactorCode({ userId: other.id, provider: 'Authenticator', token: body.twoFactorToken }),
  ).rejects.toMatchObject({ status: 403, code: AccountErrors.NoSuchTwoFactorProvider })
})

test('the login page asks for the code after the password', async () => {
  const { key } = await newUserWithAuthenticator('hugo')
  const browser = openBrowser()
  const page = await browser.open('/Account/Login')
  const step = await browser.submit(page, { userName: 'hugo', password })
  expect(step.html).toContain('Second step')
  expect(await signedInAs(browser)).toBeUndefined()
  const wrong = await browser.submit(step, { code: '000000' })
  expect(wrong.status).toBe(400)
  expect(wrong.html).toContain('The code is wrong, was used already or has expired.')
  expect(await signedInAs(browser)).toBeUndefined()
  await browser.submit(wrong, { code: codeOf(key) })
  expect(await signedInAs(browser)).toBe('hugo')
})

test('the login page sends a code by mail, and takes a recovery code instead', async () => {
  const ivy = await newUser('ivy', true)
  await (await servicesOf(ivy)).profile.setTwoFactorEnabled(true)
  const browser = openBrowser()
  const step = await browser.submit(await browser.open('/Account/Login'), { userName: 'ivy', password })
  expect(step.html).toContain('sent to your e-mail address')
  const [mail] = await mails.to(ivy.email)
  await browser.submit(step, { code: /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? '' })
  expect(await signedInAs(browser)).toBe('ivy')
  const { recoveryCodes } = await newUserWithAuthenticator('jack')
  const another = openBrowser()
  const codes = await another.submit(await another.open('/Account/Login'), { userName: 'jack', password })
  await another.submit(codes, { code: recoveryCodes[3] ?? '' })
  expect(await signedInAs(another)).toBe('jack')
})

test('nobody signs in at the page with the code of one and the token of another', async () => {
  const { key } = await newUserWithAuthenticator('kate')
  const victim = await newUserWithAuthenticator('leo')
  const browser = openBrowser()
  const step = await browser.submit(await browser.open('/Account/Login'), { userName: 'kate', password })
  const refused = await browser.submit(step, { userId: victim.user.id, code: codeOf(key) })
  expect(refused.status).toBe(400)
  expect(await signedInAs(browser)).toBeUndefined()
})

test('an authenticator that was reset is asked for no more', async () => {
  const { user, twoFactor, profile } = await newUserWithAuthenticator('mia')
  await twoFactor.resetAuthenticator()
  expect(await twoFactor.hasAuthenticatorKey()).toBe(false)
  expect(await profile.getTwoFactorEnabled()).toBe(false)
  expect((await grant('mia')).status).toBe(200)
  expect((await users.find(user.id))?.isTwoFactorEnabled).toBe(false)
})

test('administrators may switch the second factor off for everybody, or demand it of everybody who has one', async () => {
  await newUserWithAuthenticator('noah')
  await newUser('olga', true)
  await newUser('paul')
  for (const [behaviour, expected] of [
    ['Disabled', [200, 200, 200]],
    ['Forced', [400, 400, 200]],
  ] as const) {
    const host = await startTestHost(AuthHost, {
      server: testServer,
      templates,
      beside: app.host,
      settings: {
        'AuthServer:Authority': issuer,
        'Mail:Folder': mails.path,
        'Settings:Abp.Identity.TwoFactor.Behaviour': behaviour,
      },
    })
    const answers = []
    for (const userName of ['noah', 'olga', 'paul']) answers.push((await grant(userName, {}, host)).status)
    await host.close()
    expect(answers).toEqual(expected)
  }
})

function openBrowser(): Browser {
  return new Browser(issuer, (input, init) => {
    const { pathname, search } = new URL(String(input), issuer)
    return fetch(auth.url + pathname + search, init)
  })
}

async function signedInAs(browser: Browser): Promise<string | undefined> {
  const { html } = await browser.open('/')
  return /signed in as ([^.<]+)/.exec(html)?.[1]?.replace(/^<\w+>/, '')
}
