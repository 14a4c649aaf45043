import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { PortPermissions } from '@keel/hub/contracts'
import {
  IdentityErrors,
  IdentityPermissions,
  IdentityRoleAppService,
  IdentityRolePermissions,
  IdentityUserAppService,
  type IdentityUserDto,
  IdentityUserPermissions,
  InternalAdmin,
  OrganizationUnitAppService,
  OrganizationUnitPermissions,
} from '@keel/identity/contracts'
import { ApplicationPermissions } from '@keel/openid/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { AccountSettingPermissions, SettingManagementPermissions } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, send } from '../support/wire.js'

let app: App
let admin: AppCaller
let users: InstanceType<typeof IdentityUserAppService>
let roles: InstanceType<typeof IdentityRoleAppService>
let units: InstanceType<typeof OrganizationUnitAppService>
beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  admin = await app.admin()
  users = admin.service(IdentityUserAppService)
  roles = admin.service(IdentityRoleAppService)
  units = admin.service(OrganizationUnitAppService)
})
afterAll(() => app?.close())

const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`
const valuesOf = (group: object): string[] => Object.values(group) as string[]
const said = ({ status, body }: Answer) => [status, body?.error?.code]
const beyond = [403, beyondOwnRights]
const password = 'Abc-Crane5'

function person(): { userName: string; email: string; password: string } {
  const userName = unique('user')
  return { userName, email: `${userName}@example.com`, password }
}

async function roleWith({ granted = [] as string[], prohibited = [] as string[] }): Promise<{
  id: string
  name: string
}> {
  const { id, name } = await roles.create({ name: unique('role') })
  const changes = [
    ...granted.map((permission) => ({ name: permission, kind: 'Granted' as const })),
    ...prohibited.map((permission) => ({ name: permission, kind: 'Prohibited' as const })),
  ]
  const held = changes.map((change) => ({ ...change, providerName: 'R' as const, providerKey: name }))
  await app.host.get(PermissionGrants).apply(held, 'Module')
  return { id, name }
}

/** A caller with every right over users, roles and units, and nothing else. */
function clerk(): Promise<AppCaller> {
  return app.as({
    permissions: [
      ...valuesOf(IdentityUserPermissions),
      ...valuesOf(IdentityRolePermissions),
      ...valuesOf(OrganizationUnitPermissions),
    ],
  })
}

test.each<[string, string, string, (user: IdentityUserDto) => unknown]>([
  ['whole', 'PUT', '', (user) => ({ ...user, email: `${unique('mine')}@example.com` })],
  ['password', 'PUT', '/change-password', () => ({ newPassword: 'Mine-Crane5' })],
  ['roles', 'PUT', '/roles', () => ({ roleNames: [] })],
  ['claims', 'PUT', '/claims', () => []],
  ['lock-out', 'PUT', `/lock/${new Date('2040-01-01').toISOString()}`, () => undefined],
  ['end of a lock-out', 'PUT', '/unlock', () => undefined],
  ['second factor', 'PUT', '/two-factor/false', () => undefined],
  ['existence', 'DELETE', '', () => undefined],
])('the %s of a user who holds more is not the caller’s to change', async (_what, method, below, bodyOf) => {
  const caller = await clerk()
  const over = await users.create({ ...person(), roleNames: ['Operator'] })
  const path = `/api/identity/users/${over.id}${below}`
  expect(said(await send(caller, method, path, bodyOf(over)))).toEqual(beyond)
  const below2 = await users.create({ ...person(), roleNames: [] })
  const allowed = await send(caller, method, `/api/identity/users/${below2.id}${below}`, bodyOf(below2))
  expect([200, 204]).toContain(allowed.status)
})

test('an API key is no way to the rest of its owner’s rights', async () => {
  const key = await clerk()
  const made = await send(key, 'POST', '/api/api-key-management/api-keys', { name: 'x' })
  expect(made.status).toBe(403)
  const owner = await app.as({
    permissions: [...valuesOf(IdentityUserPermissions), 'ApiKeys.Create', 'Port.View'],
  })
  const { body } = await send(owner, 'POST', '/api/api-key-management/api-keys', { name: 'x' })
  await app.host
    .get(PermissionGrants)
    .apply([{ providerName: 'AK', providerKey: body.id, name: 'Port.View', kind: 'Revoked' }], 'Module')
  const withKey = {
    fetch: (path: string, init: RequestInit = {}) =>
      app.host.fetch(path, { ...init, headers: { ...init.headers, 'x-api-key': body.key } }),
  }
  const answer = await send(withKey, 'PUT', `/api/identity/users/${owner.userId}/change-password`, {
    newPassword: 'Mine-Crane5',
  })
  expect(said(answer)).toEqual(beyond)
})

test('a role becomes a default role by a caller who may give it, and that of the administrators by nobody', async () => {
  const caller = await clerk()
  const role = await roleWith({ granted: [PortPermissions.Edit] })
  const change = async (who: AppCaller, id: string) =>
    said(await send(who, 'PUT', `/api/identity/roles/${id}`, { ...(await roles.get(id)), isDefault: true }))
  expect(await change(caller, role.id)).toEqual(beyond)
  const mine = await roleWith({})
  expect(await change(caller, mine.id)).toEqual([403, IdentityErrors.RoleNotAssignable])
  const { items } = await roles.getAllList()
  const adminRole = items.find(({ name }) => name === 'admin')?.id ?? ''
  expect(await change(admin, adminRole)).toEqual([403, IdentityErrors.DefaultAdministrators])
})

test('a role that prohibits is not taken away by a caller whom it keeps from something', async () => {
  const barrier = await roleWith({ prohibited: [PortPermissions.Edit] })
  const caller = await clerk()
  await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'U', providerKey: caller.userId, permission: PortPermissions.Edit }])
  await users.updateRoles(caller.userId, { roleNames: [barrier.name] })
  await expect
    .poll(
      async () =>
        (await send(caller, 'PUT', `/api/identity/users/${caller.userId}/roles`, { roleNames: [] })).body
          ?.error?.code,
    )
    .toBe(beyondOwnRights)
  expect(said(await send(caller, 'DELETE', `/api/identity/roles/${barrier.id}`))).toEqual(beyond)
})

test('a user is put into, or taken out of, a unit with roles by a caller who may give them', async () => {
  const caller = await clerk()
  const role = await roleWith({ granted: [PortPermissions.Edit] })
  const unit = await units.create({ displayName: unique('unit') })
  await units.addRoles(unit.id, { roleIds: [role.id] })
  const path = `/api/identity/organization-units/${unit.id}`
  const add = await send(caller, 'PUT', `${path}/members`, { userIds: [caller.userId] })
  expect(said(add)).toEqual([403, IdentityErrors.RoleNotAssignable])
  const member = await users.create({ ...person(), roleNames: [] })
  await units.addMembers(unit.id, { userIds: [member.id] })
  expect(said(await send(caller, 'DELETE', `${path}/members/${member.id}`))).toEqual(beyond)
  expect(said(await send(caller, 'DELETE', `/api/identity/organization-units?id=${unit.id}`))).toEqual(beyond)
})

test('a role is not deleted of which a member holds more than the caller, by the role itself or by a unit', async () => {
  const caller = await clerk()
  const remove = async (id: string) => said(await send(caller, 'DELETE', `/api/identity/roles/${id}`))
  const own = await roleWith({})
  await users.create({ ...person(), roleNames: [own.name, 'Operator'] })
  expect(await remove(own.id)).toEqual(beyond)
  const ofUnit = await roleWith({})
  const unit = await units.create({ displayName: unique('unit') })
  await units.addRoles(unit.id, { roleIds: [ofUnit.id] })
  const member = await users.create({ ...person(), roleNames: ['Operator'] })
  await units.addMembers(unit.id, { userIds: [member.id] })
  expect(await remove(ofUnit.id)).toEqual(beyond)
  expect(said(await send(caller, 'DELETE', `/api/identity/organization-units?id=${unit.id}`))).toEqual(beyond)
  const ofEquals = await roleWith({})
  await users.create({ ...person(), roleNames: [ofEquals.name] })
  expect(await remove(ofEquals.id)).toEqual([204, undefined])
})

const mail = {
  smtpHost: 'mail.example.com',
  smtpPort: 25,
  smtpEnableSsl: false,
  smtpUseDefaultCredentials: false,
  defaultFromAddress: 'keel@example.com',
  defaultFromDisplayName: 'Keel',
}

test.each<[string, string, string, object]>([
  ['mail server', SettingManagementPermissions.Emailing, '/api/setting-management/emailing', mail],
  ['rules of passwords', IdentityPermissions.SettingManagement, '/api/identity/settings', { password: null }],
  [
    'authority of passwords',
    IdentityPermissions.SettingManagement,
    '/api/identity/settings/oauth',
    {
      enableOAuthLogin: false,
      clientId: '',
      authority: '',
      requireHttpsMetadata: true,
      validateEndpoints: true,
      validateIssuerName: true,
    },
  ],
  [
    'registration',
    AccountSettingPermissions.SettingManagement,
    '/api/account-admin/settings',
    { isSelfRegistrationEnabled: true, enableLocalLogin: true },
  ],
  [
    'second factor',
    AccountSettingPermissions.SettingManagement,
    '/api/account-admin/settings/two-factor',
    { twoFactorBehaviour: 1, usersCanChange: true },
  ],
  [
    'external providers',
    AccountSettingPermissions.SettingManagement,
    '/api/account-admin/settings/external-provider',
    { externalProviders: [] },
  ],
])(
  'the %s, which guards every account, is for callers who hold everything',
  async (_what, permission, path, body) => {
    const caller = await app.as({ permissions: [permission] })
    const method = path.endsWith('emailing') ? 'POST' : 'PUT'
    expect(said(await send(caller, method, path, body))).toEqual(beyond)
    const everything = await app.as({ roles: [InternalAdmin] })
    expect([200, 204]).toContain((await send(everything, method, path, body)).status)
  },
)

test('a client that holds more, or receives tokens unasked, is for callers who hold as much', async () => {
  const caller = await app.as({ permissions: valuesOf(ApplicationPermissions) })
  const path = '/api/openiddict/applications'
  const confidential = {
    applicationType: 'web',
    clientId: unique('client'),
    displayName: 'Test',
    clientType: 'confidential',
    clientSecret: 'a secret of some length',
    allowClientCredentialsFlow: true,
    scopes: ['Core'],
  }
  const made = await send(caller, 'POST', path, confidential)
  expect(made.status).toBe(200)
  await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'C', providerKey: confidential.clientId, permission: PortPermissions.Edit }])
  const changed = { ...confidential, clientSecret: 'another secret' }
  expect(said(await send(caller, 'PUT', `${path}/${made.body.id}`, changed))).toEqual(beyond)
  expect(said(await send(caller, 'DELETE', `${path}?id=${made.body.id}`))).toEqual(beyond)
  const receiver = {
    applicationType: 'web',
    clientId: unique('client'),
    displayName: 'Test',
    allowAuthorizationCodeFlow: true,
    redirectUris: ['https://example.com/'],
    scopes: ['Core'],
  }
  expect(said(await send(caller, 'POST', path, receiver))).toEqual(beyond)
  const asking = { ...receiver, consentType: 'explicit' }
  const asked = await send(caller, 'POST', path, asking)
  expect(asked.status).toBe(200)
  expect(said(await send(caller, 'PUT', `${path}/${asked.body.id}`, receiver))).toEqual(beyond)
})
