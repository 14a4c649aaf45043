import { ApiHost } from '@keel/api-host'
import { FeatureAppService, hostFeatures, StoredFeatures } from '@keel/feature-management/contracts'
import { AutoApiController, Features, KeelModule, Module, RequiresFeature } from '@keel/framework'
import { AppService, defineFeature, op, remoteService, z } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { AllowAnonymous } from '@keel/framework/security'
import { InternalAdmin, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { faultyMembers, type Sender, send } from '../support/wire.js'

const Reports = defineFeature('Shop.Reports', { default: true, displayName: 'Reports' })
const Seats = defineFeature('Shop.Seats', { default: 5, range: [1, 99], parent: 'Shop.Reports' })
const Colour = defineFeature('Shop.Colour', {
  default: 'red',
  choices: [
    { value: 'red', displayText: 'Save' },
    { value: 'blue', displayText: 'Cancel' },
  ],
})
const Motto = defineFeature('Shop.Motto', { default: '', isVisibleToClients: false })

abstract class ReportAppService extends AppService(remoteService('Shop', 'shop'), 'ReportAppService', {
  get: op().returns(z.string()),
  getFree: op().returns(z.string()),
}) {}

@AutoApiController(ReportAppService)
@AllowAnonymous()
class ReportService implements ReportAppService {
  @RequiresFeature(Reports.name)
  async get(): Promise<string> {
    return 'a report'
  }
  async getFree(): Promise<string> {
    return 'a free report'
  }
}

@Module({ dependsOn: [ApiHost], features: [Reports, Seats, Colour, Motto], services: [ReportService] })
class ShopHost extends KeelModule {}

const route = '/api/feature-management/features'
const ofHost = `${route}?providerName=T`

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(ShopHost, { 'Features:Shop.Motto': 'configured', 'App:SendExceptionDetails': 'false' })
  admin = await app.as({ roles: [InternalAdmin] })
})
afterAll(() => app?.close())
beforeEach(() => app.host.get(StoredFeatures).clear(hostFeatures))

interface Shown {
  readonly name: string
  readonly value: string
  readonly provider: { readonly name: string; readonly key: string | null }
}

async function shown(): Promise<Map<string, Shown>> {
  const { body } = await send(admin, 'GET', ofHost)
  const groups = body.groups as { features: Shown[] }[]
  return new Map(groups.flatMap(({ features }) => features.map((one) => [one.name, one] as const)))
}

const put = (values: Record<string, string | null>, sender: Sender = admin) =>
  send(sender, 'PUT', ofHost, {
    features: Object.entries(values).map(([name, value]) => ({ name, value })),
  })

const rows = () =>
  app.host
    .get(Databases)
    .named('Default')
    .query<{ name: string; value: string; key: string | null }>(sql`
    select "Name" as name, "Value" as value, "ProviderKey" as key from "AbpFeatureValues" order by 1`)

describe('the features of the system', () => {
  test('are shown by group, with what ABP’s dialog reads', async () => {
    const { body } = await send(admin, 'GET', ofHost)
    const names = body.groups.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['SettingManagement', 'Shop']))
    expect(body.groups[names.indexOf('SettingManagement')]).toEqual({
      name: 'SettingManagement',
      displayName: 'Settings',
      features: [
        {
          name: 'SettingManagement.Enable',
          displayName: 'Setting pages',
          value: 'true',
          provider: { name: 'D', key: null },
          description: expect.stringMatching(/./),
          valueType: {
            name: 'ToggleStringValueType',
            properties: {},
            validator: { name: 'BOOLEAN', properties: {} },
            itemSource: null,
          },
          depth: 0,
          parentName: null,
        },
        expect.objectContaining({
          name: 'SettingManagement.AllowChangingEmailSettings',
          value: 'false',
          depth: 1,
          parentName: 'SettingManagement.Enable',
        }),
      ],
    })
  })

  test('have numbers with their range and selections with their texts', async () => {
    const features = await shown()
    expect([features.get(Seats.name), features.get(Colour.name)]).toMatchObject([
      {
        value: '5',
        valueType: {
          name: 'FreeTextStringValueType',
          validator: { name: 'NUMERIC', properties: { MinValue: 1, MaxValue: 99 } },
        },
      },
      {
        value: 'red',
        valueType: {
          name: 'SelectionStringValueType',
          itemSource: {
            items: [
              { value: 'red', displayText: { resourceName: expect.stringMatching(/^\w+$/), name: 'Save' } },
              {
                value: 'blue',
                displayText: { resourceName: expect.stringMatching(/^\w+$/), name: 'Cancel' },
              },
            ],
          },
        },
      },
    ])
  })

  test('are told in the caller’s language', async () => {
    const response = await admin.fetch(ofHost, { headers: { 'accept-language': 'de' } })
    const { groups } = (await response.json()) as { groups: { displayName: string }[] }
    expect(groups.map(({ displayName }) => displayName)).toContain('Einstellungen')
  })

  test('say who gives them their value', async () => {
    await put({ [Seats.name]: '7' })
    const features = await shown()
    expect([Seats, Motto, Colour].map(({ name }) => features.get(name)?.provider)).toEqual([
      { name: 'T', key: null },
      { name: 'C', key: null },
      { name: 'D', key: null },
    ])
  })

  test('are what they were set to', async () => {
    expect((await put({ [Reports.name]: 'False', [Seats.name]: '7', [Colour.name]: 'blue' })).status).toBe(
      204,
    )
    const features = app.host.get(Features)
    const values = [Reports, Seats, Colour].map(({ name }) => features.valueOf(name))
    expect(await Promise.all(values)).toEqual(['false', '7', 'blue'])
  })

  test('win over the configuration', async () => {
    await put({ [Motto.name]: 'set' })
    expect(await app.host.get(Features).valueOf(Motto.name)).toBe('set')
    await put({ [Motto.name]: null })
    expect(await app.host.get(Features).valueOf(Motto.name)).toBe('configured')
  })

  test('are not kept when they are so anyway', async () => {
    await put({ [Seats.name]: '7' })
    await put({ [Seats.name]: '5', [Reports.name]: 'true', [Motto.name]: 'configured' })
    expect(await rows()).toEqual([])
  })

  test('are all taken back at once', async () => {
    await put({ [Reports.name]: 'false', [Seats.name]: '7' })
    expect((await send(admin, 'DELETE', ofHost)).status).toBe(204)
    const features = await shown()
    expect([features.get(Reports.name)?.value, features.get(Seats.name)?.value]).toEqual(['true', '5'])
  })

  test.each([
    [Reports.name, 'perhaps'],
    [Seats.name, '100'],
    [Seats.name, '1.5'],
    [Colour.name, 'green'],
  ])('%s can not be %s', async (name, value) => {
    const { status, body } = await put({ [name]: value })
    expect([status, body.error.code, body.error.message]).toEqual([
      403,
      'Volo.Abp.FeatureManagement:InvalidFeatureValue',
      `${value} is no value of the feature ${name}.`,
    ])
    expect(await rows()).toEqual([])
  })

  test('are those that a module declares', async () => {
    const answer = await put({ [Reports.name]: 'false', 'Shop.Nothing': 'true' })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['features[1].name']])
  })

  test('are nobody’s who lacks the permission', async () => {
    const others = await app.as({ roles: [SuperUser] })
    const answers = await Promise.all([
      send(others, 'GET', ofHost),
      put({ [Seats.name]: '7' }, others),
      send(others, 'DELETE', ofHost),
    ])
    expect(answers.map(({ status, body }) => [status, body.error.data])).toEqual(
      Array(3).fill([403, { PolicyName: 'FeatureManagement.ManageHostFeatures' }]),
    )
  })

  test('are no stranger’s', async () => {
    expect((await send(app.host, 'GET', ofHost)).status).toBe(401)
  })

  test.each(['D', 'C', 'E', 'U', ''])('can not be asked for under the provider "%s"', async (provider) => {
    const answer = await send(admin, 'GET', `${route}?providerName=${provider}`)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['providerName']])
  })

  test('are set through the contract', async () => {
    const service = admin.service(FeatureAppService)
    await service.update('T', null, { features: [{ name: Seats.name, value: '8' }] })
    const { groups } = await service.get('T', undefined)
    const seats = groups.flatMap(({ features }) => features).find(({ name }) => name === Seats.name)
    expect(seats?.value).toBe('8')
    await service.delete('T', undefined)
    expect(await rows()).toEqual([])
  })

  test('stand once: the database takes no second row', async () => {
    const database = app.host.get(Databases).named('Default')
    const insert = () =>
      database.execute(sql`
        insert into "AbpFeatureValues" ("Id", "Name", "Value", "ProviderName") values (gen_random_uuid(), 'X', 'y', 'T')`)
    await insert()
    await expect(insert()).rejects.toMatchObject({ code: '23505' })
  })
})

describe('clients', () => {
  const configuration = '/api/abp/application-configuration?includeLocalizationResources=false'

  test('see visible features as texts, toggles as "true" and "false"', async () => {
    await put({ [Reports.name]: 'False' })
    const { values } = (await send(app.host, 'GET', configuration)).body.features
    expect(values).toMatchObject({
      'SettingManagement.Enable': 'true',
      'Shop.Reports': 'false',
      'Shop.Seats': '5',
    })
    expect(values).not.toHaveProperty([Motto.name])
  })

  test('learn a change by a new entity tag', async () => {
    const tag = (await send(admin, 'GET', configuration)).headers.get('etag') as string
    const again = async () => (await admin.fetch(configuration, { headers: { 'if-none-match': tag } })).status
    expect(await again()).toBe(304)
    await put({ [Seats.name]: '9' })
    await expectAtNextRequest(again, 200)
  })
})

describe('an operation that requires a feature', () => {
  test('is answered while it is on', async () => {
    expect((await send(app.host, 'GET', '/api/shop/report')).text).toBe('a report')
  })

  test('is refused with ABP’s code while it is off, and its neighbours are not', async () => {
    await put({ [Reports.name]: 'false' })
    const { status, body } = await send(app.host, 'GET', '/api/shop/report')
    expect([status, body.error.code, body.error.data]).toEqual([
      403,
      'Volo.Feature:010001',
      { FeatureName: 'Shop.Reports' },
    ])
    expect((await send(app.host, 'GET', '/api/shop/report/free')).status).toBe(200)
  })

  test('is refused in this process too', async () => {
    await put({ [Reports.name]: 'false' })
    await expect(app.host.get(ReportAppService).get()).rejects.toMatchObject({ code: 'Volo.Feature:010001' })
  })

  test('stops the start when nobody declares the feature', async () => {
    @AutoApiController(ReportAppService)
    @AllowAnonymous()
    @RequiresFeature('Shop.Gone')
    class GoneService implements ReportAppService {
      async get(): Promise<string> {
        return ''
      }
      async getFree(): Promise<string> {
        return ''
      }
    }
    @Module({ dependsOn: [ApiHost], services: [GoneService] })
    class GoneHost extends KeelModule {}
    await expect(startApp(GoneHost)).rejects.toThrow('requires the feature Shop.Gone')
  })
})
