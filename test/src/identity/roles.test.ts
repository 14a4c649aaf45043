import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentityClaimTypeAppService,
  IdentityClaimValueType,
  IdentityErrors,
  IdentityRoleAppService,
  IdentityRolePermissions,
  IdentityUserAppService,
} from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let admin: AppCaller
let roles: InstanceType<typeof IdentityRoleAppService>
beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  roles = admin.service(IdentityRoleAppService)
})
afterAll(() => app.close())

const name = (prefix = 'role') => `${prefix} ${randomUUID().slice(0, 8)}`
const roleNamed = async (role: string) => {
  const found = (await roles.getAllList()).items.find((other) => other.name === role)
  if (!found) throw new Error(`no role ${role}`)
  return found
}
const grantsOf = async (role: string) => {
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query<{ name: string }>(sql`
    select "Name" as name from "AbpPermissionGrants" where "ProviderName" = 'R' and "ProviderKey" = ${role}`)
  return rows.map((row) => row.name)
}

test('the list is what the Angular grid reads', async () => {
  const list = (await (await admin.fetch('/api/identity/roles?skipCount=0&maxResultCount=10')).json()) as {
    totalCount: number
    items: Record<string, unknown>[]
  }
  expect(list.totalCount).toBeGreaterThanOrEqual(9)
  expect(list.items.find((role) => role.name === 'SuperUser')).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'SuperUser',
    isDefault: false,
    isStatic: true,
    isPublic: true,
    userCount: 1,
    creationTime: expect.stringMatching(/Z$/),
    concurrencyStamp: expect.any(String),
    extraProperties: {},
    parentNames: ['CustomerAdmin', 'OperationsManager', 'PricingManager'],
  })
})

test('a role is static, or not, over REST and OData alike', async () => {
  const made = await roles.create({ name: name(), isDefault: false, isPublic: false })
  const answer = await admin.fetch('/odata/Roles?$select=Name,IsStatic')
  const { value } = (await answer.json()) as { value: { Name: string; IsStatic: boolean }[] }
  const listed = new Map((await roles.getAllList()).items.map((role) => [role.name, role.isStatic]))
  expect(new Map(value.map(({ Name, IsStatic }) => [Name, IsStatic]))).toEqual(listed)
  expect([listed.get('Operator'), listed.get(made.name)]).toEqual([true, false])
  await roles.delete(made.id)
})

test('a role has the same parents over REST and OData, which finds roles by them', async () => {
  const made = await roles.create({ name: name(), isDefault: false, isPublic: false })
  const read = async (query: string) => {
    const { value } = (await (await admin.fetch(`/odata/Roles?${query}`)).json()) as {
      value: { Name: string; ParentNames: string[] }[]
    }
    return value
  }
  const published = new Map(
    (await read('$select=Name,ParentNames')).map(({ Name, ParentNames }) => [Name, ParentNames]),
  )
  const listed = new Map((await roles.getAllList()).items.map((role) => [role.name, role.parentNames]))
  expect(published).toEqual(listed)
  expect([published.get('admin'), published.get('SuperUser'), published.get(made.name)]).toEqual([
    ['InternalAdmin'],
    ['CustomerAdmin', 'OperationsManager', 'PricingManager'],
    [],
  ])
  const below = await read("$filter=ParentNames/any(p:p eq 'DefaultCustomer')&$select=Name&$orderby=Name")
  expect(below.map(({ Name }) => Name)).toEqual(['CustomerAdmin', 'Operator', 'PricingAnalyst'])
  expect((await read("$filter='OperationsManager' in ParentNames&$select=Name"))[0]?.Name).toBe('SuperUser')
  await roles.delete(made.id)
})

test('a role is made, read, sent back whole, sorted, filtered and deleted', async () => {
  const first = await roles.create({ name: name('zz'), isDefault: false, isPublic: true })
  const second = await roles.create({ name: name('zz') })
  const response = await admin.fetch(`/api/identity/roles/${first.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...(await roles.get(first.id)), isDefault: true, other: 1 }),
  })
  expect(await response.json()).toMatchObject({ id: first.id, isDefault: true, isPublic: true })
  expect(
    (await roles.getList({ filter: 'ZZ ', sorting: 'isDefault desc' })).items.map(({ id }) => id),
  ).toEqual([first.id, second.id])
  await expect(roles.update(first.id, first)).rejects.toMatchObject({ status: 409 })
  await roles.delete(first.id)
  await roles.delete(first.id)
  await expect(roles.get(first.id)).rejects.toMatchObject({ status: 404 })
})

test('of five requests at once for one role name in any case, one gets it', async () => {
  const wanted = name()
  const attempts = await Promise.allSettled(
    [wanted, wanted.toUpperCase(), wanted, wanted, wanted].map((role) => roles.create({ name: role })),
  )
  const codes = attempts
    .map((attempt) => (attempt.status === 'rejected' ? attempt.reason.code : 'made'))
    .sort()
  expect(codes).toEqual([...Array(4).fill(IdentityErrors.DuplicateRoleName), 'made'])
})

test('a static role can not be renamed or deleted', async () => {
  const admins = await roleNamed('admin')
  await expect(roles.update(admins.id, { ...admins, name: 'boss' })).rejects.toMatchObject({
    code: IdentityErrors.StaticRoleRenaming,
  })
  await expect(roles.delete(admins.id)).rejects.toMatchObject({ code: IdentityErrors.StaticRoleDeletion })
  expect((await roles.update(admins.id, { ...admins, isPublic: false })).isPublic).toBe(false)
})

test('a role that others inherit from in the code keeps its name and stays', async () => {
  const operator = await roleNamed('Operator')
  expect(operator.isStatic).toBe(true)
  await expect(roles.update(operator.id, { ...operator, name: 'Clerk' })).rejects.toMatchObject({
    code: IdentityErrors.StaticRoleRenaming,
  })
  await expect(roles.delete(operator.id)).rejects.toMatchObject({ code: IdentityErrors.StaticRoleDeletion })
  expect((await roles.update(operator.id, { ...operator, isPublic: true })).isPublic).toBe(true)
  const { items } = await roles.getList({ sorting: 'isStatic DESC, name', maxResultCount: 9 })
  expect(items.every(({ isStatic }) => isStatic)).toBe(true)
})

test('a role that is renamed keeps its grants, and one that is deleted leaves none', async () => {
  const role = await roles.create({ name: name() })
  await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'R', providerKey: role.name, permission: 'Port.View' }])
  const renamed = await roles.update(role.id, { ...role, name: name('renamed') })
  expect([await grantsOf(role.name), await grantsOf(renamed.name)]).toEqual([[], ['Port.View']])
  await roles.delete(role.id)
  expect(await grantsOf(renamed.name)).toEqual([])
})

test('a new default role is given to new users, and its count of users grows', async () => {
  const role = await roles.create({ name: name(), isDefault: true })
  const users = admin.service(IdentityUserAppService)
  const user = await users.create({
    userName: randomUUID(),
    email: `${randomUUID()}@example.com`,
    password: 'Abc-Crane5',
  })
  expect(user.roleNames).toEqual(['DefaultCustomer', role.name])
  expect((await roles.get(role.id)).userCount).toBe(1)
  await users.delete(user.id)
  expect((await roles.get(role.id)).userCount).toBe(0)
  await roles.delete(role.id)
})

test('all users of a role are moved to another one, or out of it', async () => {
  const from = await roles.create({ name: name() })
  const to = await roles.create({ name: name() })
  const users = admin.service(IdentityUserAppService)
  for (const roleNames of [[from.name], [from.name, to.name]])
    await users.create({
      userName: randomUUID(),
      email: `${randomUUID()}@example.com`,
      password: 'Abc-Crane5',
      roleNames,
    })
  await roles.moveAllUsers(from.id, to.id)
  expect([(await roles.get(from.id)).userCount, (await roles.get(to.id)).userCount]).toEqual([0, 2])
  await roles.moveAllUsers(to.id, null)
  expect((await roles.get(to.id)).userCount).toBe(0)
})

test('a caller moves no users of roles that they do not hold', async () => {
  const caller = await app.as({ permissions: Object.values(IdentityRolePermissions) })
  const role = await roles.create({ name: name() })
  await expect(caller.service(IdentityRoleAppService).moveAllUsers(role.id, null)).rejects.toMatchObject({
    code: IdentityErrors.RoleNotAssignable,
  })
})

test('each operation asks for its permission', async () => {
  const reader = (await app.as({ permissions: [IdentityRolePermissions.Default] })).service(
    IdentityRoleAppService,
  )
  const { id } = await roles.create({ name: name() })
  await reader.get(id)
  const outcomes = await Promise.allSettled([
    reader.create({ name: name() }),
    reader.update(id, { name: name() }),
    reader.delete(id),
    reader.updateClaims(id, []),
    reader.moveAllUsers(id, null),
  ])
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.status : 'done'))).toEqual(
    Array(5).fill(403),
  )
})

test('claims of roles and users are of known types and fit them', async () => {
  const types = admin.service(IdentityClaimTypeAppService)
  const users = admin.service(IdentityUserAppService)
  const code = name('code')
  const age = name('age')
  const codeType = await types.create({
    name: code,
    regex: '[A-Z]{3}',
    valueType: IdentityClaimValueType.String,
    required: true,
  })
  await types.create({ name: age, valueType: IdentityClaimValueType.Int })
  expect((await roles.getAllClaimTypes()).map((type) => type.name)).toEqual(
    expect.arrayContaining([age, code]),
  )
  const role = await roles.create({ name: name() })
  await roles.updateClaims(role.id, [
    { claimType: code, claimValue: 'ABC' },
    { claimType: age, claimValue: '42' },
  ])
  expect(await roles.getClaims(role.id)).toEqual([
    { roleId: role.id, claimType: age, claimValue: '42' },
    { roleId: role.id, claimType: code, claimValue: 'ABC' },
  ])
  for (const [claimType, claimValue] of [
    [code, 'ABCD'],
    [code, ''],
    [age, 'old'],
  ] as const)
    await expect(roles.updateClaims(role.id, [{ claimType, claimValue }])).rejects.toMatchObject({
      code: IdentityErrors.ClaimValueInvalid,
    })
  await expect(roles.updateClaims(role.id, [{ claimType: 'none', claimValue: '' }])).rejects.toMatchObject({
    status: 400,
  })
  await users.updateClaims(admin.userId, [{ userId: admin.userId, claimType: code, claimValue: 'XYZ' }])
  expect(await users.getClaims(admin.userId)).toEqual([
    { userId: admin.userId, claimType: code, claimValue: 'XYZ' },
  ])
  const renamed = name('code')
  await types.update(codeType.id, { ...codeType, name: renamed })
  expect((await users.getClaims(admin.userId)).map(({ claimType }) => claimType)).toEqual([renamed])
  await users.updateClaims(admin.userId, [])
  expect(await users.getClaims(admin.userId)).toEqual([])
})

test('claim types are made, listed, changed under their stamp and deleted', async () => {
  const types = admin.service(IdentityClaimTypeAppService)
  const mark = name('type')
  const made = await types.create({
    name: mark,
    valueType: IdentityClaimValueType.DateTime,
    description: 'When',
  })
  expect(made).toMatchObject({
    name: mark,
    isStatic: false,
    regex: null,
    valueType: 3,
    valueTypeAsString: 'DateTime',
  })
  expect((await types.getList({ filter: mark, sorting: 'name' })).items).toEqual([made])
  await expect(types.create({ name: mark, valueType: 0 })).rejects.toMatchObject({
    code: IdentityErrors.ClaimNameExists,
  })
  await expect(types.create({ name: name(), valueType: 0, regex: '(' })).rejects.toMatchObject({
    status: 400,
  })
  const changed = await types.update(made.id, { ...made, required: true })
  expect(changed.required).toBe(true)
  await expect(types.update(made.id, made)).rejects.toMatchObject({ status: 409 })
  await types.delete(made.id)
  await expect(types.get(made.id)).rejects.toMatchObject({ status: 404 })
  const reader = await app.as({ permissions: ['AbpIdentity.ClaimTypes'] })
  await expect(
    reader.service(IdentityClaimTypeAppService).create({ name: name(), valueType: 0 }),
  ).rejects.toMatchObject({ status: 403 })
})

test('a claim type takes no expression with back references, which PostgreSQL compares with for minutes', async () => {
  const types = admin.service(IdentityClaimTypeAppService)
  const slow = '(a+)(a+)(a+)(a+)(a+)(a+)\\1\\2\\3\\4\\5\\6'
  await expect(types.create({ name: name(), valueType: 0, regex: slow })).rejects.toMatchObject({
    status: 400,
    validationErrors: [{ members: ['regex'] }],
  })
  const { regex } = await types.create({ name: name(), valueType: 0, regex: 'C:\\\\1[0-9]\\d' })
  expect(regex).toBe('C:\\\\1[0-9]\\d')
})

test('claim types of older databases keep expressions that take minutes, or are of .NET: no value is compared with them', async () => {
  const types = admin.service(IdentityClaimTypeAppService)
  const { id } = await roles.create({ name: name() })
  const [slow, foreign, good] = [name('slow'), name('foreign'), name('good')]
  for (const type of [slow, foreign, good]) await types.create({ name: type, valueType: 0, regex: '[a-z]+' })
  await setRegex(slow, '(a+)(a+)(a+)(a+)(a+)(a+)\\1\\2\\3\\4\\5\\6')
  await setRegex(foreign, '(?<year>[0-9]{4})')
  const began = performance.now()
  const refused = roles.updateClaims(id, [
    { claimType: slow, claimValue: `${'a'.repeat(100)}b` },
    { claimType: foreign, claimValue: '2026' },
    { claimType: good, claimValue: 'abc' },
  ])
  await expect(refused).rejects.toMatchObject({
    status: 400,
    validationErrors: [foreign, slow].map((type) => ({
      members: ['claimValue'],
      message: expect.stringContaining(type),
    })),
  })
  expect(performance.now() - began).toBeLessThan(2500)
  await roles.updateClaims(id, [{ claimType: good, claimValue: 'abc' }])
  expect(await roles.getClaims(id)).toHaveLength(1)
})

/** Gives a claim type an expression that none may be given any more. */
async function setRegex(type: string, regex: string): Promise<void> {
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`update "AbpClaimTypes" set "Regex" = ${regex} where "Name" = ${type}`)
}
