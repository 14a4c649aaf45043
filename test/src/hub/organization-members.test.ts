import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import {
  AccessScope,
  HubErrors,
  OrganizationMemberAppService,
  OrganizationPermissions,
} from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization, type Row, storedRow } from '../support/hub-rows.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/organization-member'
const nowhere = '00000000-0000-4000-8000-000000000001'
const dayMs = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()
const said = ({ status, body }: Answer) => [status, body?.error?.code]
const beyond = [403, beyondOwnRights]

let app: App
let staff: AppCaller
/** The organizations of a test: BELOW lies below TOP. */
let top: string
let below: string
let theirs: string
let topCode: string
let number = 0

beforeAll(async () => {
  // Stacks tell where a copy of the host was built.
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  staff = await app.as({ roles: [OperationsManager] })
})
afterAll(() => app?.close())

beforeEach(async () => {
  number++
  topCode = `TOP${number}`
  top = await addOrganization(app, topCode)
  below = await addOrganization(app, `BELOW${number}`, {
    ParentOrganizationId: top,
    HierarchyPath: `/${topCode}/BELOW${number}/`,
  })
  theirs = await addOrganization(app, `THEIRS${number}`)
})

const members = (who: AppCaller) => who.service(OrganizationMemberAppService)
const nobody = () => app.as({ roles: [DefaultCustomer] })
/** A customer who manages the members of TOP, with what is below unless `row` says otherwise. */
async function managerOfTop(row: Row = {}): Promise<AppCaller> {
  const manager = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, manager.userId, top, row)
  return manager
}
/** Makes a user a member through the API, and answers the id of the membership. */
async function join(
  { userId }: AppCaller,
  organizationId: string,
  more: Partial<Parameters<OrganizationMemberAppService['create']>[0]> = {},
): Promise<string> {
  return (await members(staff).create({ organizationId, userId, ...more })).id
}
const organizationsSeenBy = async (who: AppCaller): Promise<string[]> =>
  (await send(who, 'GET', '/api/hub/organization?Sorting=code')).body.items.map(
    ({ code }: { code: string }) => code,
  )
const myOrganizations = async (who: AppCaller) =>
  (await members(who).getMyOrganizations()).map(({ organization: { code }, isDefault }) => ({
    code,
    isDefault,
  }))
const identity = () => app.host.get(Databases).named('Default')
async function userNameOf({ userId }: AppCaller): Promise<string> {
  const [row] = await identity().query<{ name: string }>(
    sql`select "UserName" as name from "AbpUsers" where "Id" = ${userId}`,
  )
  return row?.name ?? ''
}

describe('staff', () => {
  test('make a user a member, by id or by name in any case, who sees the organization at the next request', async () => {
    const [one, other] = [await nobody(), await nobody()]
    expect(await organizationsSeenBy(one)).toEqual([])
    const made = await members(staff).create({ organizationId: top, userId: one.userId })
    expect(made).toMatchObject({
      organization: { id: top, code: topCode },
      userId: one.userId,
      userName: await userNameOf(one),
      accessScope: AccessScope.IncludeChildren,
      isDefault: false,
      validUntil: null,
    })
    await expectAtNextRequest(() => organizationsSeenBy(one), [`BELOW${number}`, topCode])
    const userName = (await userNameOf(other)).toUpperCase()
    await members(staff).create({ organizationId: top, userName, accessScope: AccessScope.OwnOnly })
    await expectAtNextRequest(() => organizationsSeenBy(other), [topCode])
    const { items } = await members(staff).getList({ organizationId: top })
    expect(items.map(({ userId }) => userId).sort()).toEqual([one.userId, other.userId].sort())
  })

  test('list the memberships of a user, and find members by a part of their names', async () => {
    const user = await nobody()
    await join(user, top)
    await join(user, theirs)
    const ofUser = await members(staff).getList({ userId: user.userId })
    expect(ofUser.items.map(({ organizationId }) => organizationId).sort()).toEqual([top, theirs].sort())
    const found = await members(staff).getList({ filter: await userNameOf(user), organizationId: theirs })
    expect(found.totalCount).toBe(1)
  })

  test('change scope and end of a membership, which counts at the next request', async () => {
    const user = await nobody()
    const id = await join(user, top)
    await members(staff).update(id, { accessScope: AccessScope.OwnOnly })
    await expectAtNextRequest(() => organizationsSeenBy(user), [topCode])
    await members(staff).update(id, { validUntil: inDays(-1) })
    await expectAtNextRequest(() => organizationsSeenBy(user), [])
    expect((await members(staff).update(id, { validUntil: null })).accessScope).toBe(AccessScope.OwnOnly)
    await expectAtNextRequest(() => organizationsSeenBy(user), [topCode])
  })

  test('delete a membership by a mark, and may make the user a member again', async () => {
    const user = await nobody()
    const id = await join(user, top)
    expect((await send(staff, 'DELETE', `${path}/${id}`)).status).toBe(204)
    expect(await storedRow(app, 'HubOrganizationMembers', id)).toMatchObject({ IsDeleted: true })
    await expectAtNextRequest(() => organizationsSeenBy(user), [])
    await join(user, top)
    await expectAtNextRequest(() => organizationsSeenBy(user), [`BELOW${number}`, topCode])
  })

  test('are told that a user is a member already', async () => {
    const user = await nobody()
    await join(user, top)
    const again = await send(staff, 'POST', path, { organizationId: top, userId: user.userId })
    expect(said(again)).toEqual([403, HubErrors.AlreadyMember])
    expect(again.body.error.message).toBe('This user is already a member of the organization.')
  })

  test('are refused a stamp that is not the last one', async () => {
    const id = await join(await nobody(), top)
    const { concurrencyStamp } = await members(staff).get(id)
    await members(staff).update(id, { concurrencyStamp, accessScope: AccessScope.OwnOnly })
    const late = await send(staff, 'PUT', `${path}/${id}`, { concurrencyStamp, isDefault: true })
    expect(late.status).toBe(409)
  })
})

describe('the named user', () => {
  const create = (user: object) => send(staff, 'POST', path, { organizationId: top, ...user })

  test.for([
    ['unknown', undefined],
    ['inactive', 'IsActive'],
    ['deleted', 'IsDeleted'],
  ] as const)('is refused when %s, as a fault of the member', async ([, column]) => {
    const user = await nobody()
    const userName = column ? await userNameOf(user) : 'nobody-has-this-name'
    if (column === 'IsActive')
      await identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${user.userId}`)
    if (column === 'IsDeleted')
      await identity().execute(sql`update "AbpUsers" set "IsDeleted" = true where "Id" = ${user.userId}`)
    const byId = await create({ userId: column ? user.userId : nowhere })
    expect([byId.status, faultyMembers(byId)]).toEqual([400, ['userId']])
    const byName = await create({ userName })
    expect([byName.status, faultyMembers(byName)]).toEqual([400, ['userName']])
    expect(byName.text).toContain('there is no active user with this id or name')
  })

  test('is named once', async () => {
    const user = await nobody()
    expect((await create({})).status).toBe(400)
    expect((await create({ userId: user.userId, userName: await userNameOf(user) })).status).toBe(400)
  })

  test('needs an organization that is active', async () => {
    const { userId } = await nobody()
    const closed = await addOrganization(app, `CLOSED${number}`, { IsActive: false })
    for (const organizationId of [closed, nowhere]) {
      const answer = await send(staff, 'POST', path, { organizationId, userId })
      expect([answer.status, faultyMembers(answer)]).toEqual([400, ['organizationId']])
    }
  })
})

describe('the default organization', () => {
  test('is one for each user: a new one clears the one before', async () => {
    const user = await nobody()
    await join(user, top, { isDefault: true })
    const second = await join(user, theirs, { isDefault: true })
    const defaults = async () => (await myOrganizations(user)).filter(({ isDefault }) => isDefault)
    expect(await defaults()).toEqual([{ code: `THEIRS${number}`, isDefault: true }])
    const third = await join(user, below)
    await members(staff).update(third, { isDefault: true })
    expect(await defaults()).toEqual([{ code: `BELOW${number}`, isDefault: true }])
    await members(user).setDefault(second)
    expect(await defaults()).toEqual([{ code: `THEIRS${number}`, isDefault: true }])
  })

  test('is chosen by the users themselves among memberships that count, and by nobody else', async () => {
    const user = await nobody()
    const id = await join(user, top)
    const ended = await join(user, theirs, { validUntil: inDays(-1) })
    const choose = async (who: AppCaller, membership: string) =>
      (await send(who, 'POST', `${path}/${membership}/set-default`)).status
    expect(await choose(user, id)).toBe(200)
    expect(await choose(user, ended)).toBe(404)
    expect(await choose(staff, id)).toBe(404)
    expect(await choose(await nobody(), id)).toBe(404)
  })

  test('is not chosen with a key that may not manage members', async () => {
    const user = await app.as({ roles: [DefaultCustomer], permissions: ['ApiKeys.Create'] })
    const id = await join(user, top)
    const { key } = await newKey(user)
    const answer = await send(withKey(app.host, key), 'POST', `${path}/${id}/set-default`)
    expect(answer.status).toBe(403)
    expect(answer.body.error.message).toContain(OrganizationPermissions.ManageMembers)
  })
})

test('everybody lists the own organizations that count, and needs a permission for more', async () => {
  const user = await nobody()
  await join(user, top, { isDefault: true })
  await join(user, theirs, { validUntil: inDays(-1) })
  expect(await myOrganizations(user)).toEqual([{ code: topCode, isDefault: true }])
  expect((await send(app.host, 'GET', `${path}/my-organizations`)).status).toBe(401)
  expect((await send(user, 'GET', path)).status).toBe(403)
  expect(app.permissions.get(OrganizationPermissions.ManageMembers)?.grantedTo).toEqual([
    CustomerAdmin,
    OperationsManager,
  ])
})

describe('a customer who manages members', () => {
  test('sees and changes those of the own organizations alone', async () => {
    const manager = await managerOfTop()
    const colleague = await nobody()
    const id = await join(colleague, below)
    const foreign = await join(colleague, theirs)
    const { items } = await members(manager).getList({ userId: colleague.userId })
    expect(items.map((item) => item.id)).toEqual([id])
    for (const method of ['GET', 'PUT', 'DELETE'])
      for (const hidden of [foreign, nowhere])
        expect(
          (await send(manager, method, `${path}/${hidden}`, method === 'PUT' ? {} : undefined)).status,
        ).toBe(404)
    const elsewhere = { organizationId: theirs, userId: colleague.userId }
    expect(faultyMembers(await send(manager, 'POST', path, elsewhere))).toEqual(['organizationId'])
    expect((await send(manager, 'DELETE', `${path}/${id}`)).status).toBe(204)
  })

  test('adds colleagues by id and by name', async () => {
    const manager = await managerOfTop()
    const [one, other] = [await nobody(), await nobody()]
    await join(one, top)
    await join(other, top)
    const byId = { organizationId: below, userId: one.userId }
    const byName = { organizationId: below, userName: (await userNameOf(other)).toUpperCase() }
    for (const input of [byId, byName]) expect((await send(manager, 'POST', path, input)).status).toBe(200)
    await expectAtNextRequest(
      async () => (await myOrganizations(one)).map(({ code }) => code),
      [topCode, `BELOW${number}`],
    )
  })

  test('learns of no other user by trying ids and names', async () => {
    const manager = await managerOfTop()
    const stranger = await nobody()
    await join(stranger, theirs)
    const comparable = async (user: Record<string, string>) => {
      const { status, text } = await send(manager, 'POST', path, { organizationId: top, ...user })
      return { status, text: text.replaceAll(Object.values(user)[0] ?? '', '') }
    }
    const byId = await comparable({ userId: stranger.userId })
    expect(byId).toEqual(await comparable({ userId: nowhere }))
    const byName = await comparable({ userName: await userNameOf(stranger) })
    expect(byName).toEqual(await comparable({ userName: `user-${randomUUID().slice(0, 8)}` }))
    expect([byId.status, byName.status]).toEqual([400, 400])
  })

  test('without what is below gives no access to it, neither to others nor to the own membership', async () => {
    const manager = await managerOfTop({ AccessScope: 0 })
    const colleague = await nobody()
    await join(colleague, top)
    const own = (await members(manager).getMyOrganizations())[0]?.id
    const narrow = { accessScope: AccessScope.OwnOnly }
    const wide = { accessScope: AccessScope.IncludeChildren }
    expect(said(await send(manager, 'PUT', `${path}/${own}`, wide))).toEqual(beyond)
    expect((await send(manager, 'PUT', `${path}/${own}`, { ...narrow, isDefault: true })).status).toBe(200)
    const third = await addOrganization(app, `THIRD${number}`)
    await addMember(app, manager.userId, third, { AccessScope: 0 })
    const input = { organizationId: third, userId: colleague.userId }
    await expectAtNextRequest(
      async () => said(await send(manager, 'POST', path, { ...input, ...wide })),
      beyond,
    )
    expect((await send(manager, 'POST', path, { ...input, ...narrow })).status).toBe(200)
  })

  test('takes nothing from a member with more access', async () => {
    const manager = await managerOfTop({ AccessScope: 0 })
    const id = await join(await nobody(), top)
    const end = { validUntil: inDays(-1) }
    expect(said(await send(manager, 'PUT', `${path}/${id}`, end))).toEqual(beyond)
    expect(said(await send(manager, 'DELETE', `${path}/${id}`))).toEqual(beyond)
  })

  test('gives no access beyond the end of the own one', async () => {
    const manager = await managerOfTop({ ValidUntil: new Date(Date.now() + 10 * dayMs) })
    const colleague = await nobody()
    const id = await join(colleague, top, { validUntil: inDays(5) })
    const own = (await members(manager).getMyOrganizations())[0]?.id
    const change = async (membership: string | undefined, validUntil: string | null) =>
      said(await send(manager, 'PUT', `${path}/${membership}`, { validUntil }))
    for (const membership of [id, own])
      for (const end of [null, inDays(20)]) expect(await change(membership, end)).toEqual(beyond)
    expect(await change(id, inDays(9))).toEqual([200, undefined])
    const input = { organizationId: below, userId: colleague.userId }
    expect(said(await send(manager, 'POST', path, input))).toEqual(beyond)
    expect((await send(manager, 'POST', path, { ...input, validUntil: inDays(9) })).status).toBe(200)
  })

  test('does not choose the default of a user who sees more', async () => {
    const manager = await managerOfTop()
    const [colleague, member] = [await nobody(), await nobody()]
    const ids = [await join(colleague, top), await join(member, top)]
    await join(colleague, theirs, { isDefault: true })
    const answers = await Promise.all(
      ids.map((id) => send(manager, 'PUT', `${path}/${id}`, { isDefault: true })),
    )
    expect(answers.map(said)).toEqual([beyond, [200, undefined]])
    expect((await myOrganizations(colleague)).find(({ isDefault }) => isDefault)?.code).toBe(
      `THEIRS${number}`,
    )
  })
})

test('the last member who can manage the members of an organization stays', async () => {
  const manager = await managerOfTop()
  await join(await nobody(), top)
  const [own] = await members(manager).getMyOrganizations()
  for (const who of [manager, staff]) {
    const refused = await send(who, 'DELETE', `${path}/${own?.id}`)
    expect(said(refused)).toEqual([403, HubErrors.LastAdministrator])
    expect(refused.body.error.message).toContain(topCode)
  }
  const ended = await send(staff, 'PUT', `${path}/${own?.id}`, { validUntil: inDays(-1) })
  expect(said(ended)).toEqual([403, HubErrors.LastAdministrator])
  await join(await app.as({ roles: [CustomerAdmin] }), top)
  expect((await send(manager, 'DELETE', `${path}/${own?.id}`)).status).toBe(204)
})
