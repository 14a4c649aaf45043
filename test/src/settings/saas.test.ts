import { hostFeatures, StoredFeatures } from '@keel/feature-management/contracts'
import { ConcurrencyError } from '@keel/framework/contracts'
import { Databases, sequentialGuid, sql } from '@keel/framework/data'
import { InternalAdmin, SuperUser } from '@keel/identity/contracts'
import {
  EditionAppService,
  type EditionDto,
  SaasPermissions,
  SaasTenantAppService,
  TenantActivationState,
  TenantAppService,
  TenantManagementPermissions,
} from '@keel/saas/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { faultyMembers, send } from '../support/wire.js'

const nowhere = '00000000-0000-4000-8000-000000000001'
const editions = '/api/saas/editions'
const saasTenants = '/api/saas/tenants'
const tenants = '/api/multi-tenancy/tenants'
const acme = { name: 'Acme', adminEmailAddress: 'admin@acme.example', adminPassword: '1q2w3E*' }

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  admin = await app.as({ roles: [InternalAdmin] })
})
afterAll(() => app?.close())
beforeEach(async () => {
  await database().execute(sql`delete from "SaasTenantConnectionStrings"`)
  await database().execute(sql`delete from "SaasTenants"`)
  await database().execute(sql`delete from "SaasEditions"`)
})

const database = () => app.host.get(Databases).named('Default')

async function addEdition(displayName: string): Promise<EditionDto> {
  return (await send(admin, 'POST', editions, { displayName })).body
}

/** A tenant as an ABP database may bring it along. */
async function addTenant(name: string, editionId: string | null = null): Promise<string> {
  const id = sequentialGuid()
  await database().execute(sql`
    insert into "SaasTenants" ("Id", "Name", "NormalizedName", "EditionId", "EditionEndDateUtc", "ActivationState", "EntityVersion",
      "ExtraProperties", "ConcurrencyStamp", "CreationTime")
    values (${id}, ${name}, ${name.toUpperCase()}, ${editionId}::uuid, '2027-01-31 12:00:00', 0, 0, '{"Colour":"red"}', 'stamp', now())`)
  return id
}

describe('an edition', () => {
  test('is created, and shown as ABP’s pages read it', async () => {
    const { status, body } = await send(admin, 'POST', editions, {
      displayName: ' Standard ',
      extraProperties: { Colour: 'red' },
    })
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        displayName: 'Standard',
        planId: null,
        planName: null,
        concurrencyStamp: expect.stringMatching(/^[0-9a-f]{32}$/),
        tenantCount: 0,
        extraProperties: { Colour: 'red' },
      },
    ])
    expect((await send(admin, 'GET', `${editions}/${body.id}`)).body).toEqual(body)
  })

  test('is found by a part of its name, in the order that was asked for', async () => {
    for (const name of ['Standard', 'Premium', 'Standard plus']) await addEdition(name)
    const { body } = await send(
      admin,
      'GET',
      `${editions}?filter=STANDARD&sorting=displayName desc&maxResultCount=1`,
    )
    expect([body.totalCount, body.items.map((one: EditionDto) => one.displayName)]).toEqual([
      2,
      ['Standard plus'],
    ])
    const beyond = await send(admin, 'GET', `${editions}?skipCount=10`)
    expect(beyond.body).toEqual({ totalCount: 3, items: [] })
    const all = await send(admin, 'GET', `${editions}/all`)
    expect(all.body.map((one: EditionDto) => one.displayName)).toEqual([
      'Premium',
      'Standard',
      'Standard plus',
    ])
  })

  test.each(['planId asc', "displayName'; drop table", 'x desc'])('is not sorted by %s', async (sorting) => {
    const answer = await send(admin, 'GET', `${editions}?sorting=${encodeURIComponent(sorting)}`)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['sorting']])
  })

  test('is renamed by the whole object that was read', async () => {
    const edition = await addEdition('Standard')
    const { status, body } = await send(admin, 'PUT', `${editions}/${edition.id}`, {
      ...edition,
      displayName: 'Basic',
    })
    expect([status, body.displayName, body.concurrencyStamp === edition.concurrencyStamp]).toEqual([
      200,
      'Basic',
      false,
    ])
  })

  test('is not renamed by who did not see the last change', async () => {
    const edition = await addEdition('Standard')
    const service = admin.service(EditionAppService)
    await service.update(edition.id, { ...edition, displayName: 'Basic' })
    await expect(service.update(edition.id, { ...edition, displayName: 'Late' })).rejects.toBeInstanceOf(
      ConcurrencyError,
    )
  })

  test('has a name of its own, which is free again when it is deleted', async () => {
    const edition = await addEdition('Standard')
    const again = await send(admin, 'POST', editions, { displayName: 'Standard' })
    expect([again.status, again.body.error.code]).toEqual([403, 'Saas:EditionNameAlreadyExists'])
    await send(admin, 'DELETE', `${editions}/${edition.id}`)
    expect((await send(admin, 'POST', editions, { displayName: 'Standard' })).status).toBe(200)
  })

  test.each([[''], ['   '], ['x'.repeat(129)], [null]])('is not called %j', async (displayName) => {
    const answer = await send(admin, 'POST', editions, { displayName })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['displayName']])
  })

  test('is gone when it is deleted, and its features with it; its tenants have none', async () => {
    const edition = await addEdition('Standard')
    const tenant = await addTenant('Acme', edition.id)
    const holder = { providerName: 'E', providerKey: edition.id } as const
    await app.host.get(StoredFeatures).set(holder, { 'SettingManagement.Enable': false })
    expect((await send(admin, 'DELETE', `${editions}/${edition.id}`)).status).toBe(204)
    expect((await send(admin, 'GET', `${editions}/${edition.id}`)).status).toBe(404)
    expect((await send(admin, 'GET', `${saasTenants}/${tenant}`)).body.editionId).toBeNull()
    expect(await app.host.get(StoredFeatures).valuesOf(holder)).toEqual(new Map())
  })

  test('counts its tenants and gives them to another one', async () => {
    const [standard, premium] = [await addEdition('Standard'), await addEdition('Premium')]
    await addTenant('Acme', standard.id)
    await addTenant('Contoso', standard.id)
    const usage = async () => (await send(admin, 'GET', `${editions}/statistics/usage-statistic`)).body.data
    expect(await usage()).toEqual({ Standard: 2, Premium: 0 })
    const move = `${editions}/${standard.id}/move-all-tenants`
    expect((await send(admin, 'PUT', `${move}?editionId=${premium.id}`)).status).toBe(204)
    expect(await usage()).toEqual({ Standard: 0, Premium: 2 })
    expect((await send(admin, 'PUT', `${move}?editionId=${nowhere}`)).status).toBe(404)
  })

  test('has features of its own, which have no effect on the system', async () => {
    const { id } = await addEdition('Standard')
    const features = `/api/feature-management/features?providerName=E&providerKey=${id}`
    const change = { features: [{ name: 'SettingManagement.Enable', value: 'false' }] }
    expect((await send(admin, 'PUT', features, change)).status).toBe(204)
    const told = async () => {
      const { body } = await send(admin, 'GET', features)
      const all = body.groups.flatMap((group: { features: { name: string }[] }) => group.features)
      return all.find(({ name }: { name: string }) => name === 'SettingManagement.Enable')
    }
    expect(await told()).toMatchObject({ value: 'false', provider: { name: 'E', key: id } })
    expect((await app.host.get(StoredFeatures).valuesOf(hostFeatures)).size).toBe(0)
    expect((await send(admin, 'DELETE', features)).status).toBe(204)
    expect((await told()).provider.name).toBe('D')
  })

  test('has features only when it exists, and only for those who may change them', async () => {
    const { id } = await addEdition('Standard')
    const clerk = await app.as({ permissions: [SaasPermissions.ManageEditionFeatures] })
    const others = await app.as({ permissions: ['FeatureManagement.ManageHostFeatures'] })
    const at = (provider: string, key: string) =>
      `/api/feature-management/features?providerName=${provider}&providerKey=${key}`
    const answers = [
      send(clerk, 'GET', at('E', id)),
      send(clerk, 'GET', at('E', nowhere)),
      send(clerk, 'GET', at('E', 'nonsense')),
      send(others, 'GET', at('E', id)),
      send(admin, 'GET', at('T', nowhere)),
      send(clerk, 'GET', at('T', nowhere)),
    ]
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404, 404, 403, 404, 403])
  })
})

describe('a tenant', () => {
  const disabled = {
    code: 'Saas:MultiTenancyDisabled',
    message: 'This system serves one company: multi-tenancy is off, so no tenant can be created.',
    details: null,
    data: {},
    validationErrors: null,
  }

  test.each([saasTenants, tenants])('can not be created at %s, and the answer says why', async (route) => {
    const { status, body } = await send(admin, 'POST', route, { ...acme, extraProperties: {} })
    expect([status, body.error]).toEqual([403, disabled])
  })

  test('is not offered: nobody holds the permissions to create one, and no dialog shows them', async () => {
    const create = [SaasPermissions.CreateTenants, TenantManagementPermissions.Create]
    // As in a database from the time before: the grants are there and do not count.
    const holder = await app.as({ roles: [InternalAdmin], permissions: create })
    const configuration = await send(holder, 'GET', '/api/abp/application-configuration')
    const dialog = await send(
      admin,
      'GET',
      `/api/permission-management/permissions?providerName=U&providerKey=${holder.userId}`,
    )
    const shown = (dialog.body.groups as { permissions: { name: string }[] }[]).flatMap(({ permissions }) =>
      permissions.map(({ name }) => name),
    )
    expect(shown).toContain(TenantManagementPermissions.Delete)
    expect(configuration.body.auth.grantedPolicies).toMatchObject({
      [TenantManagementPermissions.Delete]: true,
    })
    expect(create.filter((name) => shown.includes(name))).toEqual([])
    expect(create.filter((name) => name in configuration.body.auth.grantedPolicies)).toEqual([])
  })

  test.each([saasTenants, tenants])('is among none at %s', async (route) => {
    const { status, body } = await send(admin, 'GET', route)
    expect([status, body]).toEqual([200, { totalCount: 0, items: [] }])
  })

  test('that an ABP database brought along is shown', async () => {
    const edition = await addEdition('Standard')
    const id = await addTenant('Acme', edition.id)
    await database().execute(sql`
      insert into "SaasTenantConnectionStrings" ("TenantId", "Name", "Value") values (${id}, 'Default', 'Host=db')`)
    const { body, text } = await send(admin, 'GET', `${saasTenants}?getEditionNames=true`)
    expect(body).toEqual({
      totalCount: 1,
      items: [
        {
          id,
          name: 'Acme',
          editionId: edition.id,
          editionEndDateUtc: '2027-01-31T12:00:00Z',
          editionName: 'Standard',
          hasDefaultConnectionString: true,
          activationState: 0,
          activationEndDate: null,
          concurrencyStamp: 'stamp',
          extraProperties: { Colour: 'red' },
        },
      ],
    })
    expect(text).not.toContain('Host=db')
    expect((await send(admin, 'GET', `${tenants}/${id}`)).body).toEqual({
      id,
      name: 'Acme',
      concurrencyStamp: 'stamp',
      extraProperties: { Colour: 'red' },
    })
  })

  test.each([
    ['filter=ACM', 1],
    ['filter=%25', 0],
    ['activationState=2', 0],
    ['activationState=Active', 1],
    ['expirationDateMin=2027-01-31T12:00:00Z', 1],
    ['expirationDateMax=2027-01-31T11:00:00Z', 0],
    [`editionId=${nowhere}`, 0],
  ])('is looked for by %s', async (query, count) => {
    await addTenant('Acme')
    expect((await send(admin, 'GET', `${saasTenants}?${query}`)).body.totalCount).toBe(count)
  })

  test('is renamed on either page', async () => {
    const id = await addTenant('Acme')
    const { body } = await send(admin, 'GET', `${tenants}/${id}`)
    const renamed = await send(admin, 'PUT', `${tenants}/${id}`, { ...body, name: 'Acme & Co' })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Acme & Co'])
    const whole = await send(admin, 'GET', `${saasTenants}/${id}`)
    const service = admin.service(SaasTenantAppService)
    const changed = await service.update(id, {
      ...whole.body,
      name: 'Acme',
      activationState: TenantActivationState.ActiveWithLimitedTime,
      activationEndDate: '2027-06-01T00:00:00Z',
    })
    expect([changed.name, changed.activationState, changed.activationEndDate]).toEqual([
      'Acme',
      1,
      new Date('2027-06-01T00:00:00Z'),
    ])
    await expect(service.update(id, whole.body)).rejects.toBeInstanceOf(ConcurrencyError)
  })

  test('has a name of its own', async () => {
    await addTenant('Contoso')
    const id = await addTenant('Acme')
    const { status, body } = await send(admin, 'PUT', `${tenants}/${id}`, { name: 'contoso' })
    expect([status, body.error.code]).toEqual([403, 'Saas:TenantNameAlreadyExists'])
  })

  test('gets no edition that there is not', async () => {
    const id = await addTenant('Acme')
    const { status } = await send(admin, 'PUT', `${saasTenants}/${id}`, { name: 'Acme', editionId: nowhere })
    expect(status).toBe(404)
  })

  test.each([saasTenants, tenants])('is deleted at %s', async (route) => {
    const id = await addTenant('Acme')
    expect((await send(admin, 'DELETE', `${route}/${id}`)).status).toBe(204)
    expect((await send(admin, 'GET', `${route}/${id}`)).status).toBe(404)
  })

  test('may be given one of the editions there are', async () => {
    const { id } = await addEdition('Standard')
    const { body } = await send(admin, 'GET', `${saasTenants}/lookup/editions`)
    expect(body).toEqual([{ id, displayName: 'Standard' }])
  })

  test('is not found by the anonymous look-up: there is no multi-tenancy', async () => {
    await addTenant('Acme')
    const { body } = await send(app.host, 'GET', '/api/abp/multi-tenancy/tenants/by-name/Acme')
    expect(body.success).toBe(false)
  })
})

describe('editions and tenants', () => {
  test('are nobody’s who lacks the permission', async () => {
    const others = await app.as({ roles: [SuperUser] })
    const statuses = [editions, saasTenants, tenants].map(
      async (route) => (await send(others, 'GET', route)).status,
    )
    expect(await Promise.all(statuses)).toEqual([403, 403, 403])
  })

  test('are changed only by those who may change them', async () => {
    const reader = await app.as({
      permissions: [SaasPermissions.Editions, SaasPermissions.Tenants, TenantManagementPermissions.Tenants],
    })
    const calls = [editions, saasTenants, tenants].flatMap((route) => [
      send(reader, 'GET', route),
      send(reader, 'POST', route, { ...acme, displayName: 'Standard' }),
      send(reader, 'PUT', `${route}/${nowhere}`, {}),
      send(reader, 'DELETE', `${route}/${nowhere}`),
    ])
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(
      Array(3).fill([200, 403, 403, 403]).flat(),
    )
  })

  test('are spoken to through the contracts', async () => {
    const { totalCount } = await admin.service(TenantAppService).getList({})
    expect(totalCount).toBe(0)
  })
})
