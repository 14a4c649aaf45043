import { apiKeyManagementPolicy } from '@keel/api-keys/contracts'
import { KeelModule, Module, Provides, SettingSource } from '@keel/framework'
import {
  AbpApplicationConfigurationAppService,
  AbpTenantAppService,
  ValidationError,
} from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { AbpModule, HttpModule } from '@keel/framework/http'
import { SecurityModule } from '@keel/framework/security'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { CustomerAdmin, DefaultCustomer, InternalAdmin } from '@keel/identity/contracts'
import { PermissionGrants, PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { type Answer, type Sender, send } from '../support/wire.js'

/** Values that were set while the host runs, as setting management gives them. */
@Provides(SettingSource)
class SetValues extends SettingSource {
  version: number | undefined = 1
  private readonly values = new Map<string, Map<string, string>>()

  /** Sets the language for everybody, or for a user. */
  setLanguage(language: string, userId = ''): void {
    this.values.set(userId, new Map([['Abp.Localization.DefaultLanguage', language]]))
    if (this.version !== undefined) this.version += 1
  }

  global(): Map<string, string> {
    return this.ofUser('')
  }

  ofUser(userId: string): Map<string, string> {
    return this.values.get(userId) ?? new Map()
  }
}

@Module({
  dependsOn: [HttpModule, AbpModule, SecurityModule, IdentityModule, PermissionManagementModule],
  services: [SetValues],
})
class HostWithSetValues extends KeelModule {}

const path = '/api/abp/application-configuration'
const withoutTexts = `${path}?includeLocalizationResources=false`
const maxBytes = 32 * 1024

let app: App
/** A host whose configuration says more, and whose settings can be set. */
let configured: App

beforeAll(async () => {
  ;[app, configured] = await Promise.all([
    startApp(),
    startApp(HostWithSetValues, {
      'Settings:Abp.Timing.TimeZone': 'Europe/Berlin',
      'Settings:Abp.Identity.Password.RequiredLength': '12',
      'Features:SettingManagement.Enable': 'False',
      'App:Version': '3.2.1',
      'App:BuildDate': '2026-11-20 08:00:00',
      'App:WhiteLabeling:AppName': 'Harbour',
    }),
  ])
})
afterAll(() => Promise.all([app?.close(), configured?.close()]))

const ask = (sender: Sender): Promise<Answer> => send(sender, 'GET', withoutTexts)

/** Expects something within a second: changes are told by PostgreSQL and heard a moment later. */
const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 1000, interval: 10 })

const grantTo = ({ userId }: AppCaller, permission: string): Promise<number> =>
  app.host.get(PermissionGrants).grant([{ providerName: 'U', providerKey: userId, permission }])

/** Asks with further headers. */
async function askWith(headers: Record<string, string>, sender: Sender = app.host): Promise<Response> {
  const response = await sender.fetch(withoutTexts, { headers })
  await response.clone().arrayBuffer()
  return response
}

describe('a stranger', () => {
  test('learns all that ABP’s clients start with', async () => {
    const { status, body } = await ask(app.host)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        localization: {
          values: {},
          resources: {},
          languages: expect.arrayContaining([
            {
              cultureName: 'en',
              uiCultureName: 'en',
              displayName: 'English',
              twoLetterISOLanguageName: 'en',
              flagIcon: null,
            },
          ]),
          currentCulture: {
            displayName: 'English',
            englishName: 'English',
            threeLetterIsoLanguageName: 'eng',
            twoLetterIsoLanguageName: 'en',
            isRightToLeft: false,
            cultureName: 'en',
            name: 'en',
            nativeName: 'English',
            dateTimeFormat: {
              calendarAlgorithmType: 'SolarCalendar',
              dateTimeFormatLong: 'dddd, MMMM d, yyyy',
              shortDatePattern: 'M/d/yyyy',
              fullDateTimePattern: 'dddd, MMMM d, yyyy h:mm:ss tt',
              dateSeparator: '/',
              shortTimePattern: 'h:mm tt',
              longTimePattern: 'h:mm:ss tt',
            },
          },
          defaultResourceName: expect.stringMatching(/./),
          languagesMap: {},
          languageFilesMap: {},
          useRouteBasedCulture: false,
        },
        auth: { grantedPolicies: {} },
        setting: {
          values: expect.objectContaining({
            'Abp.Localization.DefaultLanguage': 'en',
            'Abp.Timing.TimeZone': 'UTC',
            'Abp.Identity.Password.RequiredLength': '6',
            'Abp.Identity.Password.RequiredUniqueChars': '1',
            'Abp.Identity.Password.RequireNonAlphanumeric': 'True',
            'Abp.Identity.Password.RequireLowercase': 'True',
            'Abp.Identity.Password.RequireUppercase': 'True',
            'Abp.Identity.Password.RequireDigit': 'True',
            'Abp.Account.IsSelfRegistrationEnabled': 'False',
            'Abp.Account.EnableLocalLogin': 'True',
          }),
        },
        currentUser: {
          isAuthenticated: false,
          id: null,
          tenantId: null,
          impersonatorUserId: null,
          impersonatorTenantId: null,
          impersonatorUserName: null,
          impersonatorTenantName: null,
          userName: null,
          name: null,
          surName: null,
          email: null,
          emailVerified: false,
          phoneNumber: null,
          phoneNumberVerified: false,
          roles: [],
          sessionId: null,
        },
        features: {
          values: expect.objectContaining({
            'SettingManagement.Enable': 'true',
            'SettingManagement.AllowChangingEmailSettings': 'false',
          }),
        },
        globalFeatures: { enabledFeatures: [] },
        multiTenancy: { isEnabled: false, userSharingStrategy: 0 },
        currentTenant: { id: null, name: null, isAvailable: false },
        timing: { timeZone: { iana: { timeZoneName: 'UTC' }, windows: { timeZoneId: 'UTC' } } },
        clock: { kind: 'Utc' },
        objectExtensions: { modules: {}, enums: {} },
        extraProperties: {
          AppVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
          BuildDate: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
          Environment: 'Development',
          WhiteLabeling: null,
        },
      },
    })
  })

  test('gets no cookie: tokens need no protection against forgery', async () => {
    expect((await ask(app.host)).headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['an expired token', () => app.host.issuer.token({ subject: crypto.randomUUID(), expiresIn: -60 })],
    ['a token of another issuer', () => app.host.issuer.token({ subject: crypto.randomUUID(), issuer: 'x' })],
    ['the token of a user who is gone', () => app.host.issuer.token({ subject: crypto.randomUUID() })],
    ['no token at all', async () => 'nonsense'],
  ])('is who comes with %s, and is answered', async (_what, token) => {
    const response = await askWith({ authorization: `Bearer ${await token()}` })
    const body = (await response.json()) as { currentUser: { isAuthenticated: boolean } }
    expect([response.status, body.currentUser.isAuthenticated]).toEqual([200, false])
  })
})

describe('a signed-in user', () => {
  let user: AppCaller
  beforeAll(async () => {
    user = await app.as({ roles: [CustomerAdmin], permissions: [PortPermissions.Delete] })
  })

  test('sees who they are', async () => {
    const { currentUser } = (await ask(user)).body
    const { id, isAuthenticated, roles, email, userName } = currentUser
    expect({ id, isAuthenticated, roles }).toEqual({
      id: user.userId,
      isAuthenticated: true,
      roles: [CustomerAdmin.name],
    })
    expect(email).toBe(`${userName}@example.com`)
  })

  test('sees name, telephone and what of it is confirmed as they are now', async () => {
    const somebody = await app.as({})
    await ask(somebody)
    await app.host
      .get(Databases)
      .named('Default')
      .execute(sql`
        update "AbpUsers" set "Name" = 'Ada', "Surname" = 'Lovelace', "PhoneNumber" = '+49 40 1', "EmailConfirmed" = true,
          "PhoneNumberConfirmed" = true
        where "Id" = ${somebody.userId}`)
    await soon(async () => (await ask(somebody)).body.currentUser).toMatchObject({
      name: 'Ada',
      surName: 'Lovelace',
      phoneNumber: '+49 40 1',
      emailVerified: true,
      phoneNumberVerified: true,
    })
  })

  test('holds the permissions of their role, of its parents, and their own', async () => {
    const { grantedPolicies } = (await ask(user)).body.auth
    const inherited = [...app.permissions.values()].filter(({ grantedTo }) =>
      grantedTo.some((role) => role === CustomerAdmin || role === DefaultCustomer),
    )
    const expected = [...inherited.map(({ name }) => name), PortPermissions.Delete, apiKeyManagementPolicy]
    expect(Object.keys(grantedPolicies).sort()).toEqual([...new Set(expected)].sort())
    expect(new Set(Object.values(grantedPolicies))).toEqual(new Set([true]))
  })

  test('holds a permission as soon as the host hears that it was granted', async () => {
    const somebody = await app.as({})
    const policies = async () => (await ask(somebody)).body.auth.grantedPolicies
    const ofEverybody = { [apiKeyManagementPolicy]: true }
    expect(await policies()).toEqual(ofEverybody)
    await grantTo(somebody, ShipmentPermissions.View)
    await soon(policies).toEqual({ ...ofEverybody, [ShipmentPermissions.View]: true })
  })

  test('is not who another one is', async () => {
    const other = await app.as({ roles: [InternalAdmin] })
    const [first, second] = await Promise.all([ask(user), ask(other)])
    expect([first.body.currentUser.id, second.body.currentUser.id]).toEqual([user.userId, other.userId])
    expect(first.headers.get('etag')).not.toBe(second.headers.get('etag'))
  })

  test('who holds everything is told so in less than 32 KB', async () => {
    const { body, text } = await ask(await app.admin())
    const ofUsers = [...app.permissions.values()].filter(({ providers }) => providers?.includes('U') ?? true)
    const policies = [...ofUsers.map(({ name }) => name), apiKeyManagementPolicy]
    expect(Object.keys(body.auth.grantedPolicies).sort()).toEqual(policies.sort())
    console.log(`application configuration of who holds everything: ${Buffer.byteLength(text)} bytes`)
    expect(Buffer.byteLength(text)).toBeLessThan(maxBytes)
  })

  test('calls through the contract', async () => {
    const service = user.service(AbpApplicationConfigurationAppService)
    const { currentUser } = await service.get({ includeLocalizationResources: false })
    expect(currentUser.id).toBe(user.userId)
  })
})

describe('a client with a token of its own', () => {
  test('is no user, and holds what it was granted', async () => {
    await app.host
      .get(PermissionGrants)
      .grant([{ providerName: 'C', providerKey: 'importer', permission: ShipmentPermissions.Create }])
    const { body } = await ask(await app.host.as({ subject: 'importer', clientId: 'importer' }))
    expect([body.currentUser.isAuthenticated, body.auth.grantedPolicies]).toEqual([
      false,
      { [ShipmentPermissions.Create]: true },
    ])
  })
})

describe('an answer that was given before', () => {
  test('has a weak tag and is for its caller alone', async () => {
    const { headers } = await askWith({})
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^W\/"[\w-]{22}"$/),
      'private, no-cache',
    ])
    expect(headers.get('vary')).toMatch(/Authorization, Accept-Language/)
  })

  test.each([
    ['it', (tag: string) => tag],
    ['it among others', (tag: string) => `"a", ${tag}`],
    ['it as a strong tag', (tag: string) => tag.slice(2)],
    ['any', () => '*'],
  ])('is not sent again to whoever has %s', async (_what, condition) => {
    const tag = (await askWith({})).headers.get('etag') as string
    const again = await askWith({ 'if-none-match': condition(tag) })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
  })

  test('is sent anew once a permission changed', async () => {
    const somebody = await app.as({})
    const tag = (await ask(somebody)).headers.get('etag') as string
    const again = async () => (await askWith({ 'if-none-match': tag }, somebody)).status
    expect(await again()).toBe(304)
    await grantTo(somebody, PortPermissions.View)
    await soon(again).toBe(200)
  })
})

describe('the culture', () => {
  test.each(['en-US,en;q=0.9', 'en', 'qq', 'de-AT', 'zh-Hans'])(
    'of %s is one that is offered',
    async (wanted) => {
      const { localization } = (await (await askWith({ 'accept-language': wanted })).json()) as {
        localization: { currentCulture: { cultureName: string }; languages: { cultureName: string }[] }
      }
      const offered = localization.languages.map(({ cultureName }) => cultureName)
      expect(offered).toContain(localization.currentCulture.cultureName)
    },
  )
})

describe('texts', () => {
  test.each(['', '?includeLocalizationResources=true', '?IncludeLocalizationResources=True'])(
    'come with the configuration asked for as "%s"',
    async (query) => {
      const { localization } = (await send(app.host, 'GET', path + query)).body
      expect(Object.keys(localization.values).length).toBeGreaterThan(2)
      expect(Object.keys(localization.resources)).toEqual(Object.keys(localization.values))
    },
  )

  test('of a resource are complete, and its bases are resources too', async () => {
    const { status, body } = await send(
      app.host,
      'GET',
      '/api/abp/application-localization?cultureName=en&onlyDynamics=false',
    )
    const resources = body.resources as Record<string, { texts: object; baseResources: string[] }>
    const bases = Object.values(resources).flatMap(({ baseResources }) => baseResources)
    expect([status, bases.filter((name) => !resources[name])]).toEqual([200, []])
    expect(resources.Hub?.texts).toHaveProperty(['Hub:Shipment:ReferenceAlreadyExists'])
    expect(body.currentCulture.cultureName).toBe('en')
  })

  test('of a culture come with the culture', async () => {
    const { body } = await send(app.host, 'GET', '/api/abp/application-localization?cultureName=de-AT')
    expect([
      body.currentCulture.cultureName,
      body.currentCulture.dateTimeFormat.shortDatePattern,
      body.currentCulture.dateTimeFormat.shortTimePattern,
    ]).toEqual(['de-AT', 'dd.MM.yyyy', 'HH:mm'])
  })

  test('that do not come with the program there are none', async () => {
    const { body } = await send(
      app.host,
      'GET',
      '/api/abp/application-localization?cultureName=en&onlyDynamics=true',
    )
    const resources = Object.values(body.resources as Record<string, { texts: object }>)
    expect(new Set(resources.map(({ texts }) => Object.keys(texts).length))).toEqual(new Set([0]))
  })

  test('are not sent again to whoever has them', async () => {
    const url = '/api/abp/application-localization?cultureName=en'
    const tag = (await send(app.host, 'GET', url)).headers.get('etag') as string
    const again = await app.host.fetch(url, { headers: { 'if-none-match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['qq', 400],
    ['..%2Fen', 400],
    ['not%20a%20culture', 400],
    ['x'.repeat(36), 400],
    ['', 400],
  ])('of the unknown culture %s are refused', async (culture, status) => {
    const answer = await send(app.host, 'GET', `/api/abp/application-localization?cultureName=${culture}`)
    expect([answer.status, answer.body.error.validationErrors[0].members]).toEqual([status, ['cultureName']])
  })
})

describe('the configuration of the host', () => {
  test('gives settings, features and the time zone by both names', async () => {
    const { setting, features, timing } = (await ask(configured.host)).body
    expect([
      setting.values['Abp.Identity.Password.RequiredLength'],
      features.values['SettingManagement.Enable'],
      timing.timeZone,
    ]).toEqual([
      '12',
      'false',
      {
        iana: { timeZoneName: 'Europe/Berlin' },
        windows: { timeZoneId: 'W. Europe Standard Time' },
      },
    ])
  })

  test('says what the host is', async () => {
    expect((await ask(configured.host)).body.extraProperties).toEqual({
      AppVersion: '3.2.1',
      BuildDate: '2026-11-20 08:00:00',
      Environment: 'Development',
      WhiteLabeling: { AppName: 'Harbour' },
    })
  })
})

describe('a setting', () => {
  const languageFor = async (sender: Sender): Promise<string> =>
    (await ask(sender)).body.setting.values['Abp.Localization.DefaultLanguage']

  testOfOneProcess('is at the next call what was set for everybody, or by the user themselves', async () => {
    const [anna, bert] = [await configured.as({}), await configured.as({})]
    const senders = [configured.host, anna, bert]
    await Promise.all(senders.map(languageFor))
    const values = configured.host.get(SetValues)
    values.setLanguage('ja')
    values.setLanguage('en-GB', anna.userId)
    expect(await Promise.all(senders.map(languageFor))).toEqual(['ja', 'en-GB', 'ja'])
  })

  testOfOneProcess('is read at every call while changes are not heard', async () => {
    const values = configured.host.get(SetValues)
    values.version = undefined
    values.setLanguage('ko')
    const before = await languageFor(configured.host)
    values.setLanguage('ms')
    expect([before, await languageFor(configured.host)]).toEqual(['ko', 'ms'])
  })
})

describe('a tenant', () => {
  const nobody = { success: false, tenantId: null, name: null, normalizedName: null, isActive: false }

  test.each([
    'by-name/acme',
    'by-name/Acme%20%26%20S%C3%B6hne',
    'by-id/00000000-0000-4000-8000-000000000001',
  ])('is not found at %s, which is no error', async (place) => {
    const { status, body } = await send(app.host, 'GET', `/api/abp/multi-tenancy/tenants/${place}`)
    expect({ status, body }).toEqual({ status: 200, body: nobody })
  })

  test('is looked for by an id that is one', async () => {
    const { status } = await send(app.host, 'GET', '/api/abp/multi-tenancy/tenants/by-id/acme')
    expect(status).toBe(400)
  })

  test('is looked for through the contract', async () => {
    const tenants = (await app.as({})).service(AbpTenantAppService)
    expect(await tenants.findTenantByName('acme')).toEqual(nobody)
    await expect(tenants.findTenantById('acme')).rejects.toBeInstanceOf(ValidationError)
  })
})

testOfOneProcess('answers to callers who asked before ask the databases nothing', async () => {
  const user = await app.as({ roles: [InternalAdmin] })
  await ask(user)
  const statements: string[] = []
  const hear = (text: string): void => {
    // Jobs and events look for work at all times.
    if (!/"Abp(BackgroundJobs|EventInbox|EventOutbox)"|^\s*(start transaction|commit|copy)/i.test(text))
      statements.push(text)
  }
  for (const database of app.host.get(Databases).all)
    database.observe({
      around: (text, run) => {
        hear(text)
        return run()
      },
      took: hear,
    })
  const took: number[] = []
  const caller = async (): Promise<void> => {
    for (let count = 0; count < 100; count++) {
      const before = performance.now()
      expect((await ask(user)).status).toBe(200)
      took.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  took.sort((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((part) => took[Math.floor(took.length * part)])
  console.info(
    `application configuration, 8 callers: p50 ${p50?.toFixed(1)} ms, p95 ${p95?.toFixed(1)} ms, ${statements.length} statements`,
  )
  // What caches read again when their time is over.
  expect(statements.length, statements.join('\n')).toBeLessThan(20)
})
