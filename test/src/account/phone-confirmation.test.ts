import {
  AccountAppService,
  AccountErrors,
  ProfileAppService,
  ReauthenticationAppService,
} from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { AuthHost } from '@keel/auth-host'
import { createClient } from '@keel/framework/client'
import { Databases, sql } from '@keel/framework/data'
import { smsNotConfigured } from '@keel/framework/sms'
import { ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { SettingErrors } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Browser } from '../auth/browser.js'
import { type App, provePerson, startApp } from '../support/app.js'
import { templates, testServer } from '../support/test-databases.js'
import { createSmsFolder, type SmsFolder } from './text-messages.js'

const issuer = 'http://login.keel.test/'
const clock = new ManualClock()
let app: App
let auth: TestHost
let sms: SmsFolder
let users: UserDirectory
let strangers: AccountAppService
beforeAll(async () => {
  sms = await createSmsFolder()
  const settings = { 'Sms:Folder': sms.path, 'SignInLimits:TextMessagesPerAddress': '1000' }
  app = await startApp(undefined, { ...settings, 'App:WhiteLabeling:AppName': 'Harbour' }, clock)
  auth = await startTestHost(AuthHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'AuthServer:Authority': issuer, ...settings },
    clock,
  })
  users = app.host.get(UserDirectory)
  strangers = createClient(AccountAppService, { baseUrl: app.host.url })
})
afterAll(async () => {
  await auth?.close()
  await app?.close()
  await sms?.remove()
})

const password = 'Kelp-42-river'
let count = 0

async function newUser(phoneNumber?: string): Promise<UserRecord> {
  const userName = `phone-${++count}`
  const email = `${userName}@example.com`
  return users.create({
    userName,
    email,
    password,
    isEmailConfirmed: true,
    ...(phoneNumber && { phoneNumber }),
  })
}

/** A number that no other test uses, as people write it and in E.164. */
function newNumber(): [written: string, number: string] {
  const rest = String(1_000_000 + ++count)
  return [`+49 40-${rest}`, `+4940${rest}`]
}

async function as(user: UserRecord) {
  await provePerson(app.host, user.id)
  const caller = await app.host.as({ subject: user.id })
  return { account: caller.service(AccountAppService), profile: caller.service(ProfileAppService), caller }
}

const refusedWith = (code: string, status = 403) => ({ status, code })

describe('the owner of an account', () => {
  test('confirms the number in the profile with the code of the text message, once', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    const { account, profile } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const token = await sms.codeTo(number)
    expect((await sms.to(number))[0]).toBe(
      `${token} is your code to confirm this phone number at Harbour. It is valid for 5 minutes. Do not share it with anybody.\n`,
    )
    expect((await strangers.getConfirmationState(user.id)).phoneNumberConfirmed).toBe(false)
    await account.confirmPhoneNumber({ userId: user.id, token: ` ${token.slice(0, 3)} ${token.slice(3)}` })
    expect(await profile.get()).toMatchObject({ phoneNumber: number, phoneNumberConfirmed: true })
    await expect(account.confirmPhoneNumber({ userId: user.id, token })).rejects.toMatchObject(
      refusedWith(AccountErrors.InvalidToken),
    )
  })

  test('confirms another number, which takes the place of the one before only then', async () => {
    const [[before], [written, number]] = [newNumber(), newNumber()]
    const user = await newUser(before)
    const { account, profile } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id, phoneNumber: written })
    expect(await profile.get()).toMatchObject({ phoneNumber: before, phoneNumberConfirmed: false })
    await account.confirmPhoneNumber({ userId: user.id, token: await sms.codeTo(number) })
    expect(await profile.get()).toMatchObject({ phoneNumber: number, phoneNumberConfirmed: true })
  })

  test('loses the confirmation with another number, and keeps it where the same is written otherwise', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    const { account, profile } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    await account.confirmPhoneNumber({ userId: user.id, token: await sms.codeTo(number) })
    const { userName, email } = user
    await profile.update({ userName, email, phoneNumber: written })
    expect(await profile.get()).toMatchObject({ phoneNumber: number, phoneNumberConfirmed: true })
    await profile.update({ userName, email, phoneNumber: newNumber()[0] })
    expect(await profile.get()).toMatchObject({ phoneNumberConfirmed: false })
  })

  test('needs a recent proof, and an API key or somebody who acts for them does not do', async () => {
    const [written] = newNumber()
    const user = await newUser(written)
    const account = (await app.host.as({ subject: user.id })).service(AccountAppService)
    for (const asked of [
      () => account.sendPhoneNumberConfirmationToken({ userId: user.id }),
      () => account.confirmPhoneNumber({ userId: user.id, token: '000000' }),
    ])
      await expect(asked()).rejects.toMatchObject(refusedWith(AccountErrors.ReauthenticationRequired))
  })

  test('confirms nobody else’s number', async () => {
    const [mine] = newNumber()
    const [theirs] = newNumber()
    const [user, other] = [await newUser(mine), await newUser(theirs)]
    const { account } = await as(user)
    for (const asked of [
      () => account.sendPhoneNumberConfirmationToken({ userId: other.id }),
      () => account.confirmPhoneNumber({ userId: other.id, token: '000000' }),
    ])
      await expect(asked()).rejects.toMatchObject({ status: 403 })
  })

  test.each([
    ['without its country code', '040 123456'],
    ['that is a text', 'call me'],
  ])('gets no message to a number %s', async (_what, phoneNumber) => {
    const user = await newUser()
    const { account } = await as(user)
    await expect(
      account.sendPhoneNumberConfirmationToken({ userId: user.id, phoneNumber }),
    ).rejects.toMatchObject({ status: 400, validationErrors: [{ members: ['phoneNumber'] }] })
    await expect(account.sendPhoneNumberConfirmationToken({ userId: user.id })).rejects.toMatchObject(
      refusedWith(AccountErrors.PhoneNumberEmpty),
    )
  })
})

describe('a code', () => {
  test('lasts five minutes', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    const { account } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const token = await sms.codeTo(number)
    clock.advance({ minutes: 5 })
    await provePerson(app.host, user.id)
    await expect(account.confirmPhoneNumber({ userId: user.id, token })).rejects.toMatchObject(
      refusedWith(AccountErrors.InvalidToken),
    )
  })

  test('is replaced by the next, and void with other credentials', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    const { account } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const first = await sms.codeTo(number)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const second = await sms.codeTo(number, 2)
    if (first !== second)
      await expect(account.confirmPhoneNumber({ userId: user.id, token: first })).rejects.toMatchObject(
        refusedWith(AccountErrors.InvalidToken),
      )
    await users.changeSecurityStamp(user.id)
    await expect(account.confirmPhoneNumber({ userId: user.id, token: second })).rejects.toMatchObject(
      refusedWith(AccountErrors.InvalidToken),
    )
  })

  test('is of one user: with the code of another nothing is confirmed', async () => {
    const [[mine, myNumber], [theirs, theirNumber]] = [newNumber(), newNumber()]
    const [user, other] = [await newUser(mine), await newUser(theirs)]
    await (await as(user)).account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const { account } = await as(other)
    await account.sendPhoneNumberConfirmationToken({ userId: other.id })
    const [token, own] = [await sms.codeTo(myNumber), await sms.codeTo(theirNumber)]
    if (token !== own)
      await expect(account.confirmPhoneNumber({ userId: other.id, token })).rejects.toMatchObject(
        refusedWith(AccountErrors.InvalidToken),
      )
  })

  test('is kept as a keyed digest', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    await (await as(user)).account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const token = await sms.codeTo(number)
    const rows = await app.host
      .get(Databases)
      .named('Default')
      .query<{ value: string }>(sql`
      select "Value" as value from "AppAccountSecrets" where "UserId" = ${user.id} and "Purpose" = 'PhoneConfirmation'`)
    expect(rows).toEqual([{ value: expect.stringMatching(/^\+\d+ [\w-]{43}$/) }])
    expect(rows[0]?.value.split(' ')[1]).not.toContain(token)
  })

  test('is guessed five times in a quarter of an hour, the right one included then', async () => {
    const [written, number] = newNumber()
    const user = await newUser(written)
    const { account } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const token = await sms.codeTo(number)
    const wrong = token === '000000' ? '000001' : '000000'
    const guesses = [1, 2, 3, 4, 5].map(() => account.confirmPhoneNumber({ userId: user.id, token: wrong }))
    for (const { status } of await Promise.allSettled(guesses)) expect(status).toBe('rejected')
    await expect(account.confirmPhoneNumber({ userId: user.id, token })).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: expect.any(Number),
    })
  })

  test('is sent five times in a quarter of an hour to a user, and to a number whoever asks', async () => {
    const [written] = newNumber()
    const [one, other] = [await newUser(written), await newUser(written)]
    const [first, second] = [await as(one), await as(other)]
    for (const [{ account }, { id: userId }] of [
      [first, one],
      [first, one],
      [first, one],
      [second, other],
      [second, other],
    ] as const)
      await account.sendPhoneNumberConfirmationToken({ userId })
    for (const [{ account }, { id: userId }] of [
      [first, one],
      [second, other],
    ] as const)
      await expect(account.sendPhoneNumberConfirmationToken({ userId })).rejects.toMatchObject({
        status: 429,
      })
    const user = await newUser()
    const own = (await as(user)).account
    for (let sent = 0; sent < 5; sent++)
      await own.sendPhoneNumberConfirmationToken({ userId: user.id, phoneNumber: newNumber()[0] })
    await expect(
      own.sendPhoneNumberConfirmationToken({ userId: user.id, phoneNumber: newNumber()[0] }),
    ).rejects.toMatchObject({ status: 429 })
  })
})

describe('a stranger', () => {
  test('has nothing sent or confirmed, and hears the same of users and of nobody', async () => {
    const [written] = newNumber()
    const user = await newUser(written)
    const nobody = '00000000-0000-4000-8000-000000000000'
    for (const userId of [user.id, nobody])
      for (const asked of [
        () => strangers.sendPhoneNumberConfirmationToken({ userId }),
        () => strangers.sendPhoneNumberConfirmationToken({ userId, phoneNumber: newNumber()[0] }),
        () => strangers.confirmPhoneNumber({ userId, token: '000000' }),
        () => strangers.confirmPhoneNumber({ userId, token: '000000', confirmUserToken: 'A'.repeat(64) }),
      ])
        await expect(asked()).rejects.toMatchObject(refusedWith(AccountErrors.SignInBeforeConfirming))
  })
})

describe('a text message as second factor', () => {
  async function userWithPhone(): Promise<[UserRecord, string]> {
    const [, number] = newNumber()
    const user = await users.create({
      userName: `phone-${++count}`,
      email: `phone-${count}@example.com`,
      password,
      phoneNumber: number,
      isPhoneNumberConfirmed: true,
    })
    return [user, number]
  }

  test('is offered, sent and taken as ABP’s provider Phone, once', async () => {
    const [user, number] = await userWithPhone()
    const { profile } = await as(user)
    expect(await profile.canEnableTwoFactor()).toBe(true)
    await profile.setTwoFactorEnabled(true)
    const credentials = { grant_type: 'password', ...client, username: user.userName, password }
    const demanded = await token(credentials)
    expect(demanded).toMatchObject({ error_description: 'RequiresTwoFactor' })
    const { userId, twoFactorToken } = demanded
    const query = new URLSearchParams({ userId, token: twoFactorToken })
    const providers = await fetch(`${app.host.url}/api/account/two-factor-providers?${query}`)
    expect(await providers.json()).toEqual(['Phone'])
    const sent = await fetch(`${app.host.url}/api/account/send-two-factor-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId, provider: 'Phone', token: twoFactorToken }),
    })
    expect(sent.status).toBe(204)
    const code = await sms.codeTo(number)
    const answer = { ...credentials, TwoFactorProvider: 'Phone', TwoFactorCode: code }
    expect(await token(answer)).toMatchObject({ access_token: expect.any(String) })
    expect(await token(answer)).toMatchObject({ error_description: 'Invalid authenticator code!' })
  })

  test('signs in on the page, where it can be asked for again', async () => {
    const [user, number] = await userWithPhone()
    await (await as(user)).profile.setTwoFactorEnabled(true)
    const toHost: typeof fetch = (input, init) => {
      const { pathname, search } = new URL(String(input), issuer)
      return fetch(auth.url + pathname + search, init)
    }
    const browser = new Browser(issuer, toHost)
    const login = await browser.open('/Account/Login?culture=en')
    const second = await browser.submit(login, { userName: user.userName, password })
    expect(second.html).toContain('sent to your phone')
    await sms.codeTo(number)
    const again = await browser.submit(second, { action: 'sms' })
    expect(again.html).toContain('sent to your phone')
    const done = await browser.submit(again, { code: await sms.codeTo(number, 2) })
    expect(done.html).toContain(`You are signed in as ${user.userName}`)
  })

  test('proves again who somebody is', async () => {
    const [user, number] = await userWithPhone()
    const own = (await app.host.as({ subject: user.id })).service(ReauthenticationAppService)
    expect(await own.get()).toMatchObject({ isProven: false, methods: ['Password', 'Phone'] })
    await own.sendCode({ provider: 'Phone' })
    await own.prove({ twoFactorProvider: 'Phone', twoFactorCode: await sms.codeTo(number) })
    expect(await own.get()).toMatchObject({ isProven: true })
  })

  test('is no code of the other kind: the one that confirms a number does not sign in', async () => {
    const [user, number] = await userWithPhone()
    const { account, caller } = await as(user)
    await account.sendPhoneNumberConfirmationToken({ userId: user.id })
    const own = caller.service(ReauthenticationAppService)
    await expect(
      own.prove({ twoFactorProvider: 'Phone', twoFactorCode: await sms.codeTo(number) }),
    ).rejects.toMatchObject({ code: AccountErrors.InvalidAuthenticatorCode })
  })
})

describe('without a sender', () => {
  const configurationOf = async (host: TestHost) =>
    (await (await fetch(`${host.url}/api/abp/application-configuration`)).json()) as {
      setting: { values: Record<string, string> }
    }
  const enabled = 'Abp.Identity.SignIn.EnablePhoneNumberConfirmation'

  test('nothing is sent, offered or switched on, and who has a telephone as second factor is not let in without', async () => {
    const silent = await startTestHost(ApiHost, {
      server: testServer,
      templates,
      beside: app.host,
      settings: { 'Sms:Delivery': 'None' },
    })
    onTestFinished(() => silent.close())
    expect((await configurationOf(app.host)).setting.values[enabled]).toBe('True')
    expect((await configurationOf(silent)).setting.values[enabled]).toBe('False')
    const [written] = newNumber()
    const user = await newUser(written)
    await provePerson(silent, user.id)
    const account = (await silent.as({ subject: user.id })).service(AccountAppService)
    for (const asked of [
      () => account.sendPhoneNumberConfirmationToken({ userId: user.id }),
      () => account.confirmPhoneNumber({ userId: user.id, token: '000000' }),
    ])
      await expect(asked()).rejects.toMatchObject(refusedWith(smsNotConfigured))
    const admin = await silent.as({ subject: (await app.admin()).userId })
    const signIn = {
      requireConfirmedEmail: false,
      enablePhoneNumberConfirmation: false,
      requireConfirmedPhoneNumber: false,
    }
    const put = (host: { fetch: typeof admin.fetch }, changes: object) =>
      host.fetch('/api/identity/settings', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ signIn: { ...signIn, ...changes } }),
      })
    const refusal = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { error: { code: string } }).error.code,
    ]
    const notConfirmed = [403, SettingErrors.PhoneNumbersNotConfirmed]
    expect(await refusal(await put(admin, { requireConfirmedPhoneNumber: true }))).toEqual(notConfirmed)
    expect(await refusal(await put(admin, { enablePhoneNumberConfirmation: true }))).toEqual(notConfirmed)
    const withSender = await app.admin()
    expect(await refusal(await put(withSender, { requireConfirmedPhoneNumber: true }))).toEqual([
      403,
      SettingErrors.PhoneConfirmationNeeded,
    ])
    expect((await put(withSender, { enablePhoneNumberConfirmation: true })).status).toBe(204)
    const [, number] = newNumber()
    const guarded = await users.create({
      userName: `phone-${++count}`,
      email: `phone-${count}@example.com`,
      password,
      phoneNumber: number,
      isPhoneNumberConfirmed: true,
    })
    await users.setTwoFactorEnabled(guarded.id, true)
    const checked = await silent.get(UserDirectory).find(guarded.id)
    expect(checked?.isTwoFactorEnabled).toBe(true)
    const result = await createClient(AccountAppService, { baseUrl: silent.url }).checkPassword({
      userNameOrEmailAddress: guarded.userName,
      password,
    })
    expect(result.description).toBe('RequiresTwoFactor')
  })

  test('a host that demands confirmed numbers by its configuration does not start', async () => {
    const start = startTestHost(ApiHost, {
      server: testServer,
      templates,
      beside: app.host,
      settings: {
        'Sms:Delivery': 'None',
        'Settings:Abp.Identity.SignIn.RequireConfirmedPhoneNumber': 'true',
      },
    })
    await expect(start).rejects.toThrow('Sms:WebhookUrl')
  })
})

const client = {
  client_id: 'tooling',
  client_secret: 'development-only-tooling-secret',
  scope: 'openid Core',
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
async function token(fields: Record<string, string>): Promise<any> {
  const response = await fetch(`${auth.url}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  return response.json()
}
