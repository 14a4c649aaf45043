import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { OrganizationPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { IdentityUserPermissions } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization } from '../support/hub-rows.js'
import { type Answer, send } from '../support/wire.js'

let app: App
/** A member of OURS, without the organizations below it. */
let caller: AppCaller
/** Of no organization, but sees all of them. */
let staff: AppCaller
/** Of no organization. */
let outsider: AppCaller
let ours: string

const keys = '/api/api-key-management/api-keys'
const rights = [
  ...(Object.values(IdentityUserPermissions) as string[]),
  ShipmentPermissions.View,
  'ApiKeys.Create',
  'ApiKeys.Edit',
  'ApiKeys.ManagePermissions',
  'ApiKeys.ManageAll',
]

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  ours = await addOrganization(app, 'OURS')
  await addOrganization(app, 'BELOW', { ParentOrganizationId: ours, HierarchyPath: '/OURS/BELOW/' })
  await addOrganization(app, 'THEIRS')
  caller = await app.as({ permissions: rights })
  await addMember(app, caller.userId, ours, { AccessScope: 0 })
  staff = await app.as({ permissions: [...rights, OrganizationPermissions.AccessAll] })
  outsider = await app.as({ permissions: rights })
})
afterAll(() => app?.close())

const said = ({ status, body }: Answer) => [status, body?.error?.code]
const beyond = [403, beyondOwnRights]

/** A user without rights of whom the organizations are all that could be had. */
const memberOf = (...organizations: string[]) =>
  app.as({ permissions: [ShipmentPermissions.View], organizations })

async function memberOfOursAlone(): Promise<AppCaller> {
  const user = await app.as({ permissions: [ShipmentPermissions.View] })
  await addMember(app, user.userId, ours, { AccessScope: 0 })
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`update "AbpUsers" set "LockoutEnabled" = true where "Id" = ${user.userId}`)
  return user
}

const takingOver: [string, string, string, () => unknown][] = [
  [
    'address',
    'PUT',
    '',
    () => {
      const userName = `mine-${randomUUID().slice(0, 8)}`
      return { userName, email: `${userName}@example.com`, isActive: true, lockoutEnabled: true }
    },
  ],
  ['password', 'PUT', '/change-password', () => ({ newPassword: 'Mine-Crane5' })],
  ['second factor', 'PUT', '/two-factor/false', () => undefined],
  ['claims', 'PUT', '/claims', () => []],
  ['roles', 'PUT', '/roles', () => ({ roleNames: [] })],
  ['lock-out', 'PUT', `/lock/${new Date('2040-01-01').toISOString()}`, () => undefined],
  ['end of a lock-out', 'PUT', '/unlock', () => undefined],
  ['existence', 'DELETE', '', () => undefined],
]

test.each(takingOver)(
  'the %s of a user of organizations that the caller does not see is not the caller’s to change',
  async (_what, method, below, body) => {
    const change = async (who: AppCaller, { userId }: AppCaller) =>
      send(who, method, `/api/identity/users/${userId}${below}`, body())
    expect(said(await change(caller, await memberOf('THEIRS')))).toEqual(beyond)
    expect([200, 204]).toContain((await change(caller, await memberOfOursAlone())).status)
  },
)

test('a user who sees the organizations below one’s own sees more', async () => {
  const change = async (who: AppCaller, user: AppCaller) =>
    (await send(who, 'PUT', `/api/identity/users/${user.userId}/unlock`)).status
  const below = await memberOf('OURS')
  expect(await change(caller, below)).toBe(403)
  expect(await change(outsider, await memberOfOursAlone())).toBe(403)
  expect(await change(staff, below)).toBe(204)
  expect(await change(await app.as({ permissions: rights, organizations: ['OURS'] }), below)).toBe(204)
})

test('a membership that has ended shows nothing, one that is new counts at once', async () => {
  const user = await memberOf()
  await addMember(app, user.userId, await addOrganization(app, 'ENDED'), { ValidUntil: new Date(0) })
  const unlock = () => send(outsider, 'PUT', `/api/identity/users/${user.userId}/unlock`)
  expect((await unlock()).status).toBe(204)
  await addMember(app, user.userId, ours)
  expect(said(await unlock())).toEqual(beyond)
})

test('a key of a user who sees other organizations is made, rotated, let in and granted by nobody who does not see them', async () => {
  const owner = await app.as({ permissions: rights, organizations: ['THEIRS'] })
  const { id } = await newKey(owner)
  const attempts: [string, string, object][] = [
    ['POST', keys, { name: 'x', userId: owner.userId }],
    ['POST', `${keys}/${id}/rotate`, {}],
    ['PUT', `${keys}/${id}`, { isActive: true, expirationTime: null }],
    [
      'PUT',
      `${keys}/${id}/permissions`,
      { permissions: [{ name: ShipmentPermissions.View, isGranted: true }] },
    ],
  ]
  await send(owner, 'PUT', `${keys}/${id}`, { isActive: false })
  const revoked = { permissions: [{ name: ShipmentPermissions.View, isGranted: false }] }
  expect((await send(caller, 'PUT', `${keys}/${id}/permissions`, revoked)).status).toBe(200)
  for (const [method, path, body] of attempts)
    expect(said(await send(caller, method, path, body))).toEqual(beyond)
  for (const [method, path, body] of attempts)
    expect((await send(staff, method, path, body)).status).toBe(200)
})
