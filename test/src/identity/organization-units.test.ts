import { randomUUID } from 'node:crypto'
import {
  IdentityErrors,
  IdentityRoleAppService,
  IdentityUserAppService,
  OrganizationUnitAppService,
  OrganizationUnitPermissions,
  SignIn,
} from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { expectAtNextRequest } from '../support/next-request.js'

let app: App
let admin: AppCaller
let units: InstanceType<typeof OrganizationUnitAppService>
let users: InstanceType<typeof IdentityUserAppService>
beforeAll(async () => {
  app = await startApp(undefined, { 'Settings:Abp.Identity.OrganizationUnit.MaxUserMembershipCount': '2' })
  admin = await app.admin()
  units = admin.service(OrganizationUnitAppService)
  users = admin.service(IdentityUserAppService)
})
afterAll(() => app.close())

const name = (prefix = 'unit') => `${prefix}-${randomUUID().slice(0, 8)}`
const unit = (parentId?: string) => units.create({ displayName: name(), parentId })
const user = async () => {
  const userName = name('user')
  return users.create({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })
}
const roleId = async (role: string) =>
  (await admin.service(IdentityRoleAppService).getAllList()).items.find((other) => other.name === role)?.id ??
  ''

test('the default unit is there, and the tree is what the client reads', async () => {
  const response = await admin.fetch('/api/identity/organization-units/all')
  const { items } = (await response.json()) as { items: Record<string, unknown>[] }
  expect(items[0]).toEqual({
    id: expect.any(String),
    tenantId: null,
    parentId: null,
    code: '00001',
    displayName: 'Default',
    concurrencyStamp: expect.any(String),
    extraProperties: {},
    creationTime: expect.stringMatching(/Z$/),
    creatorId: null,
    lastModificationTime: null,
    lastModifierId: null,
    isDeleted: false,
    deleterId: null,
    deletionTime: null,
    roles: [],
    userCount: 0,
  })
})

test('codes number the children of a unit, also when they are made at once', async () => {
  const parent = await unit()
  const children = await Promise.all(Array.from({ length: 6 }, () => unit(parent.id)))
  expect(children.map(({ code }) => code).sort()).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `${parent.code}.0000${number}`),
  )
})

test('units of one level have different names', async () => {
  const parent = await unit()
  const displayName = name()
  const made = await units.create({ displayName, parentId: parent.id })
  await expect(units.create({ displayName, parentId: parent.id })).rejects.toMatchObject({
    code: IdentityErrors.DuplicateOrganizationUnitName,
    message: `There is already an organization unit ${displayName} at this level.`,
  })
  const other = await unit(parent.id)
  await expect(units.update(other.id, { ...other, displayName })).rejects.toMatchObject({ status: 403 })
  expect((await units.update(made.id, { ...made, displayName: `${displayName}!` })).displayName).toBe(
    `${displayName}!`,
  )
  await expect(units.update(made.id, { ...made, displayName: name() })).rejects.toMatchObject({ status: 409 })
})

test('a unit moves with everything below it, never below itself', async () => {
  const [a, b] = [await unit(), await unit()]
  const child = await unit(a.id)
  const grandchild = await unit(child.id)
  await units.move(child.id, { newParentId: b.id })
  expect(await units.get(child.id)).toMatchObject({ parentId: b.id, code: `${b.code}.00001` })
  expect(await units.get(grandchild.id)).toMatchObject({ parentId: child.id, code: `${b.code}.00001.00001` })
  for (const newParentId of [child.id, grandchild.id])
    await expect(units.move(child.id, { newParentId })).rejects.toMatchObject({
      code: IdentityErrors.OrganizationUnitCycle,
    })
  await units.move(child.id, { newParentId: null })
  expect((await units.get(grandchild.id)).code).toMatch(/^\d{5}\.00001$/)
})

test('two units that are moved below each other at once do not both get there', async () => {
  const [a, b] = [await unit(), await unit()]
  const outcomes = await Promise.allSettled([
    units.move(a.id, { newParentId: b.id }),
    units.move(b.id, { newParentId: a.id }),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('the tree has sixteen levels at most', async () => {
  let parent: string | undefined
  for (let level = 1; level <= 16; level++) parent = (await unit(parent)).id
  await expect(unit(parent)).rejects.toMatchObject({ code: IdentityErrors.OrganizationUnitTooDeep })
})

test('a unit that is deleted by its id in the query takes everything below it away', async () => {
  const parent = await unit()
  const child = await unit(parent.id)
  const member = await user()
  await units.addMembers(child.id, { userIds: [member.id] })
  const response = await admin.fetch(`/api/identity/organization-units?id=${parent.id}`, { method: 'DELETE' })
  expect(response.status).toBe(204)
  for (const { id } of [parent, child]) await expect(units.get(id)).rejects.toMatchObject({ status: 404 })
  expect(await users.getOrganizationUnits(member.id)).toEqual([])
})

test('members come, are counted, move and go', async () => {
  const [from, to] = [await unit(), await unit()]
  const [one, two] = [await user(), await user()]
  await units.addMembers(from.id, { userIds: [one.id, two.id] })
  expect(await units.getMembers(from.id, { filter: one.userName })).toMatchObject({
    totalCount: 1,
    items: [{ id: one.id }],
  })
  expect((await units.get(from.id)).userCount).toBe(2)
  expect((await units.getAvailableUsers(from.id, { filter: one.userName })).totalCount).toBe(0)
  expect((await units.getAvailableUsers(to.id, { filter: one.userName })).totalCount).toBe(1)
  await units.moveAllUsers(from.id, to.id)
  expect([(await units.get(from.id)).userCount, (await units.get(to.id)).userCount]).toEqual([0, 2])
  await units.removeMember(to.id, one.id)
  expect((await units.getMembers(to.id, {})).items.map(({ id }) => id)).toEqual([two.id])
  await expect(units.addMembers(to.id, { userIds: [randomUUID()] })).rejects.toMatchObject({ status: 400 })
})

test('a user is in no more units than the settings allow', async () => {
  const { id } = await user()
  for (const { id: unitId } of [await unit(), await unit()]) await units.addMembers(unitId, { userIds: [id] })
  await expect(units.addMembers((await unit()).id, { userIds: [id] })).rejects.toMatchObject({
    code: IdentityErrors.MaxOrganizationUnitMembership,
    message: 'A user can be a member of 2 organization units at most.',
  })
})

test('members hold the roles of their unit at the next request', async () => {
  const { id } = await unit()
  const caller = await app.as({})
  const asks = (wanted: number): Promise<void> =>
    expectAtNextRequest(async () => (await caller.fetch('/api/identity/roles')).status, wanted)
  await units.addMembers(id, { userIds: [caller.userId] })
  await asks(403)
  const superUser = await roleId('SuperUser')
  expect((await units.getAvailableRoles(id, { filter: 'SuperUser' })).totalCount).toBe(1)
  await units.addRoles(id, { roleIds: [superUser] })
  await asks(200)
  expect((await units.get(id)).roles.map((role) => role.name)).toEqual(['SuperUser'])
  expect((await units.getRoles(id, {})).items.map((role) => role.name)).toEqual(['SuperUser'])
  expect((await units.getAvailableRoles(id, { filter: 'SuperUser' })).totalCount).toBe(0)
  expect(await app.host.get(SignIn).find(caller.userId)).toMatchObject({ roles: ['SuperUser'] })
  await units.removeRole(id, superUser)
  await asks(403)
})

test('who is no administrator puts nobody under roles that they do not hold', async () => {
  const caller = (await app.as({ permissions: Object.values(OrganizationUnitPermissions) })).service(
    OrganizationUnitAppService,
  )
  const { id } = await unit()
  const refused = { code: IdentityErrors.RoleNotAssignable }
  await expect(caller.addRoles(id, { roleIds: [await roleId('admin')] })).rejects.toMatchObject(refused)
  await units.addRoles(id, { roleIds: [await roleId('Operator')] })
  await expect(caller.addMembers(id, { userIds: [admin.userId] })).rejects.toMatchObject(refused)
})

test('each operation asks for its permission', async () => {
  const reader = (await app.as({ permissions: [OrganizationUnitPermissions.Default] })).service(
    OrganizationUnitAppService,
  )
  const { id } = await unit()
  expect((await reader.getList({ filter: 'Default' })).items.map(({ displayName }) => displayName)).toEqual([
    'Default',
  ])
  const outcomes = await Promise.allSettled([
    reader.create({ displayName: name() }),
    reader.update(id, { displayName: name() }),
    reader.delete(id),
    reader.move(id, {}),
    reader.addMembers(id, { userIds: [] }),
    reader.removeMember(id, id),
    reader.moveAllUsers(id, null),
    reader.addRoles(id, { roleIds: [] }),
    reader.removeRole(id, id),
  ])
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.status : 'done'))).toEqual(
    Array(9).fill(403),
  )
})
