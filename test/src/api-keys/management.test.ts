import {
  ApiKeyAppService,
  ApiKeyErrors,
  ApiKeyPermissions,
  ApiKeySettings,
  apiKeyManagementPolicy,
  type CreateApiKeyDto,
  rotationOverlap,
} from '@keel/api-keys/contracts'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { splitApiKey } from '@keel/framework/security'
import { DocumentPermissions, PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { DefaultCustomer, SuperUser } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { faultyMembers, send } from '../support/wire.js'
import { newKey, ports, withKey } from './keys.js'

const path = '/api/api-key-management/api-keys'
const nowhere = '00000000-0000-4000-8000-000000000001'
const { Create, Edit, Delete, ManagePermissions, ManageAll } = ApiKeyPermissions

let app: App
let owner: AppCaller
let manager: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  owner = await newOwner()
  manager = await app.as({
    permissions: [PortPermissions.View, Create, Edit, Delete, ManagePermissions, ManageAll],
  })
})
afterAll(() => app?.close())

const newOwner = () =>
  app.as({ permissions: [PortPermissions.View, Create, Edit, Delete, ManagePermissions] })
const identity = () => app.host.get(Databases).named('Default')
const keysOf = (caller: AppCaller) => caller.service(ApiKeyAppService)
const statusOf = async (key: string, of = ports) => (await send(withKey(app.host, key), 'GET', of)).status
const grantsOf = async (caller: AppCaller, id: string) =>
  (await keysOf(caller).getPermissions(id)).permissions
    .filter(({ isGranted }) => isGranted)
    .map(({ name }) => name)

describe('a new key', () => {
  test('is told in full, once, and found again without its secret', async () => {
    const { key, ...rest } = await newKey(owner, { name: ' Nightly import ', description: 'SAP' })
    expect({ prefix: key.slice(0, 16), isKey: splitApiKey(key) !== undefined }).toEqual({
      prefix: rest.prefix,
      isKey: true,
    })
    expect(rest).toMatchObject({
      name: 'Nightly import',
      description: 'SAP',
      userId: owner.userId,
      creatorId: owner.userId,
      isActive: true,
      expirationTime: null,
      tenantId: null,
    })
    expect(await keysOf(owner).get(rest.id)).toEqual(rest)
  })

  test('was granted what its owner holds, from roles and parents too', async () => {
    const customer = await app.as({ roles: [DefaultCustomer], permissions: [PortPermissions.Delete] })
    const { id } = await newKey(customer)
    const held = [...app.permissions.values()].filter(({ grantedTo }) => grantedTo.includes(DefaultCustomer))
    const expected = [...held.map(({ name }) => name), PortPermissions.Delete].sort()
    expect(await grantsOf(customer, id)).toEqual(expected)
  })

  test('that somebody else makes was granted what its owner holds, not what its maker does', async () => {
    const { id, userId, creatorId } = await newKey(manager, { userId: owner.userId })
    expect({ userId, creatorId }).toEqual({ userId: owner.userId, creatorId: manager.userId })
    expect(await grantsOf(owner, id)).toEqual(
      [Create, Edit, Delete, ManagePermissions, PortPermissions.View].sort(),
    )
  })

  test('of somebody who holds more was granted what both the owner and its maker hold', async () => {
    const clerk = await app.as({ permissions: [PortPermissions.View, PortPermissions.Edit, ManageAll] })
    const { id, key } = await newKey(clerk, { userId: owner.userId })
    expect(await grantsOf(clerk, id)).toEqual([PortPermissions.View])
    expect(await statusOf(key)).toBe(200)
  })

  test.each([
    ['nobody', nowhere],
    ['somebody inactive', undefined],
  ])('of %s is refused', async (_what, known) => {
    const { userId } = await app.as({})
    await identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${userId}`)
    const { status, body } = await send(manager, 'POST', path, { name: 'x', userId: known ?? userId })
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: ApiKeyErrors.OwnerUnavailable })
  })

  test('of somebody else is refused to whoever manages their own keys alone', async () => {
    const { status } = await send(owner, 'POST', path, { name: 'x', userId: manager.userId })
    expect(status).toBe(403)
  })

  test('needs a name, a real date and lengths within limits', async () => {
    const answer = await send(owner, 'POST', path, {
      name: ' ',
      description: 'x'.repeat(513),
      expirationTime: 'tomorrow',
      userId: 'me',
    })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['description', 'expirationTime', 'name', 'userId'],
    })
  })
})

describe('keys of others', () => {
  test.each([
    ['GET', '', undefined],
    ['PUT', '', { name: 'Mine now' }],
    ['DELETE', '', undefined],
    ['POST', '/rotate', {}],
    ['GET', '/permissions', undefined],
    ['PUT', '/permissions', { permissions: [{ name: PortPermissions.View, isGranted: true }] }],
    ['GET', '/usage', undefined],
    ['POST', '/narrow', undefined],
  ])('do not exist for a user (%s %s), and do for who manages all', async (method, below, body) => {
    const { id } = await newKey(owner)
    const other = await newOwner()
    const refused = await send(other, method, `${path}/${id}${below}`, body)
    const allowed = await send(manager, method, `${path}/${id}${below}`, body)
    expect([refused.status, allowed.status]).toEqual([404, method === 'DELETE' ? 204 : 200])
  })

  test('are not in a user’s list, and are in that of who manages all', async () => {
    const other = await newOwner()
    const { id } = await newKey(other)
    const asked = `${path}?maxResultCount=1000`
    const idsFor = async (who: AppCaller, query = '') =>
      (await send(who, 'GET', asked + query)).body.items.map((item: { id: string }) => item.id)
    expect(await idsFor(other)).toEqual([id])
    expect(await idsFor(owner)).not.toContain(id)
    expect(await idsFor(manager)).toContain(id)
    expect(await idsFor(manager, `&userId=${other.userId}`)).toEqual([id])
    expect(await idsFor(owner, `&userId=${other.userId}`)).toEqual([])
  })
})

describe('the list', () => {
  test('is filtered by text and state, and sorted', async () => {
    const somebody = await newOwner()
    for (const name of ['Beta', 'Alpha', 'Gamma'])
      await newKey(somebody, { name, isActive: name !== 'Alpha' })
    const names = async (query: string) =>
      (await send(somebody, 'GET', `${path}?${query}`)).body.items.map((item: { name: string }) => item.name)
    expect(await names('sorting=name')).toEqual(['Alpha', 'Beta', 'Gamma'])
    expect(await names('sorting=name%20desc&isActive=true')).toEqual(['Gamma', 'Beta'])
    expect(await names('filter=ALPH')).toEqual(['Alpha'])
    expect(await names('sorting=name&skipCount=1&maxResultCount=1')).toEqual(['Beta'])
  })

  test('never tells a hash', async () => {
    await newKey(owner)
    const { text } = await send(owner, 'GET', `${path}?maxResultCount=1000`)
    expect(text).not.toMatch(/hash/i)
  })
})

describe('a change', () => {
  test('leaves what it does not name, and takes the whole key as it was read', async () => {
    const { id } = await newKey(owner, { name: 'Old', description: 'Stays' })
    const before = (await send(owner, 'GET', `${path}/${id}`)).body
    const renamed = await send(owner, 'PUT', `${path}/${id}`, { ...before, name: 'New' })
    expect({ status: renamed.status, body: renamed.body }).toMatchObject({
      status: 200,
      body: { name: 'New', description: 'Stays', isActive: true, prefix: before.prefix },
    })
  })

  test('of what somebody else changed meanwhile is refused', async () => {
    const { id, concurrencyStamp } = await newKey(owner)
    await keysOf(owner).update(id, { name: 'Faster' })
    const { status } = await send(owner, 'PUT', `${path}/${id}`, { name: 'Slower', concurrencyStamp })
    expect(status).toBe(409)
  })

  test('can not give the key to somebody else', async () => {
    const { id } = await newKey(owner)
    await send(owner, 'PUT', `${path}/${id}`, { name: 'x', userId: manager.userId, prefix: 'keel_x' })
    expect(await keysOf(owner).get(id)).toMatchObject({ userId: owner.userId })
  })
})

test('a deleted key is refused, gone and without grants', async () => {
  const { id, key } = await newKey(owner)
  expect(await statusOf(key)).toBe(200)
  await keysOf(owner).delete(id)
  const found = await send(owner, 'GET', `${path}/${id}`)
  const grants = await app.host.get(PermissionGrants).grantedTo([{ providerName: 'AK', providerKey: id }])
  expect({ key: await statusOf(key), found: found.status, grants }).toEqual({
    key: 401,
    found: 404,
    grants: [],
  })
})

describe('a rotation', () => {
  test('gives a new secret and lets the old one work meanwhile', async () => {
    const { id, key, prefix } = await newKey(owner)
    const rotated = await keysOf(owner).rotate(id, { overlapMinutes: 5 })
    expect({ prefix: rotated.prefix, isNew: rotated.key !== key }).toEqual({ prefix, isNew: true })
    expect(Number(rotated.overlapEndTime) - Number(rotated.rotationTime)).toBe(5 * 60_000)
    expect([await statusOf(key), await statusOf(rotated.key)]).toEqual([200, 200])
  })

  test('without overlap ends the old secret at once, also where it is remembered', async () => {
    const { id, key } = await newKey(owner)
    expect(await statusOf(key)).toBe(200)
    const rotated = await keysOf(owner).rotate(id, { overlapMinutes: 0 })
    expect([await statusOf(key), await statusOf(rotated.key)]).toEqual([401, 200])
  })

  test('during an overlap ends the secret before the old one', async () => {
    const { id, key: first } = await newKey(owner)
    const { key: second } = await keysOf(owner).rotate(id, {})
    const { key: third } = await keysOf(owner).rotate(id, {})
    expect(await Promise.all([first, second, third].map((key) => statusOf(key)))).toEqual([401, 200, 200])
  })

  test.each([-1, 0.5, rotationOverlap.mostMinutes + 1])(
    'refuses an overlap of %s minutes',
    async (overlapMinutes) => {
      const { id } = await newKey(owner)
      const answer = await send(owner, 'POST', `${path}/${id}/rotate`, { overlapMinutes })
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: ['overlapMinutes'],
      })
    },
  )

  test('overlaps by an hour when nobody says how long', async () => {
    const { id } = await newKey(owner)
    const { body } = await send(owner, 'POST', `${path}/${id}/rotate`)
    expect(Date.parse(body.overlapEndTime) - Date.parse(body.rotationTime)).toBe(3_600_000)
  })
})

describe('a key that may do more than who manages all keys', () => {
  let clerk: AppCaller
  beforeAll(async () => {
    clerk = await app.as({ permissions: [ManageAll] })
  })
  const refused = { status: 403, code: beyondOwnRights }
  const attempt = async (method: string, below: string, body: unknown) => {
    const answer = await send(clerk, method, `${path}${below}`, body)
    return { status: answer.status, code: answer.body?.error?.code }
  }

  test.each<[string, Partial<CreateApiKeyDto>, string, string, unknown]>([
    ['gets no new secret', {}, 'POST', '/rotate', { overlapMinutes: 0 }],
    ['is not let in again', { isActive: false }, 'PUT', '', { isActive: true }],
    ['lasts no longer', { expirationTime: new Date('2030-01-01') }, 'PUT', '', { expirationTime: null }],
    [
      'is granted nothing',
      {},
      'PUT',
      '/permissions',
      { permissions: [{ name: 'Port.Edit', isGranted: true }] },
    ],
  ])('%s', async (_what, values, method, below, body) => {
    const { id } = await newKey(owner, values)
    expect(await attempt(method, `/${id}${below}`, body)).toEqual(refused)
  })

  test('is stopped all the same', async () => {
    const { id, key } = await newKey(owner)
    expect((await send(clerk, 'PUT', `${path}/${id}`, { isActive: false })).status).toBe(200)
    expect(await statusOf(key)).toBe(401)
  })

  test('is managed where the setting says that managing all goes further', async () => {
    const free = await startApp(undefined, {
      [`Settings:${ApiKeySettings.ManageAllCoversEveryOwner.name}`]: 'true',
    })
    try {
      const other = await free.as({ permissions: [ManageAll] })
      const admin = await free.admin()
      const { id, key } = await newKey(other, { userId: admin.userId })
      expect((await send(other, 'POST', `${path}/${id}/rotate`, {})).status).toBe(200)
      expect((await send(withKey(free.host, key), 'GET', '/api/identity/users')).status).toBe(200)
    } finally {
      await free.close()
    }
  })
})

describe('the permissions of a key', () => {
  const shipments = '/api/hub/shipment?maxResultCount=1'

  test('are those that both the key and its owner have', async () => {
    const somebody = await newOwner()
    const { id, key } = await newKey(somebody)
    const set = (name: string, isGranted: boolean) =>
      keysOf(somebody).updatePermissions(id, { permissions: [{ name, isGranted }] })
    await set(ShipmentPermissions.View, true)
    await set(PortPermissions.View, false)
    expect([await statusOf(key, ports), await statusOf(key, shipments)]).toEqual([403, 403])
    const { permissions } = await set(PortPermissions.View, true)
    expect(permissions.filter(({ name }) => name.endsWith('View'))).toEqual([
      { name: PortPermissions.View, isGranted: true, isHeldByOwner: true },
      { name: ShipmentPermissions.View, isGranted: true, isHeldByOwner: false },
    ])
    expect([await statusOf(key, ports), await statusOf(key, shipments)]).toEqual([200, 403])
    await app.host
      .get(PermissionGrants)
      .grant([{ providerName: 'U', providerKey: somebody.userId, permission: ShipmentPermissions.View }])
    await expect.poll(() => statusOf(key, shipments), { timeout: 10_000, interval: 10 }).toBe(200)
  })

  test('that no module defines are refused', async () => {
    const { id } = await newKey(owner)
    const answer = await send(owner, 'PUT', `${path}/${id}/permissions`, {
      permissions: [
        { name: 'Port.Sink', isGranted: true },
        { name: PortPermissions.View, isGranted: false },
      ],
    })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['permissions'],
    })
    expect(await grantsOf(owner, id)).toContain(PortPermissions.View)
  })
})

describe('the usage of a key', () => {
  test('counts requests and the permissions that let them through', async () => {
    const customer = await app.as({
      permissions: [
        ShipmentPermissions.View,
        DocumentPermissions.View,
        PortPermissions.View,
        PortPermissions.Edit,
        Create,
        ManagePermissions,
      ],
    })
    const { id, key } = await newKey(customer)
    const usage = () => keysOf(customer).getUsage(id)
    expect(await usage()).toMatchObject({ lastUsedTime: null, requestCount: 0, permissions: [] })
    const before = Date.now()
    for (let times = 0; times < 3; times++) await statusOf(key)
    await statusOf(key, '/api/hub/shipment/new-documents')
    // Refused: a request, but no use of a permission.
    await send(withKey(app.host, key), 'DELETE', `/api/hub/port/${nowhere}`)
    // Another copy of the host tells its part within two seconds.
    await expect.poll(async () => (await usage()).requestCount, { timeout: 10_000 }).toBe(5)
    const { lastUsedTime, permissions, neverUsedPermissions } = await usage()
    expect(Number(lastUsedTime)).toBeGreaterThanOrEqual(before)
    expect(permissions.map(({ name, callCount }) => [name, callCount])).toEqual([
      [PortPermissions.View, 3],
      [DocumentPermissions.View, 1],
      [ShipmentPermissions.View, 1],
    ])
    expect(neverUsedPermissions).toEqual([Create, ManagePermissions, PortPermissions.Edit])
  })

  test('narrows the key to what it used, and no further', async () => {
    const somebody = await newOwner()
    const { id, key } = await newKey(somebody)
    await statusOf(key)
    const { permissions } = await keysOf(somebody).narrow(id)
    expect(permissions.filter(({ isGranted }) => isGranted).map(({ name }) => name)).toEqual([
      PortPermissions.View,
    ])
    expect(await statusOf(key)).toBe(200)
    expect((await keysOf(somebody).getUsage(id)).neverUsedPermissions).toEqual([])
  })
})

describe('the policy apiKeyManagement', () => {
  const operations: readonly (readonly [string, string, unknown?])[] = [
    ['GET', ''],
    ['GET', `/${nowhere}`],
    ['POST', '', { name: 'x' }],
    ['PUT', `/${nowhere}`, { name: 'x' }],
    ['DELETE', `/${nowhere}`],
    ['POST', `/${nowhere}/rotate`, {}],
    ['GET', `/${nowhere}/permissions`],
    ['PUT', `/${nowhere}/permissions`, { permissions: [] }],
    ['GET', `/${nowhere}/usage`],
    ['POST', `/${nowhere}/narrow`],
  ]

  test.for(operations)(
    'does not admit a key, whatever its owner may: %s %s',
    async ([method, below, body]) => {
      const admin = await app.admin()
      const { key } = await newKey(admin)
      const { status, body: told } = await send(withKey(app.host, key), method, path + below, body)
      expect({ status, data: told.error.data }).toEqual({
        status: 403,
        data: { PolicyName: apiKeyManagementPolicy },
      })
    },
  )

  test.for(operations)('does not admit a client: %s %s', async ([method, below, body]) => {
    const client = await app.host.as({ subject: 'tooling', clientId: 'tooling' })
    expect((await send(client, method, path + below, body)).status).toBe(403)
  })

  test('is among the granted policies of a user, not of a key', async () => {
    const policies = async (who: Parameters<typeof send>[0]) =>
      (await send(who, 'GET', '/api/abp/application-configuration')).body.auth.grantedPolicies
    const { key } = await newKey(owner)
    expect((await policies(owner))[apiKeyManagementPolicy]).toBe(true)
    expect((await policies(withKey(app.host, key)))[apiKeyManagementPolicy]).toBeUndefined()
    expect((await policies(app.host))[apiKeyManagementPolicy]).toBeUndefined()
  })

  const guarded: readonly (readonly [string, string, string, unknown?])[] = [
    [Create, 'POST', '', { name: 'x' }],
    [Edit, 'PUT', `/${nowhere}`, { name: 'x' }],
    [Edit, 'POST', `/${nowhere}/rotate`, {}],
    [Delete, 'DELETE', `/${nowhere}`, undefined],
    [ManagePermissions, 'PUT', `/${nowhere}/permissions`, { permissions: [] }],
    [ManagePermissions, 'POST', `/${nowhere}/narrow`],
  ]
  test.for(guarded)('asks for %s, or for ManageAll: %s %s', async ([permission, method, below, body]) => {
    const statuses = []
    for (const permissions of [[], [permission], [ManageAll]]) {
      const { status, body: told } = await send(await app.as({ permissions }), method, path + below, body)
      statuses.push(status === 403 ? told.error.data.PolicyName : 'admitted')
    }
    expect(statuses).toEqual([permission, 'admitted', 'admitted'])
  })

  test('lets every new user’s role manage their own keys, and SuperUser everybody’s', () => {
    const grantedTo = (name: string) => app.permissions.get(name)?.grantedTo
    expect([Create, Edit, Delete, ManagePermissions].map(grantedTo)).toEqual(Array(4).fill([DefaultCustomer]))
    expect(grantedTo(ManageAll)).toEqual([SuperUser])
  })
})

test('a user has no more keys than the limit allows, also when they are made at once', async () => {
  const limited = await startApp(undefined, { 'Settings:ApiKeys.MaxKeysPerUser': '2' })
  onTestFinished(() => limited.close())
  const caller = await limited.as({ permissions: [Create, Delete] })
  const keys = caller.service(ApiKeyAppService)
  const made = await Promise.allSettled([1, 2, 3, 4].map((number) => keys.create({ name: `Key ${number}` })))
  const refused = made.filter((one) => one.status === 'rejected').map(({ reason }) => reason)
  expect(refused).toMatchObject(Array(2).fill({ status: 403, code: ApiKeyErrors.TooManyKeys }))
  const [first] = (await keys.getList({})).items
  await keys.delete(first?.id ?? '')
  await expect(keys.create({ name: 'In its place' })).resolves.toMatchObject({ name: 'In its place' })
})
