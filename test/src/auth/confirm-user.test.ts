import { AccountAppService, AccountErrors } from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { createClient } from '@keel/framework/client'
import { sql } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { createSmsFolder, type SmsFolder } from '../account/text-messages.js'
import { templates, testServer } from '../support/test-databases.js'
import { type AuthHost, startAuthHost, tooling } from './auth-host.js'
import { authorizationRequest, redeem } from './sign-in.js'

const password = 'Kelp-42-river'
let auth: AuthHost
let api: TestHost
let sms: SmsFolder
let mails: MailFolder
let users: UserDirectory
/** ABP's Angular UI, which knows neither a token nor a session. */
let abp: AccountAppService

beforeAll(async () => {
  sms = await createSmsFolder()
  mails = await createMailFolder()
  const settings = { 'Sms:Folder': sms.path, 'Mail:Folder': mails.path }
  auth = await startAuthHost({
    settings: { ...settings, 'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true' },
  })
  api = await startTestHost(ApiHost, { server: testServer, templates, beside: auth.host, settings }).catch(
    async (error: unknown) => {
      await auth.close()
      throw error
    },
  )
  users = auth.host.get(UserDirectory)
  abp = createClient(AccountAppService, { baseUrl: api.url })
})
afterAll(async () => {
  await api?.close()
  await auth?.close()
  await sms?.remove()
  await mails?.remove()
})
afterEach(() => demand({ phone: false, email: false }))

function demand({ phone = false, email = false }): Promise<void> {
  return auth.host.get(StoredSettings).setForEverybody({
    'Abp.Identity.SignIn.RequireConfirmedPhoneNumber': phone,
    'Abp.Identity.SignIn.RequireConfirmedEmail': email,
  })
}

let count = 0

async function newUser(more: { phoneNumber?: string; isEmailConfirmed?: boolean } = {}): Promise<UserRecord> {
  const userName = `confirm-${++count}`
  return users.create({
    userName,
    email: `${userName}@example.com`,
    password,
    isEmailConfirmed: true,
    ...more,
  })
}

const newNumber = (): string => `+49401${String(100_000 + ++count)}`

const grant = (userName: string, more: Record<string, string> = {}) =>
  auth.post('/connect/token', {
    grant_type: 'password',
    ...tooling,
    scope: 'openid Core',
    username: userName,
    password,
    ...more,
  })

const actionsOf = async ({ id }: UserRecord): Promise<string[]> => {
  const rows = await auth.database.query<{ action: string }>(
    sql`select "Action" as action from "AbpSecurityLogs" where "UserId" = ${id} order by "CreationTime", "Id"`,
  )
  return rows.map(({ action }) => action)
}

test('the password grant tells who knows the password what has to be confirmed, and nobody else', async () => {
  await demand({ phone: true })
  const phoneNumber = newNumber()
  const user = await newUser({ phoneNumber })
  expect(await grant(user.userName)).toMatchObject({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: 'RequiresConfirmUser',
      userId: user.id.replaceAll('-', ''),
      email: user.email,
      phoneNumber,
      confirmUserToken: expect.any(String),
    },
  })
  const wrong = await grant(user.userName, { password: 'wrong' })
  const nobody = await grant('nobody-at-all', { password: 'wrong' })
  expect(wrong.body).toEqual(nobody.body)
  expect(wrong.body).not.toHaveProperty('userId')
})

test('a client that knows no token confirms the number of the account, and gets tokens then', async () => {
  await demand({ phone: true })
  const phoneNumber = newNumber()
  const user = await newUser({ phoneNumber })
  const { userId } = (await grant(user.userName)).body
  expect(await abp.getConfirmationState(userId)).toEqual({
    emailConfirmed: true,
    phoneNumberConfirmed: false,
  })
  await expect(
    abp.sendPhoneNumberConfirmationToken({ userId, phoneNumber: newNumber() }),
  ).rejects.toMatchObject({
    code: AccountErrors.SignInBeforeConfirming,
  })
  await abp.sendPhoneNumberConfirmationToken({ userId, phoneNumber })
  await abp.confirmPhoneNumber({ userId, token: await sms.codeTo(phoneNumber) })
  expect((await grant(user.userName)).body).toMatchObject({ access_token: expect.any(String) })
})

test('a client with the token confirms another number; the token is worth nothing for others and once it is confirmed', async () => {
  await demand({ phone: true })
  const user = await newUser()
  const other = await newUser()
  const phoneNumber = newNumber()
  const { userId, confirmUserToken } = (await grant(user.userName)).body
  await expect(
    abp.sendPhoneNumberConfirmationToken({ userId: other.id, phoneNumber, confirmUserToken }),
  ).rejects.toMatchObject({ code: AccountErrors.SignInBeforeConfirming })
  await abp.sendPhoneNumberConfirmationToken({ userId, phoneNumber, confirmUserToken })
  await abp.confirmPhoneNumber({ userId, token: await sms.codeTo(phoneNumber), confirmUserToken })
  expect(await users.find(user.id)).toMatchObject({ phoneNumber, isPhoneNumberConfirmed: true })
  await expect(
    abp.sendPhoneNumberConfirmationToken({ userId, phoneNumber: newNumber(), confirmUserToken }),
  ).rejects.toMatchObject({ code: AccountErrors.SignInBeforeConfirming })
})

test('the second factor is asked for first: the password alone confirms no telephone that would be one', async () => {
  await demand({ phone: true })
  const user = await newUser({ phoneNumber: newNumber() })
  const key = new Secret({ size: 20 })
  await auth.database.execute(sql`
    insert into "AbpUserTokens" ("UserId", "LoginProvider", "Name", "Value") values (${user.id}, '[AspNetUserStore]', 'AuthenticatorKey', ${key.base32})`)
  await users.setTwoFactorEnabled(user.id, true)
  const demanded = (await grant(user.userName)).body
  expect(demanded).toMatchObject({ error_description: 'RequiresTwoFactor' })
  for (const confirmUserToken of [undefined, demanded.twoFactorToken])
    await expect(
      abp.sendPhoneNumberConfirmationToken({ userId: user.id, confirmUserToken }),
    ).rejects.toMatchObject({ code: AccountErrors.SignInBeforeConfirming })
  const code = { TwoFactorProvider: 'Authenticator', TwoFactorCode: new TOTP({ secret: key }).generate() }
  expect((await grant(user.userName, code)).body).toMatchObject({ error_description: 'RequiresConfirmUser' })
})

test('a number that is confirmed is not changed by the password alone, while the address is to be confirmed', async () => {
  await demand({ email: true })
  const phoneNumber = newNumber()
  const user = await newUser({ phoneNumber, isEmailConfirmed: false })
  await users.setConfirmedPhoneNumber(user.id, phoneNumber)
  const { userId, confirmUserToken, error_description } = (await grant(user.userName)).body
  expect(error_description).toBe('RequiresConfirmUser')
  await expect(
    abp.sendPhoneNumberConfirmationToken({ userId, phoneNumber: newNumber(), confirmUserToken }),
  ).rejects.toMatchObject({ code: AccountErrors.SignInBeforeConfirming })
  await abp.sendEmailConfirmationToken({ userId, appName: 'Angular' })
  expect(await mails.to(user.email)).toHaveLength(1)
})

test('the login page sends to the page that confirms the number, and goes on with the client’s request then', async () => {
  await demand({ phone: true })
  const user = await newUser()
  const phoneNumber = newNumber()
  const browser = auth.browser()
  const request = authorizationRequest()
  const page = await browser.submit(await browser.open(request.address), {
    userName: user.userName,
    password,
  })
  expect(page.html).toContain('Please confirm first')
  expect((await browser.open('/')).html).not.toContain('You are signed in')
  const missing = await browser.submit(page, { action: 'sms', phoneNumber: '' })
  expect(missing.status).toBe(400)
  const local = await browser.submit(page, { action: 'sms', phoneNumber: '040 123' })
  expect(local.html).toContain('country code')
  const asked = await browser.submit(page, { action: 'sms', phoneNumber })
  expect(asked.html).toContain(`A code is on its way to ${phoneNumber}`)
  const code = await sms.codeTo(phoneNumber)
  const wrong = await browser.submit(asked, { action: 'code', code: code === '000000' ? '000001' : '000000' })
  expect(wrong.status).toBe(400)
  const done = await browser.submit(wrong, { action: 'code', code })
  expect((await redeem(auth, done, request)).body).toMatchObject({ access_token: expect.any(String) })
  expect(await users.find(user.id)).toMatchObject({ phoneNumber, isPhoneNumberConfirmed: true })
  expect(await actionsOf(user)).toEqual(
    expect.arrayContaining(['LoginNotAllowed', 'ChangePhoneNumber', 'LoginSucceeded']),
  )
})

test('the page sends the mail, says what is left, and lets in once the link was followed', async () => {
  await demand({ email: true })
  const user = await newUser({ isEmailConfirmed: false })
  const browser = auth.browser()
  const page = await browser.submit(await browser.open('/Account/Login?culture=en'), {
    userName: user.userName,
    password,
  })
  expect(page.html).toContain(`${user.email} is not confirmed yet`)
  const early = await browser.submit(page, { action: 'continue' })
  expect(early.html).toContain('Something is not confirmed yet')
  const sent = await browser.submit(early, { action: 'mail' })
  expect(sent.html).toContain(`An e-mail is on its way to ${user.email}`)
  const link = /http:\S+/.exec((await mails.to(user.email))[0]?.text ?? '')?.[0] ?? ''
  const confirmed = await browser.submit(await browser.open(link), {})
  expect(confirmed.html).toContain('Your e-mail address is confirmed')
  const done = await browser.submit(sent, { action: 'continue' }, 'value="continue"')
  expect(done.html).toContain(`You are signed in as ${user.userName}`)
})

test('nobody reaches the page without the right password, and the cookie of one serves no other credentials', async () => {
  await demand({ phone: true })
  const stranger = auth.browser()
  expect(await stranger.open('/Account/ConfirmUser')).toMatchObject({ status: 400 })
  const wrong = await stranger.submit(await stranger.open('/Account/Login'), {
    userName: (await newUser()).userName,
    password: 'wrong',
  })
  expect(wrong.html).not.toContain('Please confirm first')
  const user = await newUser()
  const browser = auth.browser()
  const page = await browser.submit(await browser.open('/Account/Login?culture=en'), {
    userName: user.userName,
    password,
  })
  expect(page.html).toContain('Please confirm first')
  await users.changeSecurityStamp(user.id)
  expect(await browser.open('/Account/ConfirmUser')).toMatchObject({ status: 400 })
})

test('a password that has to be changed is asked for after the confirmation, on the same page', async () => {
  await demand({ phone: true })
  const user = await newUser()
  await auth.database.execute(
    sql`update "AbpUsers" set "ShouldChangePasswordOnNextLogin" = true where "Id" = ${user.id}`,
  )
  const browser = auth.browser()
  const phoneNumber = newNumber()
  const page = await browser.submit(await browser.open('/Account/Login?culture=en'), {
    userName: user.userName,
    password,
  })
  const asked = await browser.submit(page, { action: 'sms', phoneNumber })
  const renewal = await browser.submit(asked, { action: 'code', code: await sms.codeTo(phoneNumber) })
  expect(renewal.html).toContain('Choose a new password')
  const done = await browser.submit(renewal, {
    newPassword: 'Quartz-77-lamp',
    confirmation: 'Quartz-77-lamp',
  })
  expect(done.html).toContain(`You are signed in as ${user.userName}`)
})

test('who registers confirms the number before they are signed in', async () => {
  await demand({ phone: true })
  const browser = auth.browser()
  const userName = `confirm-${++count}`
  const page = await browser.submit(await browser.open('/Account/Register?culture=en'), {
    userName,
    emailAddress: `${userName}@example.com`,
    newPassword: password,
    confirmation: password,
  })
  expect(page.html).toContain('Please confirm first')
  expect((await browser.open('/')).html).not.toContain('You are signed in')
  const phoneNumber = newNumber()
  const asked = await browser.submit(page, { action: 'sms', phoneNumber })
  const done = await browser.submit(asked, { action: 'code', code: await sms.codeTo(phoneNumber) })
  expect(done.html).toContain(`You are signed in as ${userName}`)
})
