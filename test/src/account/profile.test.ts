import {
  AccountErrors,
  AccountExternalLoginAppService,
  AccountSecurityLogAppService,
  AccountSessionAppService,
  DynamicClaimsAppService,
  ProfileAppService,
} from '@keel/account/contracts'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentityErrors,
  IdentityUserAppService,
  Passwords,
  Sessions,
  UserDirectory,
  UserLogins,
  type UserRecord,
} from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, provePerson, startApp } from '../support/app.js'
import { openApiOf, operationsOf } from '../support/open-api.js'
import { send } from '../support/wire.js'

let app: App
let users: UserDirectory
beforeAll(async () => {
  app = await startApp()
  users = app.host.get(UserDirectory)
})
afterAll(() => app.close())

const password = 'Abc-Crane5'

interface Configuration {
  readonly timing: { readonly timeZone: { readonly iana: { readonly timeZoneName: string } } }
}

const newUser = (userName: string, more: object = {}): Promise<UserRecord> =>
  users.create({ userName, email: `${userName}@example.com`, password, ...more })
const as = async (user: UserRecord) => {
  await provePerson(app.host, user.id)
  return app.host.as({ subject: user.id })
}
const profileOf = async (user: UserRecord) => (await as(user)).service(ProfileAppService)

test('a profile says who the caller is', async () => {
  const ada = await newUser('ada', { name: 'Ada', extraProperties: { Title: 'Countess' } })
  expect(await (await profileOf(ada)).get()).toEqual({
    userName: 'ada',
    email: 'ada@example.com',
    emailConfirmed: false,
    name: 'Ada',
    surname: null,
    phoneNumber: null,
    phoneNumberConfirmed: false,
    isExternal: false,
    hasPassword: true,
    supportsMultipleTimezone: true,
    timezone: 'UTC',
    concurrencyStamp: ada.concurrencyStamp,
    extraProperties: { Title: 'Countess' },
  })
})

test('the whole profile that was read may be sent back, and counts at the next request', async () => {
  const bob = await newUser('bob')
  const caller = await as(bob)
  const read = (await (await caller.fetch('/api/account/my-profile')).json()) as object
  const answer = await caller.fetch('/api/account/my-profile', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...read, surname: 'Builder', phoneNumber: '+49 40 1234', extraProperties: {} }),
  })
  expect(await answer.json()).toMatchObject({
    userName: 'bob',
    surname: 'Builder',
    phoneNumber: '+49 40 1234',
  })
  const configuration = await (await caller.fetch('/api/abp/application-configuration')).json()
  expect(configuration).toMatchObject({
    currentUser: { surName: 'Builder', phoneNumber: '+49 40 1234' },
  })
})

test('a profile that somebody else changed meanwhile is a conflict, without a stamp it is overwritten', async () => {
  const cleo = await newUser('cleo')
  const profile = await profileOf(cleo)
  const { concurrencyStamp } = await profile.get()
  const names = { userName: 'cleo', email: 'cleo@example.com' }
  await profile.update({ ...names, name: 'One', concurrencyStamp })
  await expect(profile.update({ ...names, name: 'Two', concurrencyStamp })).rejects.toMatchObject({
    status: 409,
  })
  await profile.update({ ...names, name: 'Three' })
  expect((await profile.get()).name).toBe('Three')
})

test('another e-mail address is not confirmed, and one that is taken is refused', async () => {
  const dora = await newUser('dora', { isEmailConfirmed: true })
  await newUser('emil')
  const profile = await profileOf(dora)
  await expect(profile.update({ userName: 'dora', email: 'EMIL@example.com' })).rejects.toMatchObject({
    status: 403,
    code: 'Volo.Abp.Identity:DuplicateEmail',
  })
  expect(await profile.update({ userName: 'dora', email: 'dora@example.org' })).toMatchObject({
    email: 'dora@example.org',
    emailConfirmed: false,
  })
})

test('nobody finds out which names are taken by trying them in a profile', async () => {
  const mallory = await newUser('mallory')
  const profile = await profileOf(mallory)
  const tried: unknown[] = []
  for (let attempt = 0; attempt < 21; attempt++)
    await profile.update({ userName: 'ADA', email: mallory.email }).catch(({ status }) => tried.push(status))
  expect(tried).toEqual([...Array.from({ length: 20 }, () => 403), 429])
  expect((await profile.update({ userName: 'mallory', email: mallory.email })).userName).toBe('mallory')
})

test('faults of a profile are told one by one', async () => {
  const finn = await newUser('finn')
  await expect(
    (await profileOf(finn)).update({ userName: '', email: 'nowhere', phoneNumber: '1'.repeat(17) }),
  ).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['userName'] }, { members: ['email'] }, { members: ['phoneNumber'] }],
  })
})

test('a time zone is chosen for oneself, counts at the next request, and is taken back', async () => {
  const nora = await newUser('nora')
  const profile = await profileOf(nora)
  const names = { userName: 'nora', email: 'nora@example.com' }
  expect(await profile.update({ ...names, timezone: 'Asia/Tokyo' })).toMatchObject({ timezone: 'Asia/Tokyo' })
  const zoneOf = async (caller: Pick<App['host'], 'fetch'>) =>
    ((await (await caller.fetch('/api/abp/application-configuration')).json()) as Configuration).timing
      .timeZone.iana.timeZoneName
  expect([await zoneOf(await as(nora)), await zoneOf(app.host)]).toEqual(['Asia/Tokyo', 'UTC'])
  expect((await profile.update(names)).timezone).toBe('Asia/Tokyo')
  expect((await profile.update({ ...names, timezone: 'Unspecified' })).timezone).toBe('UTC')
  await expect(profile.update({ ...names, timezone: 'Nowhere/Land' })).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['timezone'] }],
  })
})

test('a profile that is sent back as it was read follows the time zone of everybody', async () => {
  const otto = await newUser('otto')
  const profile = await profileOf(otto)
  await profile.update({ ...(await profile.get()), name: 'Otto' })
  await app.host.get(StoredSettings).setForEverybody({ 'Abp.Timing.TimeZone': 'Europe/Berlin' })
  expect((await profile.get()).timezone).toBe('Europe/Berlin')
  await app.host.get(StoredSettings).setForEverybody({ 'Abp.Timing.TimeZone': null })
  expect(await profile.getTimezones()).toContainEqual({ name: 'Asia/Tokyo (UTC+09:00)', value: 'Asia/Tokyo' })
})

test('a user from another system with an address that is none changes the rest, and learns what is wrong with another one like it', async () => {
  const email = '<wilma@example.com>'
  const { id } = await newUser('wilma')
  const database = app.host.get(Databases).named('Default')
  await database.execute(
    sql`update "AbpUsers" set "Email" = ${email}, "NormalizedEmail" = upper(${email}) where "Id" = ${id}`,
  )
  database.feed.changed('AbpUsers')
  const profile = await profileOf({ id } as UserRecord)
  const names = { userName: 'wilma', email }
  expect(await profile.update({ ...names, name: 'Wilma' })).toMatchObject({ name: 'Wilma', email })
  const admin = (await app.admin()).service(IdentityUserAppService)
  expect(await admin.update(id, { ...names, surname: 'Weiss' })).toMatchObject({ surname: 'Weiss', email })
  const refused = {
    status: 400,
    validationErrors: [
      { members: ['email'], message: 'email: the value must be an e-mail address, such as name@example.com' },
    ],
  }
  const another = { ...names, email: 'Wilma <wilma@example.com>' }
  await expect(profile.update(another)).rejects.toMatchObject(refused)
  await expect(admin.update(id, another)).rejects.toMatchObject(refused)
  expect(await admin.update(id, { ...names, email: 'wilma@example.com' })).toMatchObject({
    email: 'wilma@example.com',
  })
})

test('a password is changed by who knows it', async () => {
  const gina = await newUser('gina')
  const profile = await profileOf(gina)
  await expect(
    profile.changePassword({ currentPassword: 'wrong', newPassword: 'New-Crane5' }),
  ).rejects.toMatchObject({ status: 403, code: 'Volo.Abp.Identity:PasswordMismatch' })
  await expect(
    profile.changePassword({ currentPassword: password, newPassword: 'weak' }),
  ).rejects.toMatchObject({ status: 403, code: 'Volo.Abp.Identity:PasswordTooShort' })
  await profile.changePassword({ currentPassword: password, newPassword: 'New-Crane5' })
  expect(await app.host.get(Passwords).verify(gina.id, 'New-Crane5')).toBe(true)
})

test('who has no password yet sets one without, and an external user sets none', async () => {
  const hugo = await newUser('hugo', { password: undefined })
  const profile = await profileOf(hugo)
  expect((await profile.get()).hasPassword).toBe(false)
  await profile.changePassword({ newPassword: 'New-Crane5' })
  expect((await profile.get()).hasPassword).toBe(true)
  const ivy = await newUser('ivy', { isExternal: true })
  await expect(
    (await profileOf(ivy)).changePassword({ currentPassword: password, newPassword: 'New-Crane5' }),
  ).rejects.toMatchObject({ code: 'Volo.Abp.Identity:010003' })
})

test('the second factor is switched on by who has one', async () => {
  const jack = await newUser('jack')
  const profile = await profileOf(jack)
  expect(await profile.canEnableTwoFactor()).toBe(false)
  await expect(profile.setTwoFactorEnabled(true)).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.CanNotChangeTwoFactor,
  })
  await users.confirmEmail(jack.id, jack.email)
  expect(await profile.canEnableTwoFactor()).toBe(true)
  await profile.setTwoFactorEnabled(true)
  expect(await profile.getTwoFactorEnabled()).toBe(true)
  await profile.setTwoFactorEnabled(false)
  expect(await profile.getTwoFactorEnabled()).toBe(false)
})

test('claims may be asked for again by everybody who is signed in', async () => {
  const kate = await newUser('kate')
  await expect((await as(kate)).service(DynamicClaimsAppService).refresh()).resolves.toBeUndefined()
  const stranger = await app.host.fetch('/api/account/dynamic-claims/refresh', { method: 'POST' })
  expect(stranger.status).toBe(401)
})

test('what is about an account of one’s own is for people who are signed in, and not for clients', async () => {
  // Pictures are shown to everybody, and come as forms; providers are told to clients as well.
  const others = ['/profile-picture', '/external-provider']
  const own = operationsOf(await openApiOf(app.host)).filter(
    ({ path, security }) =>
      path.startsWith('/api/account/') && !others.some((one) => path.includes(one)) && security.length > 0,
  )
  const client = await app.host.as({ subject: 'tooling', clientId: 'tooling' })
  // Everything that an operation could ask for, so that only who calls decides.
  const everything = {
    userName: 'x',
    email: 'x@example.com',
    currentPassword: 'x',
    newPassword: 'x',
    code: '000000',
    token: 'x',
    userId: '00000000-0000-4000-8000-000000000001',
    targetUserId: '00000000-0000-4000-8000-000000000001',
    startTime: '2026-01-01T00:00:00Z',
    endTime: '2100-01-01T00:00:00Z',
  }
  const answers = await Promise.all(
    own.map(async ({ name, method, path, requestBody }) => {
      const address = `${path.replace(/\{(id|userId)\}/, everything.userId)}?enabled=true&id=${everything.userId}`
      const body = requestBody && everything
      const stranger = await send(app.host, method, address, body)
      return [name, stranger.status, (await send(client, method, address, body)).status]
    }),
  )
  // There is nothing to do for claims and nothing personal about zones, whoever asks.
  const forClients = (name: string) =>
    name.endsWith('/refresh') ? 204 : name.endsWith('/timezones') ? 200 : 403
  const expected = own.map(({ name }) => [name, 401, forClients(name)])
  expect(answers).toEqual(expected)
  expect(own.length).toBeGreaterThan(15)
})

test('people see their own sessions and their own security log, and end their own sessions', async () => {
  const [leo, mia] = [await newUser('leo'), await newUser('mia')]
  const sessions = app.host.get(Sessions)
  await (await profileOf(leo)).changePassword({ currentPassword: password, newPassword: 'New-Crane5' })
  for (const { id: userId, userName } of [leo, mia])
    await sessions.begin({ sessionId: `of ${userName}`, device: 'Web', userId })
  const own = (await as(leo)).service(AccountSessionAppService)
  const page = await own.getList({ userId: mia.id })
  expect(page).toMatchObject({ totalCount: 1, items: [{ sessionId: 'of leo', userId: leo.id }] })
  const [{ id = '' } = {}] = page.items
  const others = (await as(mia)).service(AccountSessionAppService)
  await expect(others.get(id)).rejects.toMatchObject({ status: 404 })
  await expect(others.revoke(id)).rejects.toMatchObject({ status: 404 })
  expect(await own.get(id)).toMatchObject({ sessionId: 'of leo' })
  await own.revoke(id)
  expect((await own.getList({})).totalCount).toBe(0)
  const log = await (await as(leo)).service(AccountSecurityLogAppService).getList({})
  expect(log.items).toMatchObject([
    { action: 'EndSession', userId: leo.id, userName: 'leo' },
    { action: 'ChangePassword', userId: leo.id, userName: 'leo' },
  ])
})

test('people see the accounts elsewhere that they sign in with and remove them, but not the last way in', async () => {
  const user = await newUser('olga')
  const logins = app.host.get(UserLogins)
  await logins.add(user.id, { loginProvider: 'GitHub', providerKey: '42', providerDisplayName: 'GitHub' })
  const own = (await as(user)).service(AccountExternalLoginAppService)
  expect(await own.getList()).toEqual([
    { loginProvider: 'GitHub', providerKey: '42', providerDisplayName: 'GitHub' },
  ])
  await expect(own.delete('GitHub', '43')).rejects.toMatchObject({ status: 404 })
  await own.delete('GitHub', '42')
  expect(await own.getList()).toEqual([])
  const guest = await app.host
    .get(UserDirectory)
    .create({ userName: 'guest', email: 'guest@example.com', roleNames: [] })
  await logins.add(guest.id, { loginProvider: 'GitHub', providerKey: '44', providerDisplayName: null })
  const theirs = (await as(guest)).service(AccountExternalLoginAppService)
  await expect(theirs.delete('GitHub', '44')).rejects.toMatchObject({ code: IdentityErrors.LastLogin })
})
