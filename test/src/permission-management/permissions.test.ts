import { Databases, sql } from '@keel/framework/data'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { Admin, DefaultCustomer, OperationsManager, Operator, SuperUser } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { managePolicies, PermissionErrors } from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { faultyMembers, send } from '../support/wire.js'
import {
  addClients,
  addressOf,
  holder,
  LookupPermissions,
  manager,
  PermissionsHost,
  permissionOf,
  put,
  read,
} from './host.js'

const nobody = '00000000-0000-4000-8000-000000000001'

/** A row of the matrix. */
interface Row {
  readonly name: string
  readonly displayName: string
  readonly parentName: string | null
  readonly holders: number[]
  readonly grantedBy: number[]
  readonly prohibitedBy: number[]
}

let app: App
/** Holds what it takes to manage grants, and some permissions to give. */
let chief: AppCaller
/** An administrator, who may give what they don't hold. */
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(PermissionsHost)
  chief = await app.as({ permissions: [...manager, PortPermissions.View, PortPermissions.Edit] })
  admin = await app.as({ permissions: manager, roles: [Admin] })
})
afterAll(() => app?.close())

const rowsOf = (providerKey: string) =>
  app.host
    .get(PermissionGrants)
    .database.query<{ name: string }>(
      sql`select "Name" as name from "AbpPermissionGrants" where "ProviderKey" = ${providerKey} order by 1`,
    )
    .then((rows) => rows.map(({ name }) => name))
const code = ({ status, body }: { status: number; body: { error: { code: string } } | undefined }) => [
  status,
  body?.error.code,
]

test('the dialog of a role has ABP’s members', async () => {
  const answer = await read(chief, 'R', 'Operator')
  const { groups, ...rest } = answer.body
  const hub = groups.find(({ name }: { name: string }) => name === 'Hub')
  expect(rest).toEqual({ entityDisplayName: 'Operator' })
  expect({ ...hub, permissions: [] }).toEqual({
    name: 'Hub',
    displayName: 'Hub',
    displayNameKey: 'Permission:Hub',
    displayNameResource: 'Hub',
    permissions: [],
  })
  expect(permissionOf(answer, PortPermissions.Edit)).toEqual({
    name: 'Port.Edit',
    displayName: 'Ports – edit',
    parentName: 'Port.View',
    isGranted: false,
    allowedProviders: [],
    grantedProviders: [],
    isEditable: true,
    isProhibited: false,
    prohibitedProviders: [],
  })
})

test('names are told in the caller’s language', async () => {
  const response = await chief.fetch(addressOf('permissions', holder('R', 'Operator')), {
    headers: { 'accept-language': 'de' },
  })
  const body = (await response.json()) as never
  expect(permissionOf({ body } as never, PortPermissions.View).displayName).toBe('Häfen – ansehen')
})

test('a permission comes after its parent', async () => {
  const { body } = await read(chief, 'R', 'Operator')
  const late = body.groups.flatMap(
    ({ permissions }: { permissions: { name: string; parentName: string | null }[] }) =>
      permissions.filter(
        ({ parentName }, index) =>
          parentName !== null && !permissions.slice(0, index).some(({ name }) => name === parentName),
      ),
  )
  expect(late).toEqual([])
})

test('one group comes alone', async () => {
  const query = { groupName: 'Pricing', ...holder('R', 'Operator') }
  const { status, body } = await send(chief, 'GET', addressOf('permissions/by-group', query))
  const all = await read(chief, 'R', 'Operator')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      entityDisplayName: 'Operator',
      groups: all.body.groups.filter(({ name }: { name: string }) => name === 'Pricing'),
    },
  })
})

test('a group that nobody defines has nothing', async () => {
  const query = { groupName: 'Nothing', ...holder('R', 'Operator') }
  const { body } = await send(chief, 'GET', addressOf('permissions/by-group', query))
  expect(body).toEqual({ entityDisplayName: 'Operator', groups: [] })
})

test('a role has what the roles above it were granted, each with where it stands', async () => {
  const answer = await read(chief, 'R', OperationsManager.name)
  expect(permissionOf(answer, ShipmentPermissions.View)).toMatchObject({
    isGranted: true,
    grantedProviders: [holder('R', DefaultCustomer.name)],
  })
})

test('a user has what was granted to them, to their roles and to the roles above these', async () => {
  const user = await app.as({ permissions: [ShipmentPermissions.View], roles: [Operator] })
  const answer = await read(chief, 'U', user.userId)
  expect(permissionOf(answer, ShipmentPermissions.View)).toMatchObject({
    isGranted: true,
    grantedProviders: [holder('U', user.userId), holder('R', DefaultCustomer.name)],
  })
})

test('a user is found by an id in capitals, and shown by name', async () => {
  const user = await app.as({})
  const { body } = await read(chief, 'U', user.userId.toUpperCase())
  expect(body.entityDisplayName).toMatch(/^user-/)
})

test('a permission for clients alone is shown for clients alone, and what is below it too', async () => {
  const [role, client] = [await read(chief, 'R', 'Operator'), await read(chief, 'C', 'Core_App')]
  expect([LookupPermissions.Lookup, LookupPermissions.Deep].map((name) => permissionOf(role, name))).toEqual([
    undefined,
    undefined,
  ])
  expect(permissionOf(client, LookupPermissions.Lookup)).toMatchObject({ allowedProviders: ['C'] })
})

test('a grant under a provider that the permission is not for is no grant', async () => {
  const user = await app.as({ permissions: [LookupPermissions.Lookup] })
  const { body } = await send(
    user,
    'GET',
    '/api/abp/application-configuration?includeLocalizationResources=false',
  )
  expect(body.auth.grantedPolicies).not.toHaveProperty([LookupPermissions.Lookup])
})

test('a role can’t be granted what is for clients alone', async () => {
  const answer = await put(admin, 'R', 'Operator', { [LookupPermissions.Lookup]: true })
  expect(code(answer)).toEqual([403, PermissionErrors.ProviderNotAllowed])
})

test('granting and revoking writes and removes rows of exactly that holder', async () => {
  const { userId } = await app.as({})
  const granted = await put(chief, 'U', userId, {
    [PortPermissions.View]: true,
    [PortPermissions.Edit]: true,
  })
  const rows = await rowsOf(userId)
  const revoked = await put(chief, 'U', userId, { [PortPermissions.Edit]: false })
  expect([granted.status, granted.text, rows, revoked.status, await rowsOf(userId)]).toEqual([
    204,
    '',
    ['Port.Edit', 'Port.View'],
    204,
    ['Port.View'],
  ])
})

test('a grant counts at the next request, and so does its end', async () => {
  const user = await app.as({})
  const ports = async () => (await send(user, 'GET', '/api/hub/port')).status
  const before = await ports()
  await put(chief, 'U', user.userId, { [PortPermissions.View]: true })
  const during = await ports()
  await put(chief, 'U', user.userId, { [PortPermissions.View]: false })
  expect([before, during, await ports()]).toEqual([403, 200, 403])
})

test('permissions that nobody defines are passed over', async () => {
  const { userId } = await app.as({})
  const { status } = await put(chief, 'U', userId, { 'No.Such': true, [PortPermissions.View]: true })
  expect([status, await rowsOf(userId)]).toEqual([204, ['Port.View']])
})

test('what is as it should be already is no change, whoever asks', async () => {
  const { userId } = await app.as({ permissions: [ShipmentPermissions.View] })
  const { status } = await put(chief, 'U', userId, {
    [ShipmentPermissions.View]: true,
    [ShipmentPermissions.Edit]: false,
  })
  expect(status).toBe(204)
})

test('nobody grants what they don’t hold, and nothing of the update is done', async () => {
  const { userId } = await app.as({})
  const answer = await put(chief, 'U', userId, {
    [PortPermissions.View]: true,
    [ShipmentPermissions.Delete]: true,
  })
  expect(code(answer)).toEqual([403, PermissionErrors.NotHeld])
  expect(await rowsOf(userId)).toEqual([])
})

test('the error of what one does not hold names the permission', async () => {
  const { body } = await put(chief, 'R', 'Operator', { [ShipmentPermissions.Delete]: true })
  expect([body.error.message, body.error.data]).toEqual([
    'You can not change who has the permission Shipment.Delete: you do not have it yourself.',
    { permission: 'Shipment.Delete' },
  ])
})

test('what the caller does not hold is not editable, save for administrators', async () => {
  const editable = async (who: AppCaller) =>
    permissionOf(await read(who, 'R', 'Operator'), 'AbpPermissionManagement').isEditable
  const limited = await app.as({ permissions: manager })
  expect([await editable(limited), await editable(admin)]).toEqual([false, true])
})

test('an administrator grants what they don’t hold', async () => {
  const { userId } = await app.as({})
  const other = await app.as({ permissions: [managePolicies.U], roles: [Admin] })
  await put(admin, 'U', other.userId, { [ShipmentPermissions.Delete]: { isProhibited: true } })
  const { status } = await put(other, 'U', userId, { [ShipmentPermissions.Delete]: true })
  expect([status, await rowsOf(userId)]).toEqual([204, ['Shipment.Delete']])
})

test.for(['U', 'R', 'C', 'AK'] as const)(
  'the grants of %s need the permission to manage them',
  async (provider) => {
    const others = Object.values(managePolicies).filter((policy) => policy !== managePolicies[provider])
    const stranger = await app.as({ permissions: others })
    const answers = [
      await read(stranger, provider, 'Operator'),
      await put(stranger, provider, 'Operator', {}),
    ]
    expect(answers.map(({ status, body }) => [status, body.error.data])).toEqual([
      [403, { PolicyName: managePolicies[provider] }],
      [403, { PolicyName: managePolicies[provider] }],
    ])
  },
)

test('without credentials nothing is told', async () => {
  expect((await read(app.host, 'R', 'admin')).status).toBe(401)
})

test.for(['X', 'u', 'constructor', ''])('the provider %j is a fault of the input', async (provider) => {
  const answers = [await read(admin, provider, 'admin'), await put(admin, provider, 'admin', {})]
  expect(answers.map((answer) => [answer.status, faultyMembers(answer)])).toEqual([
    [400, ['providerName']],
    [400, ['providerName']],
  ])
})

test.for([
  ['U', nobody],
  ['U', 'no id'],
  ['R', 'NoSuchRole'],
  ['C', 'NoSuchClient'],
  ['AK', nobody],
] as const)('there is nothing of %s %s', async ([provider, key]) => {
  const answers = [await read(admin, provider, key), await put(admin, provider, key, {})]
  expect(answers.map(({ status }) => status)).toEqual([404, 404])
})

test('a client is granted and loses permissions', async () => {
  const clientId = 'Some_Client'
  await addClients(app, clientId)
  await put(chief, 'C', clientId, { [PortPermissions.View]: true })
  const caller = await app.host.as({ subject: clientId, clientId })
  const during = (await send(caller, 'GET', '/api/hub/port')).status
  await put(chief, 'C', clientId, { [PortPermissions.View]: false })
  expect([during, (await send(caller, 'GET', '/api/hub/port')).status]).toEqual([200, 403])
})

test('a prohibition of a role wins over a grant to the user, until it ends', async () => {
  const user = await app.as({ permissions: [PortPermissions.View], roles: [SuperUser] })
  const ports = async () => (await send(user, 'GET', '/api/hub/port')).status
  const before = await ports()
  await put(chief, 'R', SuperUser.name, { [PortPermissions.View]: { isProhibited: true } })
  const during = await ports()
  const dialog = permissionOf(await read(chief, 'U', user.userId), PortPermissions.View)
  await put(chief, 'R', SuperUser.name, { [PortPermissions.View]: { isProhibited: false } })
  expect([before, during, await ports()]).toEqual([200, 403, 200])
  expect(dialog).toMatchObject({
    isGranted: false,
    grantedProviders: [holder('U', user.userId), holder('R', DefaultCustomer.name)],
    isProhibited: true,
    prohibitedProviders: [holder('R', SuperUser.name)],
  })
})

test('a prohibition of a user wins over the grants of roles', async () => {
  const user = await app.as({ roles: [DefaultCustomer] })
  await put(admin, 'U', user.userId, { [PortPermissions.View]: { isProhibited: true } })
  expect((await send(user, 'GET', '/api/hub/port')).status).toBe(403)
})

test('a client of ABP, which knows no prohibitions, leaves them as they are', async () => {
  const { userId } = await app.as({})
  await put(chief, 'U', userId, { [PortPermissions.View]: { isProhibited: true } })
  await put(chief, 'U', userId, { [PortPermissions.View]: true })
  expect(permissionOf(await read(chief, 'U', userId), PortPermissions.View)).toMatchObject({
    isGranted: false,
    isProhibited: true,
    grantedProviders: [holder('U', userId)],
  })
})

test('granted and prohibited at once is a fault of the input', async () => {
  const { userId } = await app.as({})
  const answer = await put(chief, 'U', userId, {
    [PortPermissions.View]: { isGranted: true, isProhibited: true },
  })
  expect([answer.status, faultyMembers(answer)]).toEqual([400, ['permissions']])
})

test('the matrix says of every role what its dialog says', async () => {
  await put(admin, 'R', Operator.name, {
    [PortPermissions.Create]: { isProhibited: true },
    [PortPermissions.Edit]: true,
  })
  const { status, body } = await send(chief, 'GET', addressOf('role-matrix'))
  const roles = body.roles.map(({ name }: { name: string }) => name)
  expect([status, body.isCut, roles]).toEqual([200, false, [...new Set(roles)]])
  expect(roles).toEqual(
    expect.arrayContaining([Admin, DefaultCustomer, Operator, OperationsManager].map(({ name }) => name)),
  )
  const told = body.groups.flatMap(({ permissions }: { permissions: Row[] }) => permissions) as Row[]
  for (const { name: role } of [Operator, OperationsManager, DefaultCustomer, SuperUser]) {
    const place = roles.indexOf(role)
    const dialog = (await read(chief, 'R', role)).body.groups.flatMap(
      ({ permissions }: { permissions: object[] }) => permissions,
    )
    const asDialog = told.map(({ name, displayName, parentName, ...row }) => {
      const among = (places: number[]) =>
        [place, ...body.roles[place].inherits].filter((one) => places.includes(one)).map((one) => roles[one])
      return {
        ...{ name, displayName, parentName },
        isGranted: row.holders.includes(place),
        granted: among(row.grantedBy),
        prohibited: among(row.prohibitedBy),
      }
    })
    const keys = (providers: { providerKey: string }[]) => providers.map(({ providerKey }) => providerKey)
    expect(asDialog).toEqual(
      // biome-ignore lint/suspicious/noExplicitAny: as the dialog has it
      dialog.map(({ name, displayName, parentName, isGranted, ...one }: any) => ({
        ...{ name, displayName, parentName, isGranted },
        granted: keys(one.grantedProviders),
        prohibited: keys(one.prohibitedProviders),
      })),
    )
  }
})

test('the matrix has the roles that are asked for, and those that they inherit from', async () => {
  const { body } = await send(
    chief,
    'GET',
    `${addressOf('role-matrix')}roleNames=OperationsManager&roleNames=None`,
  )
  const [first, ...others] = body.roles
  expect(first.name).toBe(OperationsManager.name)
  expect(first.inherits.map((place: number) => body.roles[place].name)).toEqual(
    others.map(({ name }: { name: string }) => name),
  )
  expect(others.map(({ name }: { name: string }) => name)).toContain(Operator.name)
})

test('the matrix is for those who manage the permissions of roles', async () => {
  const { R, ...others } = managePolicies
  const stranger = await app.as({ permissions: Object.values(others) })
  expect(code(await send(stranger, 'GET', addressOf('role-matrix')))[0]).toBe(403)
})

testOfOneProcess(
  'after a change of grants, callers with the same roles share what is read of them',
  async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => app.as({ roles: [Operator] })))
    const statuses = () =>
      Promise.all(users.map(async (user) => (await send(user, 'DELETE', `/api/hub/port/${nobody}`)).status))
    const statements: string[] = []
    const hear = (text: string) => void statements.push(text)
    app.host
      .get(Databases)
      .named('Default')
      .observe({
        around: (text, run) => {
          hear(text)
          return run()
        },
        took: hear,
      })
    const readsUsers = () => statements.filter((text) => text.includes('from "AbpUsers"'))
    // Again while the host still hears of the users that were added.
    await vi.waitFor(async () => {
      await put(admin, 'R', Operator.name, { [PortPermissions.Delete]: false })
      expect(new Set(await statuses())).toEqual(new Set([403]))
      await put(admin, 'R', Operator.name, { [PortPermissions.Delete]: true })
      statements.splice(0)
      expect(new Set(await statuses())).toEqual(new Set([404]))
      // The permissions of the roles, and the users who have some of their own; both twice at most, when an earlier change is heard of meanwhile.
      const reads = statements.filter((text) => text.includes('"AbpPermissionGrants"'))
      expect(reads.length).toBeLessThanOrEqual(4)
      expect(readsUsers()).toEqual([])
    }, 10_000)
    await put(admin, 'R', Operator.name, { [PortPermissions.Delete]: false })
    expect(new Set(await statuses())).toEqual(new Set([403]))
  },
)

test('the API definition has ABP’s names', async () => {
  const { body } = await send(app.host, 'GET', '/api/abp/api-definition?includeTypes=true')
  const { remoteServiceName, controllers } = body.modules.permissionManagement
  const actions = Object.values<{ interfaces: { type: string }[]; actions: object }>(controllers).find(
    ({ interfaces }) => interfaces[0]?.type === 'Volo.Abp.PermissionManagement.IPermissionAppService',
  )?.actions
  expect([remoteServiceName, Object.keys(actions ?? {})]).toEqual([
    'AbpPermissionManagement',
    [
      'DeleteResourceAsyncByResourceNameAndResourceKeyAndProviderNameAndProviderKey',
      'GetAsyncByProviderNameAndProviderKey',
      'GetByGroupAsyncByGroupNameAndProviderNameAndProviderKey',
      'GetResourceAsyncByResourceNameAndResourceKey',
      'GetResourceByProviderAsyncByResourceNameAndResourceKeyAndProviderNameAndProviderKey',
      'GetResourceDefinitionsAsyncByResourceName',
      'GetResourceProviderKeyLookupServicesAsyncByResourceName',
      'SearchResourceProviderKeyAsyncByResourceNameAndServiceNameAndFilterAndPage',
      'UpdateAsyncByProviderNameAndProviderKeyAndInput',
      'UpdateResourceAsyncByResourceNameAndResourceKeyAndInput',
    ],
  ])
  const types = [
    'GetPermissionListResultDto',
    'PermissionGroupDto',
    'PermissionGrantInfoDto',
    'ProviderInfoDto',
    'UpdatePermissionsDto',
  ]
  expect(types.filter((name) => !(`Volo.Abp.PermissionManagement.${name}` in body.types))).toEqual([])
})

test('twenty updates at once of the same grants all end well', async () => {
  const { userId } = await app.as({})
  const all = [PortPermissions.View, PortPermissions.Edit]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const [first = '', second = ''] = index % 2 ? all : [...all].reverse()
      return put(chief, 'U', userId, { [first]: index % 3 !== 0, [second]: true })
    }),
  )
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([204])
  expect((await rowsOf(userId)).filter((name) => name === PortPermissions.Edit).length).toBeLessThanOrEqual(1)
})

test('the database refuses a second row of the same grant', async () => {
  const { userId } = await app.as({ permissions: [PortPermissions.View] })
  const { database } = app.host.get(PermissionGrants)
  const again = database.execute(sql`
    insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey") values (gen_random_uuid(), 'Port.View', 'U', ${userId})`)
  await expect(again).rejects.toMatchObject({ code: '23505' })
})
