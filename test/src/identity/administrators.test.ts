import { Databases, sql } from '@keel/framework/data'
import {
  Admin,
  IdentityErrors,
  IdentityRoleAppService,
  IdentityUserAppService,
  type IdentityUserDto,
} from '@keel/identity/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let admin: AppCaller
let users: InstanceType<typeof IdentityUserAppService>
beforeEach(async () => {
  app = await startApp()
  admin = await app.admin()
  users = admin.service(IdentityUserAppService)
})
afterEach(() => app.close())

const refused = { status: 403, code: IdentityErrors.LastAdministrator }

/** Whoever administers beside the seeded administrator does so without the role admin. */
async function manager() {
  const caller = await app.as({ permissions: [...app.permissions.keys()] })
  return caller.service(IdentityUserAppService)
}

async function activeAdministrators(): Promise<number> {
  const [found] = await app.host
    .get(Databases)
    .named('Default')
    .query<{ n: number }>(sql`
    select count(*)::int as n from "AbpUsers" u join "AbpUserRoles" ur on ur."UserId" = u."Id" join "AbpRoles" r on r."Id" = ur."RoleId"
    where r."Name" = 'admin' and u."IsActive" and not u."IsDeleted" and coalesce(u."LockoutEnd" < now(), true)`)
  return found?.n ?? 0
}

test('the last active administrator can not be deleted, deactivated, locked or stripped of the role', async () => {
  const others = await manager()
  const last = await users.get(admin.userId)
  await expect(others.delete(last.id)).rejects.toMatchObject(refused)
  await expect(others.update(last.id, { ...last, isActive: false })).rejects.toMatchObject(refused)
  await expect(users.update(last.id, { ...last, roleNames: ['Operator'] })).rejects.toMatchObject(refused)
  await expect(users.updateRoles(last.id, { roleNames: [] })).rejects.toMatchObject(refused)
  await expect(others.lock(last.id, new Date(Date.now() + 3_600_000))).rejects.toMatchObject(refused)
  expect(await users.get(last.id)).toEqual(last)
})

test('moving the users of the role admin away leaves nobody, and is refused', async () => {
  const roles = admin.service(IdentityRoleAppService)
  const id =
    (await roles.getList({ filter: Admin.name })).items.find(({ name }) => name === Admin.name)?.id ?? ''
  await expect(roles.moveAllUsers(id, null)).rejects.toMatchObject(refused)
  expect(await activeAdministrators()).toBe(1)
})

test('with a second administrator the first can go, and then the second can not', async () => {
  const second = await app.as({ roles: [Admin] })
  await second.service(IdentityUserAppService).delete(admin.userId)
  await expect((await manager()).delete(second.userId)).rejects.toMatchObject(refused)
})

test('an administrator who is locked or inactive does not count as another one', async () => {
  const second = await app.as({ roles: [Admin] })
  await users.update(second.userId, { ...(await users.get(second.userId)), isActive: false })
  await expect(users.updateRoles(admin.userId, { roleNames: [] })).rejects.toMatchObject(refused)
})

test('of five administrators that are removed in five ways at once, one stays', async () => {
  const added = await Promise.all([1, 2, 3, 4].map(() => app.as({ roles: [Admin] })))
  const ids = [admin.userId, ...added.map(({ userId }) => userId)]
  const rows = await Promise.all(ids.map((id) => users.get(id)))
  for (const row of rows.filter(({ lockoutEnabled }) => !lockoutEnabled))
    await users.update(row.id, { ...row, lockoutEnabled: true })
  const others = await manager()
  const [a, b, c, d, e] = (await Promise.all(ids.map((id) => users.get(id)))) as [
    IdentityUserDto,
    IdentityUserDto,
    IdentityUserDto,
    IdentityUserDto,
    IdentityUserDto,
  ]
  const system = admin.service(IdentityUserAppService)
  const outcomes = await Promise.allSettled([
    others.delete(a.id),
    others.update(b.id, { ...b, isActive: false }),
    others.lock(c.id, new Date(Date.now() + 3_600_000)),
    others.delete(d.id),
    system.updateRoles(e.id, { roleNames: [] }),
  ])
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
  expect(await activeAdministrators()).toBeGreaterThanOrEqual(1)
})

test('two administrators who delete each other at once do not both succeed', async () => {
  const second = await app.as({ roles: [Admin] })
  const outcomes = await Promise.allSettled([
    users.delete(second.userId),
    second.service(IdentityUserAppService).delete(admin.userId),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await activeAdministrators()).toBe(1)
})
