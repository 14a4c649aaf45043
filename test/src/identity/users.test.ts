import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentityErrors,
  IdentityRoleAppService,
  IdentityUserAppService,
  IdentityUserLookupAppService,
  IdentityUserPermissions,
  OrganizationUnitAppService,
  SignIn,
} from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let admin: AppCaller
let users: InstanceType<typeof IdentityUserAppService>
beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  users = admin.service(IdentityUserAppService)
})
afterAll(() => app.close())

const { Default, Create, Update, Delete, ManageRoles } = IdentityUserPermissions
const name = (prefix = 'user') => `${prefix}-${randomUUID().slice(0, 8)}`
const person = (userName = name()) => ({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })
const send = (caller: AppCaller, method: string, path: string, body?: unknown) =>
  caller.fetch(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })

test('the list is what the Angular grid reads', async () => {
  const response = await admin.fetch('/api/identity/users?skipCount=0&maxResultCount=10')
  const list = (await response.json()) as { totalCount: number; items: Record<string, unknown>[] }
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(list)).toEqual(['totalCount', 'items'])
  const seeded = list.items.find(({ userName }) => userName === 'admin')
  expect(seeded).toEqual({
    id: admin.userId,
    tenantId: null,
    userName: 'admin',
    name: 'admin',
    surname: null,
    email: 'admin@keel.local',
    emailConfirmed: true,
    phoneNumber: null,
    phoneNumberConfirmed: false,
    supportTwoFactor: true,
    twoFactorEnabled: false,
    isActive: true,
    lockoutEnabled: true,
    isLockedOut: false,
    lockoutEnd: null,
    accessFailedCount: 0,
    shouldChangePasswordOnNextLogin: false,
    isExternal: false,
    roleNames: ['admin'],
    entityVersion: 0,
    lastPasswordChangeTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    lastSignInTime: null,
    concurrencyStamp: expect.stringMatching(/^[0-9a-f]{32}$/),
    extraProperties: {},
    creationTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    creatorId: null,
    lastModificationTime: null,
    lastModifierId: null,
    isDeleted: false,
    deleterId: null,
    deletionTime: null,
  })
})

test('the list is filtered, sorted and paged, and wildcards of the filter mean themselves', async () => {
  const mark = name('list')
  for (const letter of ['b', 'a', 'c'])
    await users.create({ ...person(`${letter}.${mark}`), surname: letter === 'c' ? '100%_sure' : 'plain' })
  const named = async (input: object) => {
    const { totalCount, items } = await users.getList({ filter: mark, ...input })
    return [totalCount, ...items.map(({ userName }) => userName[0])]
  }
  expect(await named({})).toEqual([3, 'a', 'b', 'c'])
  expect(await named({ sorting: 'userName DESC' })).toEqual([3, 'c', 'b', 'a'])
  expect(await named({ sorting: 'surname desc, userName asc', skipCount: 1, maxResultCount: 1 })).toEqual([
    3,
    'b',
  ])
  expect(await named({ filter: mark.toUpperCase() })).toEqual([3, 'a', 'b', 'c'])
  expect((await users.getList({ filter: '0%_s' })).items.map(({ surname }) => surname)).toEqual(['100%_sure'])
  expect((await users.getList({ filter: '%_%_%' })).totalCount).toBe(0)
  await expect(users.getList({ sorting: 'passwordHash asc' })).rejects.toMatchObject({ status: 400 })
})

test('the extended filters of the list count', async () => {
  const { id, userName } = await users.create({
    ...person(),
    isActive: false,
    roleNames: ['Operator'],
    phoneNumber: '+4912345',
  })
  const role = (await admin.service(IdentityRoleAppService).getList({ filter: 'Operator' })).items[0]
  const found = async (input: object) =>
    (await users.getList({ userName, ...input })).items.map((user) => user.id)
  expect(await found({ roleId: role?.id ?? '', notActive: true, phoneNumber: '12345' })).toEqual([id])
  expect(await found({ notActive: false })).toEqual([])
  expect(await found({ isLockedOut: true })).toEqual([])
  expect(await found({ emailConfirmed: false, isExternal: false, id })).toEqual([id])
  expect(
    await found({
      minCreationTime: new Date(Date.now() - 60_000),
      maxCreationTime: new Date(Date.now() + 60_000),
    }),
  ).toEqual([id])
  expect(await found({ minModifitionTime: new Date(0) })).toEqual([])
})

test('a user who was created can sign in and has the roles that were named', async () => {
  const input = {
    ...person(),
    name: 'Nina',
    phoneNumber: '',
    roleNames: ['Operator', 'PricingAnalyst'],
    extraProperties: { Title: 'Dr.' },
  }
  const created = await users.create(input)
  expect(created).toMatchObject({
    userName: input.userName,
    name: 'Nina',
    surname: null,
    phoneNumber: null,
    isActive: true,
    lockoutEnabled: true,
    roleNames: ['Operator', 'PricingAnalyst'],
    extraProperties: { Title: 'Dr.' },
    creatorId: admin.userId,
  })
  expect(await app.host.get(SignIn).check(input.email, input.password)).toMatchObject({
    outcome: 'signed-in',
  })
  expect((await users.getRoles(created.id)).items.map((role) => role.name)).toEqual([
    'Operator',
    'PricingAnalyst',
  ])
})

test('user name and e-mail address are unique in any case', async () => {
  const first = person()
  await users.create(first)
  await expect(users.create({ ...person(), userName: first.userName.toUpperCase() })).rejects.toMatchObject({
    status: 403,
    code: IdentityErrors.DuplicateUserName,
    message: `The user name ${first.userName.toUpperCase()} is already taken.`,
  })
  await expect(users.create({ ...person(), email: first.email.toUpperCase() })).rejects.toMatchObject({
    status: 403,
    code: IdentityErrors.DuplicateEmail,
  })
})

test('of ten requests at once for one user name, one is answered with a user', async () => {
  const userName = name()
  const attempts = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      send(admin, 'POST', '/api/identity/users', {
        ...person(userName),
        email: `${index}.${userName}@example.com`,
      }),
    ),
  )
  expect(attempts.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(403)])
  expect((await users.getList({ filter: userName })).totalCount).toBe(1)
})

test('a weak password and a bad user name are told with ABP’s codes', async () => {
  await expect(users.create({ ...person(), password: 'abc' })).rejects.toMatchObject({
    status: 403,
    code: IdentityErrors.PasswordTooShort,
    data: {
      faults: [
        IdentityErrors.PasswordTooShort,
        IdentityErrors.PasswordRequiresNonAlphanumeric,
        IdentityErrors.PasswordRequiresDigit,
        IdentityErrors.PasswordRequiresUpper,
      ],
    },
  })
  await expect(users.create({ ...person(), userName: 'two words' })).rejects.toMatchObject({
    code: IdentityErrors.InvalidUserName,
    message: 'The user name two words is not valid.',
  })
})

test('a whole user that was read can be sent back, with what the form changed', async () => {
  const { id } = await users.create({ ...person(), roleNames: ['Operator'], emailConfirmed: true })
  const read = (await (await admin.fetch(`/api/identity/users/${id}`)).json()) as Record<string, unknown>
  const response = await send(admin, 'PUT', `/api/identity/users/${id}`, {
    ...read,
    name: 'Max',
    surname: '',
    roleNames: ['PricingAnalyst'],
    unknownMember: { a: 1 },
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    ...read,
    name: 'Max',
    roleNames: ['PricingAnalyst'],
    entityVersion: 1,
    concurrencyStamp: expect.not.stringMatching(String(read.concurrencyStamp)),
    lastModificationTime: expect.any(String),
    lastModifierId: admin.userId,
  })
  const again = await send(admin, 'PUT', `/api/identity/users/${id}`, { ...read, name: 'Moritz' })
  expect(again.status).toBe(409)
})

test('of two changes that saw the same stamp, one is a conflict', async () => {
  const user = await users.create(person())
  const outcomes = await Promise.allSettled(
    ['A', 'B'].map((first) => users.update(user.id, { ...user, name: first })),
  )
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a new e-mail address is not confirmed, and a password that is given is the new one', async () => {
  const input = person()
  const { id, ...user } = await users.create({ ...input, emailConfirmed: true })
  const changed = await users.update(id, { ...user, email: `new.${input.email}`, password: 'New-Crane5' })
  expect(changed).toMatchObject({ email: `new.${input.email}`, emailConfirmed: false })
  expect(await app.host.get(SignIn).check(input.userName, 'New-Crane5')).toMatchObject({
    outcome: 'signed-in',
  })
})

test('users are found by name, e-mail address and id; nobody is 204', async () => {
  const input = person()
  const { id } = await users.create(input)
  expect((await users.findByUsername(input.userName.toUpperCase()))?.id).toBe(id)
  expect((await users.findByEmail(input.email))?.id).toBe(id)
  expect((await users.findById(id))?.id).toBe(id)
  for (const path of ['by-username/nobody', 'by-email/nobody@example.com', `by-id/${randomUUID()}`])
    expect((await admin.fetch(`/api/identity/users/${path}`)).status).toBe(204)
  expect((await admin.fetch(`/api/identity/users/${randomUUID()}`)).status).toBe(404)
})

test('who was deleted is gone, can not sign in, and leaves the name to others', async () => {
  const input = person()
  const { id } = await users.create(input)
  await users.delete(id)
  await users.delete(id)
  await expect(users.get(id)).rejects.toMatchObject({ status: 404 })
  expect(await app.host.get(SignIn).check(input.userName, input.password)).toEqual({
    outcome: 'wrong-credentials',
  })
  expect((await users.create(input)).id).not.toBe(id)
})

test('nobody can delete their own account', async () => {
  const caller = await app.as({ permissions: [Default, Delete] })
  await expect(caller.service(IdentityUserAppService).delete(caller.userId)).rejects.toMatchObject({
    status: 403,
    code: IdentityErrors.UserSelfDeletion,
  })
})

test('each operation asks for its permission', async () => {
  const reader = (await app.as({ permissions: [Default] })).service(IdentityUserAppService)
  const { id } = await users.create(person())
  await reader.get(id)
  const attempts = [
    reader.create(person()),
    reader.update(id, person()),
    reader.delete(id),
    reader.updateRoles(id, { roleNames: [] }),
    reader.updatePassword(id, { newPassword: 'New-Crane5' }),
    reader.lock(id, new Date()),
    reader.unlock(id),
    reader.setTwoFactorEnabled(id, true),
    reader.updateClaims(id, []),
  ]
  const outcomes = await Promise.allSettled(attempts)
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.status : 'done'))).toEqual(
    attempts.map(() => 403),
  )
  expect((await app.host.fetch('/api/identity/users')).status).toBe(401)
  const stranger = await app.as({})
  expect((await stranger.fetch('/api/identity/users')).status).toBe(403)
})

test('without the permission to manage roles, roles of an input are ignored', async () => {
  const { DefaultCustomer } = await import('@keel/identity/contracts')
  const clerk = await app.as({ permissions: [Default, Create, Update], roles: [DefaultCustomer] })
  const caller = clerk.service(IdentityUserAppService)
  const user = await caller.create({ ...person(), roleNames: ['admin'] })
  expect(user.roleNames).toEqual(['DefaultCustomer'])
  expect((await caller.update(user.id, { ...user, roleNames: ['admin'] })).roleNames).toEqual([
    'DefaultCustomer',
  ])
})

test('who is no administrator gives only roles that they hold, and changes nobody who holds more', async () => {
  const { Operator } = await import('@keel/identity/contracts')
  const caller = await app.as({ permissions: [Default, Create, Update, ManageRoles], roles: [Operator] })
  const manager = caller.service(IdentityUserAppService)
  expect((await manager.getAssignableRoles()).items.map((role) => role.name)).toEqual([
    'DefaultCustomer',
    'Operator',
  ])
  await expect(manager.create({ ...person(), roleNames: ['admin'] })).rejects.toMatchObject({
    code: IdentityErrors.RoleNotAssignable,
    message: 'You can only give roles that you hold yourself, which admin is not.',
  })
  const user = await users.create({ ...person(), roleNames: ['DefaultCustomer'] })
  await expect(manager.updateRoles(user.id, { roleNames: ['Operator', 'SuperUser'] })).rejects.toMatchObject({
    status: 403,
  })
  await manager.updateRoles(user.id, { roleNames: ['Operator'] })
  expect((await users.get(user.id)).roleNames).toEqual(['Operator'])
  const analyst = await users.create({ ...person(), roleNames: ['PricingManager'] })
  await expect(manager.updateRoles(analyst.id, { roleNames: [] })).rejects.toMatchObject({
    code: beyondOwnRights,
    message: 'You may only give, change or take over what holds no more rights than you do.',
  })
  expect((await users.get(analyst.id)).roleNames).toEqual(['PricingManager'])
})

test('a role that there is not is refused with its name', async () => {
  await expect(users.create({ ...person(), roleNames: ['Nobody'] })).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['roleNames'], message: 'roleNames: there is no role Nobody' }],
  })
})

test('a new role counts at the next request', async () => {
  const caller = await app.as({})
  expect((await caller.fetch('/api/identity/users')).status).toBe(403)
  await users.updateRoles(caller.userId, { roleNames: ['SuperUser'] })
  expect((await caller.fetch('/api/identity/users')).status).toBe(200)
  await users.updateRoles(caller.userId, { roleNames: [] })
  expect((await caller.fetch('/api/identity/users')).status).toBe(403)
})

test('a user who is locked is nobody until they are unlocked', async () => {
  const input = person()
  const { id } = await users.create(input)
  await users.lock(id, new Date(Date.now() + 3_600_000))
  expect(await users.get(id)).toMatchObject({ isLockedOut: true })
  expect(await app.host.get(SignIn).check(input.userName, input.password)).toMatchObject({
    outcome: 'locked-out',
  })
  await users.unlock(id)
  expect(await app.host.get(SignIn).check(input.userName, input.password)).toMatchObject({
    outcome: 'signed-in',
  })
})

test('who can not be locked out is not', async () => {
  const { id } = await users.create({ ...person(), lockoutEnabled: false })
  await expect(users.lock(id, new Date(Date.now() + 1000))).rejects.toMatchObject({
    code: IdentityErrors.UserLockoutNotEnabled,
  })
})

test('two-factor sign-in is switched on and off', async () => {
  const { id } = await users.create(person())
  await users.setTwoFactorEnabled(id, true)
  const response = await admin.fetch(`/api/identity/users/${id}/two-factor-enabled`)
  expect(await response.text()).toBe('true')
  await users.setTwoFactorEnabled(id, false)
  expect(await users.getTwoFactorEnabled(id)).toBe(false)
})

test('a password that somebody else sets is checked too', async () => {
  const input = person()
  const { id } = await users.create(input)
  await expect(users.updatePassword(id, { newPassword: 'abc' })).rejects.toMatchObject({
    code: IdentityErrors.PasswordTooShort,
  })
  await users.updatePassword(id, { newPassword: 'New-Crane5' })
  expect(await app.host.get(SignIn).check(input.userName, 'New-Crane5')).toMatchObject({
    outcome: 'signed-in',
  })
})

test('a deleted user has no grants left', async () => {
  const { id } = await users.create(person())
  const grants = app.host.get(PermissionGrants)
  await grants.grant([{ providerName: 'U', providerKey: id, permission: Default }])
  await users.delete(id)
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query(sql`
    select "Name" from "AbpPermissionGrants" where "ProviderName" = 'U' and "ProviderKey" = ${id}`)
  expect(rows).toEqual([])
})

test('organization units of a user are set with the user', async () => {
  const units = admin.service(OrganizationUnitAppService)
  const unit = await units.create({ displayName: name('unit') })
  const user = await users.create({ ...person(), organizationUnitIds: [unit.id] })
  expect(await users.getOrganizationUnits(user.id)).toMatchObject([
    { id: unit.id, displayName: unit.displayName, roles: [] },
  ])
  expect((await users.getList({ organizationUnitId: unit.id })).items.map(({ id }) => id)).toEqual([user.id])
  await users.update(user.id, { ...user, organizationUnitIds: [] })
  expect(await users.getOrganizationUnits(user.id)).toEqual([])
})

test('roles and organization units can be looked up for a choice', async () => {
  expect(await users.getRoleLookup()).toContainEqual({ id: expect.any(String), name: 'admin' })
  expect(await users.getOrganizationUnitLookup()).toContainEqual({
    id: expect.any(String),
    displayName: 'Default',
  })
  expect((await users.getAvailableOrganizationUnits()).items[0]).toMatchObject({
    code: '00001',
    displayName: 'Default',
  })
})

test('a client that may look users up finds them, and nobody else does', async () => {
  const input = person()
  const { id } = await users.create({ ...input, surname: 'Lookup' })
  await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'C', providerKey: 'Directory', permission: 'AbpIdentity.UserLookup' }])
  const lookup = (await app.host.as({ subject: 'Directory', clientId: 'Directory' })).service(
    IdentityUserLookupAppService,
  )
  const data = {
    id,
    tenantId: null,
    userName: input.userName,
    name: null,
    surname: 'Lookup',
    isActive: true,
    email: input.email,
    emailConfirmed: false,
    phoneNumber: null,
    phoneNumberConfirmed: false,
    extraProperties: {},
  }
  expect(await lookup.findById(id)).toEqual(data)
  expect(await lookup.findByUserName(input.userName)).toEqual(data)
  expect((await lookup.search({ filter: input.userName })).items).toEqual([data])
  expect(await lookup.getCount(input.userName)).toBe(1)
  expect((await admin.fetch(`/api/identity/users/lookup/${id}`)).status).toBe(403)
})
