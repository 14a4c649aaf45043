import { ApiHost } from '@keel/api-host'
import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { createClient } from '@keel/framework/client'
import { Databases, sql } from '@keel/framework/data'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import {
  CodeEntityPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { PricingAnalyst } from '@keel/identity/contracts'
import { GrantBook } from '@keel/permission-management/contracts'
import { ChargeCodePermissions } from '@keel/pricing/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { sizeOf } from '../support/size.js'
import { templates, testServer } from '../support/test-databases.js'
import { send } from '../support/wire.js'
import { newKey, ports, withKey } from './keys.js'

/** How many edits are made. */
const edits = sizeOf(400, 10_000)
/** The same edits in every run, unless another seed is asked for. */
const seed = Number(process.env.FUZZ_SEED ?? 1)

let app: App
/** Another process on the same databases, for all that it knows of the first. */
let other: TestHost
/** A third one, which has too few connections for one that listens. */
let deaf: TestHost
let manager: AppCaller

beforeAll(async () => {
  app = await startApp()
  other = await beside()
  deaf = await beside({ 'Database:MaxPoolSize': '4' })
  manager = await app.admin()
})
afterAll(async () => {
  await deaf?.close()
  await other?.close()
  await app?.close()
})

function beside(settings: Record<string, string> = {}): Promise<TestHost> {
  return startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'AuthServer:Authority': app.host.issuer.address, ...settings },
  })
}

const identity = () => app.host.get(Databases).named('Default')
const statusAt = async (host: TestHost, key: string, path = ports): Promise<number> =>
  (await send(withKey(host, key), 'GET', path)).status
/** Expects a status of both processes soon; fails after a time that is far beyond what is promised. */
const soon = (key: string, path = ports) =>
  expect.poll(() => Promise.all([app.host, other].map((host) => statusAt(host, key, path))), {
    timeout: 10_000,
    interval: 5,
  })

describe('what changes in one process is so in the other, although it remembers the key', () => {
  const { Create, Edit, Delete, ManagePermissions } = ApiKeyPermissions
  const changes: readonly (readonly [string, number, (id: string, owner: AppCaller) => Promise<unknown>])[] =
    [
      ['deactivation', 401, (id, owner) => keysOf(owner).update(id, { isActive: false })],
      ['an end', 401, (id, owner) => keysOf(owner).update(id, { expirationTime: new Date() })],
      ['deletion', 401, (id, owner) => keysOf(owner).delete(id)],
      ['a rotation without overlap', 401, (id, owner) => keysOf(owner).rotate(id, { overlapMinutes: 0 })],
      [
        'a grant taken from the key',
        403,
        (id, owner) =>
          keysOf(owner).updatePermissions(id, {
            permissions: [{ name: PortPermissions.View, isGranted: false }],
          }),
      ],
      [
        'a grant taken from the owner',
        403,
        (_id, { userId }) =>
          app.host.get(GrantBook).revoke({ providerName: 'U', providerKey: userId }, [PortPermissions.View]),
      ],
      [
        'deactivation of the owner',
        401,
        (_id, { userId }) =>
          identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${userId}`),
      ],
      [
        'a lock-out of the owner',
        401,
        (_id, { userId }) =>
          identity().execute(
            sql`update "AbpUsers" set "LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour' where "Id" = ${userId}`,
          ),
      ],
    ]
  const keysOf = (owner: AppCaller) => owner.service(ApiKeyAppService)

  test.each(changes)('%s', async (_what, status, change) => {
    const owner = await app.as({
      permissions: [PortPermissions.View, Create, Edit, Delete, ManagePermissions],
    })
    const { id, key } = await newKey(owner)
    await soon(key).toEqual([200, 200])
    await change(id, owner)
    await soon(key).toEqual([status, status])
  })

  test.each([
    ['another process', () => other],
    ['one that hears no notifications', () => deaf],
  ])(
    'a permission that only one of them saw used, when the key is narrowed beside %s',
    async (_which, used) => {
      const owner = await app.as({ permissions: [PortPermissions.View, Create, ManagePermissions] })
      const { id, key } = await newKey(owner)
      await expect.poll(() => statusAt(used(), key), { timeout: 10_000, interval: 5 }).toBe(200)
      const { permissions } = await keysOf(owner).narrow(id)
      expect(permissions.filter(({ isGranted }) => isGranted).map(({ name }) => name)).toEqual([
        PortPermissions.View,
      ])
    },
  )

  test('the uses that both of them saw', async () => {
    const owner = await app.as({ permissions: [PortPermissions.View, Create] })
    const { id, key } = await newKey(owner)
    for (const host of [app.host, other, other]) await statusAt(host, key)
    const keys = (host: TestHost) =>
      createClient(ApiKeyAppService, { baseUrl: host.url, accessToken: () => owner.token })
    await keys(other).getUsage(id)
    // Of a third copy, where there is one, within two seconds.
    await expect
      .poll(() => keys(app.host).getUsage(id), { timeout: 10_000 })
      .toMatchObject({
        requestCount: 3,
        permissions: [{ name: PortPermissions.View, callCount: 3 }],
      })
  })
})

test('a process that ends has written what keys were used for until then', async () => {
  const owner = await app.as({ permissions: [PortPermissions.View, ApiKeyPermissions.Create] })
  const { id, key } = await newKey(owner)
  const third = await beside()
  await statusAt(third, key)
  await third.close()
  expect(await owner.service(ApiKeyAppService).getUsage(id)).toMatchObject({ requestCount: 1 })
})

/** A permission, and what somebody who holds it may read. */
const readable = [
  [PortPermissions.View, ports],
  [CodeEntityPermissions.View, '/api/hub/code-entity?maxResultCount=1'],
  [OrganizationPermissions.View, '/api/hub/organization?maxResultCount=1'],
  [ShipmentPermissions.View, '/api/hub/shipment?maxResultCount=1'],
  [ChargeCodePermissions.View, '/api/pricing/charge-code?maxResultCount=1'],
] as const
const keyCount = 3

const permission = fc.constantFrom(...readable.map(([name]) => name))
const key = fc.nat(keyCount - 1)
/** Something that one of the two processes does, or that happens to the rows beside both of them. */
const edit = fc.oneof(
  fc.record({ kind: fc.constant('owner' as const), permission, isGranted: fc.boolean() }),
  fc.record({ kind: fc.constant('key' as const), key, permission, isGranted: fc.boolean() }),
  fc.record({ kind: fc.constant('key' as const), key, permission, isGranted: fc.boolean() }),
  fc.record({ kind: fc.constant('role' as const), isMember: fc.boolean() }),
  fc.record({ kind: fc.constant('state' as const), key, isActive: fc.boolean() }),
  fc.record({ kind: fc.constant('rotation' as const), key }),
)
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never

/** Two edits with the same subject could end in either order. */
const subjectOf = (one: Edit): string =>
  one.kind === 'owner'
    ? one.permission
    : one.kind === 'role'
      ? 'role'
      : one.kind === 'key'
        ? `permissions of ${one.key}`
        : `row of ${one.key}`
const batch = fc.uniqueArray(fc.record({ edit, atOther: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
  selector: (one) => subjectOf(one.edit),
})

test('whatever is edited where, a key may exactly what both it and its owner may', async () => {
  const role = PricingAnalyst
  const ofRole = new Set(
    [...app.permissions.values()]
      .filter(({ grantedTo }) => grantedTo.some((one) => isOrInherits(one)))
      .map(({ name }) => name),
  )
  const owner = await app.as({ permissions: [ApiKeyPermissions.Create] })
  const held = new Set<string>()
  let isMember = false
  const keys = await Promise.all(
    Array.from({ length: keyCount }, async () => {
      const { id, key: secret } = await newKey(owner)
      return { id, secret, isActive: true, granted: new Set<string>() }
    }),
  )
  const clients = [app.host, other].map((host) =>
    createClient(ApiKeyAppService, { baseUrl: host.url, accessToken: () => manager.token }),
  )
  let made = 0

  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 20, maxLength: 20 }), async (batches) => {
      for (const one of batches) {
        await Promise.all(one.map(({ edit: change, atOther }) => apply(change, atOther ? 1 : 0)))
        made += one.length
        for (const { secret, isActive, granted } of keys) {
          const [name, path] = readable[made % readable.length] as (typeof readable)[number]
          const status = !isActive ? 401 : granted.has(name) && holds(name) ? 200 : 403
          await soon(secret, path).toEqual([status, status])
        }
        if (made >= edits) return
      }
    }),
    { numRuns: Math.ceil(edits / 40), seed, endOnFailure: true },
  )
  expect(made).toBeGreaterThanOrEqual(edits / 2)

  function isOrInherits(wanted: { name: string }, from = role): boolean {
    return from.name === wanted.name || from.parents.some((parent) => isOrInherits(wanted, parent))
  }

  function holds(name: string): boolean {
    return held.has(name) || (isMember && ofRole.has(name))
  }

  async function apply(change: Edit, at: 0 | 1): Promise<void> {
    const host = [app.host, other][at] as TestHost
    const client = clients[at] as InstanceType<typeof ApiKeyAppService>
    if (change.kind === 'owner') {
      const book = host.get(GrantBook)
      const holder = { providerName: 'U', providerKey: owner.userId } as const
      await (change.isGranted
        ? book.grant(holder, [change.permission])
        : book.revoke(holder, [change.permission]))
      if (change.isGranted) held.add(change.permission)
      else held.delete(change.permission)
    } else if (change.kind === 'role') {
      await identity().execute(
        change.isMember
          ? sql`insert into "AbpUserRoles" ("UserId", "RoleId") select ${owner.userId}, "Id" from "AbpRoles" where "Name" = ${role.name} on conflict do nothing`
          : sql`delete from "AbpUserRoles" where "UserId" = ${owner.userId}`,
      )
      isMember = change.isMember
    } else {
      const known = keys[change.key] as (typeof keys)[number]
      if (change.kind === 'key') {
        const { permission: name, isGranted } = change
        await client.updatePermissions(known.id, { permissions: [{ name, isGranted }] })
        if (isGranted) known.granted.add(name)
        else known.granted.delete(name)
      } else if (change.kind === 'state') {
        await client.update(known.id, { isActive: change.isActive })
        known.isActive = change.isActive
      } else known.secret = (await client.rotate(known.id, { overlapMinutes: 0 })).key
    }
  }
}, 900_000)
