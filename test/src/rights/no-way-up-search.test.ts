import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import { hashPassword } from '@keel/framework/security'
import {
  DefaultCustomer,
  IdentityRoleAppService,
  InternalAdmin,
  Operator,
  OrganizationUnitAppService,
} from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey } from '../api-keys/keys.js'
import { type AuthHost, startAuthHost } from '../auth/auth-host.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, hubOf } from '../support/hub-rows.js'
import { isLong, sizeOf } from '../support/size.js'
import { send } from '../support/wire.js'
import { type Attempt, administrativeOperations, impersonate } from './administrative-operations.js'
import { type Controlled, Walk, type World } from './walk.js'

/** Rights sets that are searched, each by a walk of four steps. */
const rightsSets = sizeOf(16, 500)
/** The same walks in every run, unless another seed is asked for. */
const seed = Number(process.env.RIGHTS_SEED ?? 1)
const mostSteps = 4
/** Attackers that come into one world, one after the other. */
const setsOfAWorld = 8
const password = 'Abc-Crane5'
const organizations = ['NORTH', 'SOUTH']
const organizationIds: string[] = []

let auth: AuthHost
let app: App
let admin: AppCaller
let passwordHash: string
let random: () => number
const attempts: Attempt[] = []

beforeAll(async () => {
  auth = await startAuthHost()
  app = await startApp(undefined, { 'ConnectionStrings:Default': auth.host.databaseUrl('Default') })
  admin = await app.admin()
  passwordHash = await hashPassword(password, 100)
  for (const code of organizations) organizationIds.push(await addOrganization(app, code))
  random = randomFrom(seed)
  for (const entry of Object.values(administrativeOperations))
    if (typeof entry !== 'string') attempts.push(entry)
  attempts.push(impersonate)
})
afterAll(async () => {
  await app?.close()
  await auth?.close()
})

test('every operation that writes is attacked, or it is said why there is nothing to attack', async () => {
  const { body } = await send(app.host, 'GET', '/api/abp/api-definition')
  const modules = body.modules as Record<
    string,
    { controllers: Record<string, { actions: Record<string, { httpMethod: string; url: string }> }> }
  >
  const written = Object.entries(modules)
    .flatMap(([name, { controllers }]) =>
      Object.values(controllers).flatMap(({ actions }) =>
        Object.values(actions).map((action) => ({ ...action, module: name })),
      ),
    )
    // What is stored of shipments and prices is no part of anybody's rights; who belongs to which organization is.
    .filter(
      ({ module, url }) =>
        !['hub', 'pricing'].includes(module) || /^api\/hub\/organization-(invitation|member)/.test(url),
    )
    .filter(({ httpMethod }) => httpMethod !== 'GET')
    .map(({ httpMethod, url }) => `${httpMethod} ${url}`)
  expect(Object.keys(administrativeOperations).sort()).toEqual(written.sort())
})

test('a search that controls an administrator finds more rights than it began with', async () => {
  const walk = await begin(await newWorld(), ['AbpIdentity.Users'], 'user')
  const before = await rightsOf(walk.controlled)
  await walk.controlUser(admin.userId)
  expect(excess(before, await rightsOf(walk.controlled)).length).toBeGreaterThan(50)
})

test(
  'no sequence of up to four calls ends with more rights than its caller began with',
  async () => {
    let succeeded = 0
    let world: World | undefined
    for (let set = 0; set < rightsSets; set++) {
      if (set % setsOfAWorld === 0) world = undefined
      world ??= await newWorld()
      const held = [...app.permissions.keys()].filter((name) => random() < (isForRights(name) ? 0.7 : 0.4))
      const walk = await begin(world, held, pick(['user', 'user', 'user', 'key', 'client']))
      const before = await rightsOf(walk.controlled)
      for (let step = 0; step < mostSteps; step++) {
        // Most attempts are refused by a permission or a rule: a step is the first of some that is not.
        for (let tries = 0; tries < 8; tries++) {
          const steps = walk.steps.length
          await pick(attempts)(walk)
          if (walk.steps.slice(steps).some((line) => / → 20\d/.test(line))) break
        }
      }
      succeeded += walk.steps.filter((line) => / → 20\d/.test(line)).length
      const found = excess(before, await rightsOf(walk.controlled))
      expect(found, `seed ${seed}, set ${set}\n${walk.steps.join('\n')}`).toEqual([])
    }
    // Otherwise it was the permissions of the operations that kept them back, not the rule.
    expect(succeeded).toBeGreaterThan(rightsSets)
  },
  isLong ? 3_600_000 : 120_000,
)

const isForRights = (name: string): boolean =>
  /^(AbpIdentity|ApiKeys|OpenIddict|AbpAccount|SettingManagement)/.test(name)

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

/** Numbers from 0 to below 1, the same for one seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What somebody may do, as the API tells them, whether they are one of the administrators, and whose data they see. */
async function rightsOf(controlled: readonly Controlled[]): Promise<ReadonlySet<string>> {
  const rights = new Set<string>()
  for (const { kind, sender } of controlled) {
    const { body } = await send(sender, 'GET', '/api/abp/application-configuration')
    const { auth: policies, currentUser } = body ?? {}
    for (const [name, isGranted] of Object.entries(policies?.grantedPolicies ?? {}))
      if (isGranted && app.permissions.has(name)) rights.add(name)
    // A key has no roles: it is told those of its owner, and may what it was granted.
    if (kind !== 'key' && currentUser?.roles?.includes('admin')) rights.add('role admin')
    for (const id of await organizationsOf(currentUser?.id)) rights.add(`organization ${id}`)
  }
  return rights
}

async function organizationsOf(userId: string | null | undefined): Promise<string[]> {
  if (!userId) return []
  const rows = await hubOf(app).query<{ id: string }>(
    sql`select "OrganizationId" as id from "HubOrganizationMembers"
      where "UserId" = ${userId} and not "IsDeleted" and ("ValidUntil" is null or "ValidUntil" > now())`,
  )
  return rows.map(({ id }) => id)
}

async function memberIds(): Promise<string[]> {
  const rows = await hubOf(app).query<{ id: string }>(
    sql`select "Id" as id from "HubOrganizationMembers" where not "IsDeleted" order by "Id"`,
  )
  return rows.map(({ id }) => id)
}

/** Whoever holds every permission of users, or is an administrator, may do everything; staff see every organization. */
function excess(before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  const all = [...app.permissions.values()].filter(({ providers }) => !providers?.every((one) => one === 'C'))
  if (before.has('role admin') || all.every(({ name }) => before.has(name))) return []
  const seesAll = before.has('Organization.AccessAll') || before.has('InternalAdmin')
  return [...after].filter((name) => !before.has(name) && !(seesAll && name.startsWith('organization ')))
}

/** Users, roles, units, clients and keys to attack. */
async function newWorld(): Promise<World> {
  await restoreAdministrators()
  const roles = await newRoles()
  const victims: (AppCaller & { readonly keyId: string })[] = []
  for (let count = 0; count < 4; count++) victims.push(await newVictim(roles))
  const units = await newUnits(roles, victims)
  const clients = [await newClient(), await newClient()]
  const product = (await admin.service(IdentityRoleAppService).getAllList()).items
  return {
    users: [...victims.map(({ userId }) => userId), admin.userId],
    roles: [...roles, ...product.filter(({ isStatic }) => isStatic)],
    units,
    clients,
    keys: victims.map(({ keyId }) => keyId),
    organizations: organizationIds,
    members: [],
    claimType: 'role',
  }
}

/** Whoever holds a permission, and may manage grants, may take it from administrators too; they make the next world. */
async function restoreAdministrators(): Promise<void> {
  const all = [...app.permissions.keys()]
  await grant('U', admin.userId, all, 'Allowed')
  await grant('R', 'admin', all, 'Allowed')
  await grant('R', 'admin', all, 'Granted')
}

/** An attacker who holds these permissions: as a user, by a key that was granted half of them, or as a client. */
async function begin(world: World, held: readonly string[], kind: Controlled['kind']): Promise<Walk> {
  const attacker = await app.as({ permissions: held, organizations: membership() })
  await setPassword(attacker.userId)
  const ownKey = kind === 'key' ? await narrowKey(attacker) : ''
  // Some of what the attacker was granted is prohibited by a role.
  if (random() < 0.5) await addRole(attacker.userId, world.roles[1]?.id ?? '')
  const walk = new Walk({
    app,
    auth,
    world: { ...world, users: [...world.users, attacker.userId], members: await memberIds() },
    admin,
    random,
  })
  if (kind === 'user') await walk.controlUser(attacker.userId, password)
  if (kind === 'key') walk.controlKey(ownKey)
  if (kind === 'client') {
    const { clientId } = await newClient()
    await grant('C', clientId, held, 'Granted')
    await walk.controlClient(clientId)
  }
  return walk
}

function membership(): string[] {
  return pick([[], ...organizations.map((code) => [code])])
}

function some(probability: number): string[] {
  return [...app.permissions.keys()].filter(() => random() < probability)
}

async function grant(
  providerName: 'U' | 'R' | 'C' | 'AK',
  providerKey: string,
  names: readonly string[],
  kind: 'Granted' | 'Prohibited' | 'Revoked' | 'Allowed',
): Promise<void> {
  await app.host.get(PermissionGrants).apply(
    names.map((name) => ({ providerName, providerKey, name, kind })),
    'Module',
  )
}

/** One that grants, one that prohibits, one that does both and one that does nothing. */
async function newRoles(): Promise<{ id: string; name: string }[]> {
  const service = admin.service(IdentityRoleAppService)
  const made = []
  for (const [granted, prohibited] of [
    [0.2, 0],
    [0, 0.2],
    [0.3, 0.1],
    [0, 0],
  ] as const) {
    const { id, name } = await service.create({ name: `r-${randomUUID().slice(0, 12)}` })
    await grant('R', name, some(granted), 'Granted')
    await grant('R', name, some(prohibited), 'Prohibited')
    made.push({ id, name })
  }
  return made
}

/** Somebody with rights of their own, a role and a key that was made before the role could prohibit it. */
async function newVictim(roles: readonly { id: string }[]): Promise<AppCaller & { readonly keyId: string }> {
  const product = pick([[], [DefaultCustomer], [Operator], [InternalAdmin]])
  const victim = await app.as({
    permissions: ['ApiKeys.Create', ...some(0.2)],
    roles: product,
    organizations: membership(),
  })
  const { id: keyId } = await newKey(victim)
  await addRole(victim.userId, pick(roles).id)
  return { ...victim, keyId }
}

async function newUnits(roles: readonly { id: string }[], victims: readonly AppCaller[]): Promise<string[]> {
  const service = admin.service(OrganizationUnitAppService)
  const made: string[] = []
  for (const role of roles.slice(0, 2)) {
    const { id } = await service.create({ displayName: randomUUID() })
    await service.addRoles(id, { roleIds: [role.id] })
    await service.addMembers(id, { userIds: [pick(victims).userId] })
    made.push(id)
  }
  return made
}

async function newClient(): Promise<{ id: string; clientId: string }> {
  const clientId = `c-${randomUUID().slice(0, 12)}`
  const { body } = await send(admin, 'POST', '/api/openiddict/applications', {
    applicationType: 'web',
    clientId,
    displayName: 'Walk',
    clientType: 'confidential',
    clientSecret: randomUUID(),
    allowClientCredentialsFlow: true,
    scopes: ['Core'],
  })
  await grant('C', clientId, some(0.3), 'Granted')
  return { id: body.id, clientId }
}

async function narrowKey(owner: AppCaller): Promise<string> {
  await grant('U', owner.userId, ['ApiKeys.Create'], 'Granted')
  const { id, key } = await newKey(owner)
  await grant('AK', id, some(0.5), 'Revoked')
  return key
}

async function addRole(userId: string, roleId: string): Promise<void> {
  await identity().execute(sql`insert into "AbpUserRoles" ("UserId", "RoleId") values (${userId}, ${roleId})`)
}

async function setPassword(userId: string): Promise<void> {
  await identity().execute(sql`update "AbpUsers" set "PasswordHash" = ${passwordHash} where "Id" = ${userId}`)
}

function identity() {
  return app.host.get(Databases).named('Default')
}
