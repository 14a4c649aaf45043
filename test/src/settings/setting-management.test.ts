import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiHost } from '@keel/api-host'
import { type Application, Configuration, createApplication, Settings } from '@keel/framework'
import { ValidationError } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { HttpHost } from '@keel/framework/http'
import { IdentityPermissions, InternalAdmin, SuperUser } from '@keel/identity/contracts'
import {
  AccountSettingPermissions,
  AccountSettingsAppService,
  ExternalProviders,
  externalProviderSetting,
  IdentitySettingsAppService,
  SettingManagementPermissions,
  StoredSettings,
  TimeZoneSettingsAppService,
} from '@keel/setting-management/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { faultyMembers, type Sender, send } from '../support/wire.js'

const zone = 'Abp.Timing.TimeZone'
const timezone = '/api/setting-management/timezone'
const configuration = '/api/abp/application-configuration?includeLocalizationResources=false'

let app: App
let admin: AppCaller
let stored: StoredSettings

let mailFolder: string

beforeAll(async () => {
  mailFolder = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  app = await startApp(undefined, {
    'Settings:Abp.Identity.Password.RequiredLength': '8',
    'Mail:Folder': mailFolder,
  })
  admin = await app.as({ roles: [InternalAdmin] })
  stored = app.host.get(StoredSettings)
})
afterAll(async () => {
  await app?.close()
  await rm(mailFolder, { recursive: true, force: true })
})
beforeEach(async () => {
  await database().execute(sql`delete from "AbpSettings"`)
  await expect.poll(rows).toEqual([])
})

const database = () => app.host.get(Databases).named('Default')

interface Row {
  readonly name: string
  readonly value: string
  readonly provider: string
  readonly key: string | null
}

function rows(): Promise<Row[]> {
  return database().query<Row>(sql`
    select "Name" as name, "Value" as value, "ProviderName" as provider, "ProviderKey" as key
    from "AbpSettings" order by "Name" collate "C", "ProviderName", "ProviderKey"`)
}

const valuesFor = async (sender: Sender): Promise<Record<string, string>> =>
  (await send(sender, 'GET', configuration)).body.setting.values

const expectValue = (setting: string, value: string) =>
  expectAtNextRequest(async () => (await valuesFor(app.host))[setting], value)

const bodyOf = async (path: string) => (await send(admin, 'GET', path)).body

describe('the value that counts', () => {
  test('is the user’s, else everybody’s, else the configuration’s, else the default', async () => {
    const anna = await app.as({})
    const settings = app.host.get(Settings)
    const length = 'Abp.Identity.Password.RequiredLength'
    const all = async () => [
      await settings.valueOf(length),
      await settings.valueOf(length, anna.userId),
      await settings.valueOf(zone, anna.userId),
    ]
    expect(await all()).toEqual(['8', '8', 'UTC'])
    await stored.setForEverybody({ [length]: 10 })
    expect(await all()).toEqual(['10', '10', 'UTC'])
    await stored.setForUser(anna.userId, { [length]: 12, [zone]: 'Asia/Tokyo' })
    expect(await all()).toEqual(['10', '12', 'Asia/Tokyo'])
    await stored.setForEverybody({ [length]: null })
    expect(await all()).toEqual(['8', '12', 'Asia/Tokyo'])
    await stored.setForUser(anna.userId, { [length]: null })
    expect(await all()).toEqual(['8', '8', 'Asia/Tokyo'])
  })

  test('of everybody is not kept when it would be so anyway', async () => {
    await stored.setForEverybody({ 'Abp.Identity.Password.RequiredLength': 8, [zone]: 'UTC' })
    expect(await rows()).toEqual([])
  })

  test('is kept as its setting writes it', async () => {
    await stored.setForEverybody({
      'Abp.Identity.Password.RequireDigit': 'false',
      'Abp.Identity.Password.RequiredUniqueChars': ' 3 ',
    })
    expect((await rows()).map(({ value }) => value)).toEqual(['False', '3'])
  })

  test.each([
    ['Abp.Identity.Password.RequireDigit', 'yes'],
    ['Abp.Identity.Password.RequiredLength', '1.5'],
    ['Abp.Identity.Password.RequiredLength', 'many'],
    [zone, 'Nowhere/Land'],
    ['Abp.Localization.DefaultLanguage', 'not a culture'],
  ])('of %s can not be %s', async (name, value) => {
    await expect(stored.setForEverybody({ [name]: value })).rejects.toMatchObject({
      validationErrors: [{ members: [name] }],
    })
    expect(await rows()).toEqual([])
  })

  test('that nobody declares is a mistake of the program', async () => {
    await expect(stored.setForEverybody({ 'Abp.Nothing': 'x' })).rejects.toThrow(
      'There is no setting Abp.Nothing',
    )
  })

  test('is not one that somebody wrote into the table by hand and that the setting can not have', async () => {
    await database().execute(sql`
      insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName")
      values (gen_random_uuid(), 'Abp.Identity.Password.RequiredLength', 'many', 'G')`)
    await expect.poll(() => app.host.get(Settings).valueOf('Abp.Identity.Password.RequiredLength')).toBe('8')
  })

  test('stands once for everybody: the database takes no second row', async () => {
    const insert = () =>
      database().execute(sql`
        insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName") values (gen_random_uuid(), ${zone}, 'UTC', 'G')`)
    await insert()
    await expect(insert()).rejects.toMatchObject({ code: '23505' })
  })

  test('is the last one when many set it at once', async () => {
    const zones = ['Europe/Berlin', 'Asia/Tokyo', 'America/Chicago', 'Europe/Paris']
    await Promise.all(zones.map((value) => stored.setForEverybody({ [zone]: value })))
    const [row] = await rows()
    expect(await app.host.get(Settings).valueOf(zone)).toBe(row?.value)
  })
})

describe('clients', () => {
  test('learn a change by a new entity tag', async () => {
    const tag = (await send(admin, 'GET', configuration)).headers.get('etag') as string
    const again = async () => (await admin.fetch(configuration, { headers: { 'if-none-match': tag } })).status
    expect(await again()).toBe(304)
    await send(admin, 'POST', `${timezone}?timezone=Europe/Berlin`)
    expect(await again()).toBe(200)
    expect((await valuesFor(admin))[zone]).toBe('Europe/Berlin')
  })

  test('see what a user set only as that user', async () => {
    const [anna, bert] = [await app.as({}), await app.as({})]
    await stored.setForUser(anna.userId, { [zone]: 'Asia/Tokyo' })
    const zones = await Promise.all([anna, bert, app.host].map(async (who) => (await valuesFor(who))[zone]))
    expect(zones).toEqual(['Asia/Tokyo', 'UTC', 'UTC'])
  })

  test('see nothing of encrypted settings', async () => {
    await stored.setForEverybody({ [externalProviderSetting('Google')]: '{}' })
    expect(Object.keys(await valuesFor(admin)).filter((name) => name.includes('External'))).toEqual([])
  })
})

describe('the time zone', () => {
  test('is plain text', async () => {
    const { status, headers, text } = await send(admin, 'GET', timezone)
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/plain; charset=utf-8', 'UTC'])
  })

  test('is quoted for who takes nothing but JSON', async () => {
    const response = await admin.fetch(timezone, { headers: { accept: 'application/json' } })
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'application/json; charset=utf-8',
      '"UTC"',
    ])
  })

  test('is plain text for ABP’s Angular UI', async () => {
    const headers = { accept: 'application/json, text/plain, */*' }
    expect(await (await admin.fetch(timezone, { headers })).text()).toBe('UTC')
  })

  test('is set for everybody, and taken back', async () => {
    const service = admin.service(TimeZoneSettingsAppService)
    await service.update('Europe/Berlin')
    const told = async () =>
      (await send(app.host, 'GET', configuration)).body.timing.timeZone.windows.timeZoneId
    await expectAtNextRequest(() => service.get(), 'Europe/Berlin')
    await expectAtNextRequest(told, 'W. Europe Standard Time')
    await service.update('Unspecified')
    await expectAtNextRequest(() => service.get(), 'UTC')
  })

  test('answers a change with nothing', async () => {
    const { status, text } = await send(admin, 'POST', `${timezone}?timezone=Asia%2FTokyo`)
    expect([status, text]).toEqual([204, ''])
  })

  test.each(['Nowhere/Land', '', 'x'.repeat(65)])('can not be "%s"', async (value) => {
    const answer = await send(admin, 'POST', `${timezone}?timezone=${value}`)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['timezone']])
  })

  test('is one of those that are offered, with their offsets', async () => {
    const zones = (await send(admin, 'GET', `${timezone}/timezones`)).body
    expect(zones.length).toBeGreaterThan(300)
    expect(zones[0]).toEqual({ name: 'UTC (UTC+00:00)', value: 'UTC' })
    expect(zones).toContainEqual({ name: 'Asia/Tokyo (UTC+09:00)', value: 'Asia/Tokyo' })
  })

  test('is nobody’s who lacks the permission', async () => {
    const others = await app.as({ roles: [SuperUser] })
    const statuses = await Promise.all([
      send(others, 'GET', timezone),
      send(others, 'POST', `${timezone}?timezone=UTC`),
      send(others, 'GET', `${timezone}/timezones`),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  test('is anybody’s who has the permission', async () => {
    const clerk = await app.as({ permissions: [SettingManagementPermissions.TimeZone] })
    expect((await send(clerk, 'GET', timezone)).status).toBe(200)
  })
})

describe('the e-mail settings', () => {
  const emailing = '/api/setting-management/emailing'
  const secret = 'the password of this test'
  const settings = {
    smtpHost: 'mail.example.com',
    smtpPort: 587,
    smtpUserName: 'mailer',
    smtpPassword: secret,
    smtpDomain: null,
    smtpEnableSsl: true,
    smtpUseDefaultCredentials: false,
    defaultFromAddress: 'noreply@example.com',
    defaultFromDisplayName: 'Example',
  }
  const passwordNow = () => app.host.get(Settings).valueOf('Abp.Mailing.Smtp.Password')

  test('are what they were set to, without the password', async () => {
    expect((await send(admin, 'POST', emailing, settings)).status).toBe(204)
    const { body, text } = await send(admin, 'GET', emailing)
    expect(body).toEqual({ ...settings, smtpPassword: '' })
    expect(text).not.toContain(secret)
    expect(await passwordNow()).toBe(secret)
  })

  test('have their password encrypted in the database, and that alone', async () => {
    await send(admin, 'POST', emailing, settings)
    const values = new Map((await rows()).map(({ name, value }) => [name, value]))
    expect(values.get('Abp.Mailing.Smtp.Password')).toMatch(/^gcm1\./)
    expect(values.get('Abp.Mailing.Smtp.Host')).toBe('mail.example.com')
    expect(JSON.stringify([...values])).not.toContain(secret)
  })

  test.each(['', null, undefined])('keep their password when it is sent as %j', async (smtpPassword) => {
    await send(admin, 'POST', emailing, settings)
    await send(admin, 'POST', emailing, { ...settings, smtpPassword, smtpPort: 25 })
    expect(await passwordNow()).toBe(secret)
  })

  test('lose their password with their user name', async () => {
    await send(admin, 'POST', emailing, settings)
    await send(admin, 'POST', emailing, { ...settings, smtpUserName: '', smtpPassword: '' })
    expect(await passwordNow()).toBeNull()
  })

  test('take a port as text too', async () => {
    await send(admin, 'POST', emailing, { ...settings, smtpPort: '2525' })
    expect((await send(admin, 'GET', emailing)).body.smtpPort).toBe(2525)
  })

  test.each([
    ['smtpPort', 0],
    ['smtpPort', 65536],
    ['smtpHost', 'x'.repeat(257)],
    ['defaultFromAddress', 'nobody'],
    ['defaultFromAddress', ''],
    ['defaultFromDisplayName', null],
    ['smtpDomain', 'x'.repeat(1025)],
  ])('take no %s like %j', async (member, value) => {
    const answer = await send(admin, 'POST', emailing, { ...settings, [member]: value })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  })

  test('are nothing that clients see', async () => {
    await send(admin, 'POST', emailing, settings)
    expect(Object.keys(await valuesFor(admin)).filter((name) => name.includes('Mailing'))).toEqual([])
  })

  test('are tried with a message', async () => {
    const { status } = await send(admin, 'POST', `${emailing}/send-test-email`, {
      senderEmailAddress: 'sender@example.com',
      targetEmailAddress: 'jane@example.com',
      subject: 'Does it work?',
      body: 'It does.',
    })
    const [file = ''] = await readdir(mailFolder)
    const message = await readFile(join(mailFolder, file), 'utf8')
    expect(status).toBe(204)
    expect(message).toContain('From: sender@example.com')
    expect(message).toContain('To: jane@example.com')
    expect(message).toContain('It does.')
  })

  test('are not tried with an address that is none', async () => {
    const input = { senderEmailAddress: 'a@b\r\nBcc: c@d', targetEmailAddress: 'x', subject: 's' }
    const answer = await send(admin, 'POST', `${emailing}/send-test-email`, input)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['senderEmailAddress']])
  })

  test('are nobody’s who lacks the permission, and tried by those who have one of their own', async () => {
    const clerk = await app.as({ permissions: [SettingManagementPermissions.Emailing] })
    const tester = await app.as({ permissions: [SettingManagementPermissions.EmailingTest] })
    const statuses = [clerk, tester].flatMap((who) => [
      send(who, 'GET', emailing),
      send(who, 'POST', emailing, {}),
      send(who, 'POST', `${emailing}/send-test-email`, {}),
    ])
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 400, 403, 403, 403, 400])
  })
})

describe('the identity settings', () => {
  const password = {
    requiredLength: 12,
    requiredUniqueChars: 4,
    requireNonAlphanumeric: false,
    requireLowercase: true,
    requireUppercase: false,
    requireDigit: true,
    forceUsersToPeriodicallyChangePassword: true,
    passwordChangePeriodDays: 90,
    enablePreventPasswordReuse: true,
    preventPasswordReuseCount: 10,
  }
  const lockout = { allowedForNewUsers: true, lockoutDuration: 60, maxFailedAccessAttempts: 3 }
  const signIn = {
    requireConfirmedEmail: true,
    enablePhoneNumberConfirmation: false,
    requireConfirmedPhoneNumber: false,
  }
  const user = { isUserNameUpdateEnabled: false, isEmailUpdateEnabled: false }

  test('are numbers and booleans', async () => {
    const { body } = await send(admin, 'GET', '/api/identity/settings')
    expect(body).toMatchObject({
      password: { requiredLength: 8, requireDigit: true },
      lockout: { lockoutDuration: 900 },
    })
  })

  test('are what they were set to, for clients too', async () => {
    const service = admin.service(IdentitySettingsAppService)
    await service.update({ password, lockout, signIn, user })
    await expectAtNextRequest(() => service.get(), { password, lockout, signIn, user })
    await expectValue('Abp.Identity.Password.RequiredLength', '12')
    await expectValue('Abp.Identity.Password.RequireUppercase', 'False')
  })

  test('of groups that are left out stay as they are', async () => {
    const service = admin.service(IdentitySettingsAppService)
    await service.update({ lockout })
    await service.update({ user })
    const both = async () => {
      const { lockout: kept, user: set } = await service.get()
      return { kept, set }
    }
    await expectAtNextRequest(both, { kept: lockout, set: user })
  })

  test('take no length that no password can have', async () => {
    const answer = await send(admin, 'PUT', '/api/identity/settings', {
      password: { ...password, requiredLength: 1, requiredUniqueChars: 129, requireDigit: 'perhaps' },
    })
    expect([answer.status, faultyMembers(answer)]).toEqual([
      400,
      ['password.requireDigit', 'password.requiredLength', 'password.requiredUniqueChars'],
    ])
  })

  test('say when clients sign out people who do nothing', async () => {
    const path = '/api/account-admin/settings/idle'
    const usual = { enabled: false, idleTimeoutMinutes: 60, countdownSeconds: 60 }
    expect((await send(admin, 'GET', path)).body).toEqual(usual)
    const soon = { enabled: true, idleTimeoutMinutes: 5, countdownSeconds: 30 }
    expect((await send(admin, 'PUT', path, soon)).status).toBe(204)
    await expectAtNextRequest(() => bodyOf(path), soon)
    await expectValue('Abp.Account.Idle.IdleTimeoutMinutes', '5')
    const answer = await send(admin, 'PUT', path, { ...soon, idleTimeoutMinutes: 0 })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['idleTimeoutMinutes']])
    const clerk = await app.as({ permissions: [AccountSettingPermissions.SettingManagement] })
    expect((await send(clerk, 'PUT', path, usual)).body.error.code).toBe('Keel:BeyondOwnRights')
  })

  test('are nobody’s who lacks the permission', async () => {
    const others = await app.as({ permissions: [SettingManagementPermissions.TimeZone] })
    const clerk = await app.as({ permissions: [IdentityPermissions.SettingManagement] })
    const answers = [others, clerk].map(
      async (who) => (await send(who, 'GET', '/api/identity/settings')).status,
    )
    expect(await Promise.all(answers)).toEqual([403, 200])
  })

  test('say what signing in does to the other sessions of a user', async () => {
    const path = '/api/identity/settings/session'
    expect((await send(admin, 'GET', path)).body).toEqual({ preventConcurrentLogin: 0 })
    expect((await send(admin, 'PUT', path, { preventConcurrentLogin: 2 })).status).toBe(204)
    await expectAtNextRequest(() => bodyOf(path), { preventConcurrentLogin: 2 })
    await expectValue('Abp.Identity.Session.PreventConcurrentLogin', 'LogoutFromAllDevices')
    const answer = await send(admin, 'PUT', path, { preventConcurrentLogin: 3 })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['preventConcurrentLogin']])
    const others = await app.as({ permissions: [SettingManagementPermissions.TimeZone] })
    expect((await send(others, 'GET', path)).status).toBe(403)
  })
})

describe('the account settings', () => {
  test('are what they were set to, for clients too', async () => {
    const service = admin.service(AccountSettingsAppService)
    const before = await service.get()
    await service.update({ ...before, enableLocalLogin: !before.enableLocalLogin })
    await expectAtNextRequest(() => service.get(), {
      ...before,
      enableLocalLogin: !before.enableLocalLogin,
    })
    const text = before.enableLocalLogin ? 'False' : 'True'
    await expectValue('Abp.Account.EnableLocalLogin', text)
  })

  test('keep what is left out, where ABP’s older pages leave it out', async () => {
    const path = '/api/account-admin/settings'
    const { body } = await send(admin, 'GET', path)
    await send(admin, 'PUT', path, { ...body, preventEmailEnumeration: false })
    const { preventEmailEnumeration: _, ...older } = body
    expect((await send(admin, 'PUT', path, older)).status).toBe(204)
    await expectAtNextRequest(async () => (await bodyOf(path)).preventEmailEnumeration, false)
  })

  test('say who signs in with a second factor, as a number here and as a text for clients', async () => {
    const path = '/api/account-admin/settings/two-factor'
    expect((await send(admin, 'GET', path)).body).toEqual({
      twoFactorBehaviour: 0,
      isRememberBrowserEnabled: true,
      usersCanChange: true,
    })
    const forced = { twoFactorBehaviour: 2, isRememberBrowserEnabled: false, usersCanChange: false }
    expect((await send(admin, 'PUT', path, forced)).status).toBe(204)
    await expectAtNextRequest(() => bodyOf(path), forced)
    await expectValue('Abp.Identity.TwoFactor.Behaviour', 'Forced')
    const answer = await send(admin, 'PUT', path, { ...forced, twoFactorBehaviour: 3 })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['twoFactorBehaviour']])
  })

  test('say whether people sign in with passkeys, and how many each may have', async () => {
    const path = '/api/account-admin/settings/passkey'
    const usual = { enabled: false, maximumPasskeysPerUser: 10 }
    expect((await send(admin, 'GET', path)).body).toEqual(usual)
    const few = { enabled: true, maximumPasskeysPerUser: 2 }
    expect((await send(admin, 'PUT', path, few)).status).toBe(204)
    await expectAtNextRequest(() => bodyOf(path), few)
    await expectValue('Abp.Account.Passkey.MaximumPasskeysPerUser', '2')
    const answer = await send(admin, 'PUT', path, { ...few, maximumPasskeysPerUser: 0 })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['maximumPasskeysPerUser']])
    const clerk = await app.as({ permissions: [AccountSettingPermissions.SettingManagement] })
    expect((await send(clerk, 'PUT', path, usual)).body.error.code).toBe('Keel:BeyondOwnRights')
  })

  test('are nobody’s who lacks the permission', async () => {
    const others = await app.as({ permissions: [IdentityPermissions.SettingManagement] })
    const clerk = await app.as({ permissions: [AccountSettingPermissions.SettingManagement] })
    const path = '/api/account-admin/settings'
    const answers = [others, clerk].flatMap((who) => [
      send(who, 'GET', path),
      send(who, 'GET', `${path}/external-provider`),
    ])
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403, 200, 200])
  })
})

describe('external providers', () => {
  const path = '/api/account-admin/settings/external-provider'
  const secret = 'GOCSPX-of-this-test'
  const google = {
    name: 'Google',
    enabled: true,
    properties: [{ name: 'ClientId', value: 'keel.apps.googleusercontent.com' }],
    secretProperties: [{ name: 'ClientSecret', value: secret }],
  }
  const contoso = {
    name: 'OpenIdConnect.contoso',
    enabled: true,
    properties: [
      { name: 'Authority', value: 'https://login.example.com/contoso' },
      { name: 'ClientId', value: 'keel' },
      { name: 'DisplayName', value: 'Contoso' },
      { name: 'TrustedEmailDomains', value: 'contoso.com' },
    ],
    secretProperties: [{ name: 'ClientSecret', value: 'of contoso' }],
  }
  const put = (...externalProviders: unknown[]) => send(admin, 'PUT', path, { externalProviders })

  test('are offered before anything was set', async () => {
    const { body } = await send(admin, 'GET', path)
    expect(body.externalProviders).toEqual(
      ['Google', 'Microsoft', 'GitHub'].map((name) => ({
        name,
        enabled: false,
        properties: (name === 'Google' ? ['ClientId'] : ['ClientId', 'Authority']).map((property) => ({
          name: property,
          value: '',
        })),
        secretProperties: [{ name: 'ClientSecret', value: '' }],
      })),
    )
  })

  test('are kept, and answered without their secrets', async () => {
    expect((await put(google, contoso)).status).toBe(204)
    const { body, text } = await send(admin, 'GET', path)
    const [first, , , last] = body.externalProviders
    expect([first, last]).toEqual([
      { ...google, secretProperties: [{ name: 'ClientSecret', value: '' }] },
      { ...contoso, secretProperties: [{ name: 'ClientSecret', value: '' }] },
    ])
    expect(text).not.toContain(secret)
  })

  test('lie in the database encrypted, each in a row of its own', async () => {
    await put(google, contoso)
    const kept = await rows()
    expect(kept.map(({ name }) => name)).toEqual([
      'Abp.Account.ExternalProviders.Google',
      'Abp.Account.ExternalProviders.OpenIdConnect.contoso',
    ])
    for (const { value } of kept) expect(value).toMatch(/^gcm1\.[0-9a-f]{8}\.[\w-]+$/)
    expect(JSON.stringify(kept)).not.toContain('ClientId')
  })

  test('are known to the program with their secrets', async () => {
    await put(google)
    expect(await app.host.get(ExternalProviders).all()).toEqual([
      {
        name: 'Google',
        enabled: true,
        properties: { ClientId: 'keel.apps.googleusercontent.com' },
        secretProperties: { ClientSecret: secret },
      },
    ])
  })

  test('keep their secret when an empty one is sent', async () => {
    await put(google)
    const { body } = await send(admin, 'GET', path)
    expect((await send(admin, 'PUT', path, body)).status).toBe(204)
    const [kept] = await app.host.get(ExternalProviders).all()
    expect(kept?.secretProperties).toEqual({ ClientSecret: secret })
  })

  test('are forgotten when they are left out', async () => {
    await put(google, contoso)
    await put(google)
    const known = await app.host.get(ExternalProviders).all()
    expect(known.map(({ name }) => name)).toEqual(['Google'])
  })

  test.each([
    ['one that nobody knows', [{ ...google, name: 'Myspace' }], ['externalProviders[0].name']],
    ['a directory without a name', [{ ...contoso, name: 'OpenIdConnect.' }], ['externalProviders[0].name']],
    ['the same twice', [google, google], ['externalProviders[1].name']],
    ['one that is enabled without a client', [{ ...google, properties: [] }], ['externalProviders[0]']],
    [
      'an unknown property',
      [{ ...google, properties: [...google.properties, { name: 'Colour', value: 'red' }] }],
      ['externalProviders[0]'],
    ],
    [
      'a directory without encryption on the way',
      [
        {
          ...contoso,
          properties: [
            { name: 'Authority', value: 'http://login.example.com' },
            { name: 'ClientId', value: 'keel' },
          ],
        },
      ],
      ['externalProviders[0]'],
    ],
  ])('are not %s', async (_what, providers, members) => {
    const answer = await put(...providers)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, members])
    expect(await rows()).toEqual([])
  })
})

describe('another host on the same databases', () => {
  async function startAnother(settings: Record<string, string>, environment = 'Development') {
    const other = createApplication(
      ApiHost,
      new Configuration(environment).add(
        {
          PORT: '0',
          'App:SelfUrl': 'http://localhost:4000',
          'AuthServer:Authority': app.host.issuer.address,
          'AuthServer:RequireHttpsMetadata': 'false',
          'Database:MaxPoolSize': '4',
          'Log:Level': 'fatal',
          ...Object.fromEntries(
            ['Default', 'Hub', 'Pricing'].map((name) => [
              `ConnectionStrings:${name}`,
              app.host.databaseUrl(name),
            ]),
          ),
          ...settings,
        },
        'test',
      ),
    )
    return other.start()
  }

  const callerAt = (other: Application): Sender => {
    const { address } = other.get(HttpHost)
    return { fetch: (path, init) => fetch(address + path, init) }
  }

  test('counts a change within a second', async () => {
    const other = await startAnother({})
    try {
      const zoneThere = async () => (await valuesFor(callerAt(other)))[zone]
      expect(await zoneThere()).toBe('UTC')
      await send(admin, 'POST', `${timezone}?timezone=Europe/Paris`)
      await expect.poll(zoneThere, { timeout: 1000, interval: 10 }).toBe('Europe/Paris')
    } finally {
      await other.stop()
    }
  })

  test('reads what an earlier pass phrase encrypted, and encrypts with its own', async () => {
    const name = externalProviderSetting('GitHub')
    const first = await startAnother({ 'StringEncryption:DefaultPassPhrase': 'the first pass phrase' })
    await first.get(StoredSettings).setForEverybody({ [name]: 'hidden' })
    await first.stop()
    const [old] = await rows()
    const second = await startAnother({
      'StringEncryption:DefaultPassPhrase': 'the second pass phrase',
      'StringEncryption:PreviousPassPhrases:0': 'the first pass phrase',
    })
    try {
      expect(await second.get(Settings).valueOf(name)).toBe('hidden')
      await second.get(StoredSettings).setForEverybody({ [name]: 'hidden again' })
      const [renewed] = await rows()
      expect(renewed?.value.split('.')[1]).not.toBe(old?.value.split('.')[1])
      // This host knows neither phrase: to it the setting has no value.
      await expect.poll(() => app.host.get(Settings).valueOf(name)).toBeNull()
    } finally {
      await second.stop()
    }
  })

  test('a host outside Development does not start with the pass phrase of Development', async () => {
    const settings = {
      'AuthServer:RequireHttpsMetadata': 'false',
      'StringEncryption:DefaultPassPhrase': 'Keel Development: everybody knows this pass phrase',
    }
    await expect(startAnother(settings, 'Staging')).rejects.toThrow(
      'is that of Development, which is published',
    )
  })

  test('stores no secret outside Development without a pass phrase, and everything else', async () => {
    const other = await startAnother(
      { 'AuthServer:RequireHttpsMetadata': 'false', 'App:SelfUrl': 'https://api.example.com' },
      'Production',
    )
    try {
      const there = other.get(StoredSettings)
      await expect(
        there.setForEverybody({ [externalProviderSetting('Google')]: '{}' }),
      ).rejects.toMatchObject({
        code: 'SettingManagement:PassPhraseMissing',
      })
      await there.setForEverybody({ [zone]: 'Europe/Rome' })
      expect((await rows()).map(({ value }) => value)).toEqual(['Europe/Rome'])
    } finally {
      await other.stop()
    }
  })
})

describe('while the feature is off', () => {
  test('the setting pages are refused with ABP’s code', async () => {
    const other = await startApp(undefined, {
      'Features:SettingManagement.Enable': 'false',
      'App:SendExceptionDetails': 'false',
    })
    try {
      const clerk = await other.as({ permissions: [SettingManagementPermissions.TimeZone] })
      const { status, body } = await send(clerk, 'GET', timezone)
      expect([status, body.error]).toEqual([
        403,
        {
          code: 'Volo.Feature:010001',
          message: 'The feature SettingManagement.Enable is switched off.',
          details: null,
          data: { FeatureName: 'SettingManagement.Enable' },
          validationErrors: null,
        },
      ])
    } finally {
      await other.close()
    }
  })
})

test('a fault of a contract’s caller is the same class in process and over HTTP', async () => {
  const service = admin.service(TimeZoneSettingsAppService)
  await expect(service.update('Nowhere/Land')).rejects.toBeInstanceOf(ValidationError)
})
