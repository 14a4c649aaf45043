import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentityRoleAppService,
  IdentityUserAppService,
  type IdentityUserDto,
  IdentityUserPermissions,
  OrganizationUnitAppService,
  OrganizationUnitPermissions,
} from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, send } from '../support/wire.js'

let app: App
let admin: AppCaller
/** A connection that holds requests up. */
let barrier: pg.Client

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  admin = await app.admin()
  barrier = new pg.Client({ connectionString: app.host.databaseUrl('Default') })
  await barrier.connect()
})
afterAll(async () => {
  await barrier?.end()
  await app?.close()
})

const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`
const said = ({ status, body }: Answer) => [status, body?.error?.code]
const beyond = [403, beyondOwnRights]
const clerk = (permissions: readonly string[] = []) =>
  app.as({
    permissions: [
      ...(Object.values(IdentityUserPermissions) as string[]),
      ...(Object.values(OrganizationUnitPermissions) as string[]),
      ...permissions,
    ],
  })

function newUser(): Promise<IdentityUserDto> {
  const userName = unique('user')
  const email = `${userName}@example.com`
  return admin
    .service(IdentityUserAppService)
    .create({ userName, email, password: 'Abc-Crane5', roleNames: [] })
}

/** For what happens soon on a machine that does nothing else, in ms. */
const timeout = 20_000

/** How many requests wait for a lock. */
async function waiting(): Promise<number> {
  const [found] = await app.host
    .get(Databases)
    .named('Default')
    .query<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return found?.count ?? 0
}

/**
 * Sends `first`, which is held up when it writes a table, and `second` once it is. Lets the first go on when the second waits too, or is
 * answered. Answers both.
 */
async function whileWriting(table: string, first: () => Promise<Answer>, second: () => Promise<Answer>) {
  await barrier.query(`begin; lock table "${table}" in share mode`)
  try {
    const one = first()
    await expect.poll(waiting, { timeout }).toBe(1)
    let isAnswered = false
    const other = second().finally(() => {
      isAnswered = true
    })
    await expect.poll(async () => isAnswered || (await waiting()) === 2, { timeout }).toBe(true)
    await barrier.query('commit')
    return await Promise.all([one, other])
  } finally {
    await barrier.query('rollback')
  }
}

const setPassword = (who: AppCaller, { id }: IdentityUserDto) =>
  send(who, 'PUT', `/api/identity/users/${id}/change-password`, { newPassword: 'Mine-Crane5' })

test('a user who is being given a role is not taken over meanwhile', async () => {
  const [caller, user] = [await clerk(), await newUser()]
  const [given, taken] = await whileWriting(
    'AbpUserRoles',
    () => send(admin, 'PUT', `/api/identity/users/${user.id}/roles`, { roleNames: ['Operator'] }),
    () => setPassword(caller, user),
  )
  expect([given.status, said(taken)]).toEqual([204, beyond])
})

test('a user who is being granted a permission is not taken over meanwhile', async () => {
  const [caller, user] = [await clerk(), await newUser()]
  const path = `/api/permission-management/permissions?providerName=U&providerKey=${user.id}`
  const [given, taken] = await whileWriting(
    'AbpPermissionGrants',
    () => send(admin, 'PUT', path, { permissions: [{ name: 'Port.Edit', isGranted: true }] }),
    () => setPassword(caller, user),
  )
  expect([given.status, said(taken)]).toEqual([204, beyond])
})

test('a user and a role do not come into a unit at once by callers of whom neither could put both there', async () => {
  const user = await newUser()
  const role = await admin.service(IdentityRoleAppService).create({ name: unique('role') })
  await app.host.get(PermissionGrants).grant([
    { providerName: 'U', providerKey: user.id, permission: 'Port.Edit' },
    { providerName: 'R', providerKey: role.name, permission: 'CodeEntity.Edit' },
  ])
  const unit = await admin.service(OrganizationUnitAppService).create({ displayName: unique('unit') })
  const mayPutUsers = await clerk(['Port.Edit'])
  const mayGiveRole = await clerk(['CodeEntity.Edit'])
  await admin.service(IdentityUserAppService).updateRoles(mayGiveRole.userId, { roleNames: [role.name] })
  const { userName, email } = user
  const profile = { userName, email, isActive: true, lockoutEnabled: true }
  const [put, given] = await whileWriting(
    'AbpUserOrganizationUnits',
    () =>
      send(mayPutUsers, 'PUT', `/api/identity/users/${user.id}`, {
        ...profile,
        organizationUnitIds: [unit.id],
      }),
    () =>
      send(mayGiveRole, 'PUT', `/api/identity/organization-units/${unit.id}/roles`, { roleIds: [role.id] }),
  )
  expect([put.status, said(given)]).toEqual([200, beyond])
})
