import { KeelModule, Module, Provides } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { ApiKeyHolders, type NamedHolder } from '@keel/framework/security'
import { Admin, DefaultCustomer, OperationsManager, Operator } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { manageAllKeysPolicy, managePolicies, PermissionErrors } from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../app.js'
import { type Answer, type Sender, send } from '../wire.js'
import {
  addressOf,
  holder,
  manager,
  PermissionsHost,
  permissionOf,
  put,
  read,
  type Wanted,
  wantedBody,
} from './host.js'

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(PermissionsHost)
  admin = await app.as({ permissions: manager, roles: [Admin] })
})
afterAll(() => app?.close())

const preview = (who: Sender, providerName: string, providerKey: string, wanted: Wanted): Promise<Answer> =>
  send(who, 'POST', addressOf('permissions/preview', holder(providerName, providerKey)), wantedBody(wanted))
const granted = async (userId: string): Promise<string[]> => {
  const caller = await app.host.as({ subject: userId })
  const { body } = await send(
    caller,
    'GET',
    '/api/abp/application-configuration?includeLocalizationResources=false',
  )
  return Object.keys(body.auth.grantedPolicies)
}

test('a preview of a user tells what they would have more and less, and saves nothing', async () => {
  const user = await app.as({ permissions: ['Port.View', 'Port.Edit'], roles: [DefaultCustomer] })
  const before = await read(admin, 'U', user.userId)
  const { status, body } = await preview(admin, 'U', user.userId, {
    'Port.View': false,
    'Port.Edit': false,
    'Port.Create': true,
  })
  const difference = { gains: ['Port.Create'], loses: ['Port.Edit'] }
  expect([status, body]).toEqual([
    200,
    {
      changes: expect.arrayContaining([{ permissionName: 'Port.View', kind: 'Revoked' }]),
      ...difference,
      affectedUserCount: 1,
      affectedUsers: [{ userId: user.userId, userName: expect.stringMatching(/^user-/), ...difference }],
      memberCount: 1,
      isComplete: true,
      warnings: [],
    },
  ])
  expect((await read(admin, 'U', user.userId)).body).toEqual(before.body)
})

test('a preview of a role tells whom it concerns: members of the role and of those below it, save who has it anyway', async () => {
  const plain = await app.as({ roles: [Operator] })
  const below = await app.as({ roles: [OperationsManager] })
  const anyway = await app.as({ roles: [Operator], permissions: ['Port.Delete'] })
  const outside = await app.as({ roles: [DefaultCustomer] })
  const inactive = await app.as({ roles: [Operator] })
  await app.host
    .get(PermissionGrants)
    .database.execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${inactive.userId}`)
  const { body } = await preview(admin, 'R', Operator.name, { 'Port.Delete': true })
  const told = new Map(
    body.affectedUsers.map(({ userId, gains }: { userId: string; gains: string[] }) => [userId, gains]),
  )
  expect([plain, below, anyway, outside, inactive].map(({ userId }) => told.get(userId))).toEqual([
    ['Port.Delete'],
    ['Port.Delete'],
    undefined,
    undefined,
    undefined,
  ])
})

test('what a preview says is what the update does', async () => {
  const users = await Promise.all(
    [
      { roles: [Operator] },
      { roles: [OperationsManager], permissions: ['Port.Delete'] },
      { roles: [DefaultCustomer, Operator], permissions: ['Port.Edit'] },
    ].map((caller) => app.as(caller)),
  )
  const wanted = { 'Port.Delete': true, 'Port.Create': true, 'Port.View': { isProhibited: true } }
  const { body } = await preview(admin, 'R', Operator.name, wanted)
  const before = await Promise.all(users.map(({ userId }) => granted(userId)))
  await put(admin, 'R', Operator.name, wanted)
  const after = await Promise.all(users.map(({ userId }) => granted(userId)))
  await put(admin, 'R', Operator.name, {
    'Port.Delete': false,
    'Port.Create': false,
    'Port.View': { isProhibited: false },
  })
  const told = users.map(({ userId }) =>
    body.affectedUsers.find((one: { userId: string }) => one.userId === userId),
  )
  expect(told.map(({ gains, loses }) => [gains.sort(), loses.sort()])).toEqual(
    users.map((_, index) => [
      after[index]?.filter((name) => !before[index]?.includes(name)).sort(),
      before[index]?.filter((name) => !after[index]?.includes(name)).sort(),
    ]),
  )
})

test('a preview is refused where the update would be', async () => {
  const chief = await app.as({ permissions: manager })
  const answers = [
    await preview(chief, 'R', Operator.name, { 'Port.Edit': true }),
    await preview(await app.as({}), 'R', Operator.name, {}),
    await preview(admin, 'R', 'NoSuchRole', {}),
  ]
  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [403, PermissionErrors.NotHeld],
    [403, 'Volo.Authorization:010002'],
    [404, null],
  ])
})

test('nobody being left who manages the permissions of users is warned of', async () => {
  const own = await startApp(PermissionsHost)
  try {
    // From here on nobody but these two may.
    const grants = own.host.get(PermissionGrants)
    await grants.database.execute(sql`delete from "AbpPermissionGrants" where "Name" = ${managePolicies.U}`)
    const [first, second] = [
      await own.as({ permissions: [managePolicies.U] }),
      await own.as({ permissions: [managePolicies.U] }),
    ]
    const ask = async (userId: string) =>
      (await preview(first, 'U', userId, { [managePolicies.U]: false })).body.warnings
    const withTwo = await ask(first.userId)
    await put(first, 'U', second.userId, { [managePolicies.U]: false })
    expect([withTwo, await ask(first.userId)]).toEqual([
      [],
      [
        {
          warning: 'LastAdministrator',
          message: 'Nobody could manage the permissions of users any more.',
          permissionNames: [managePolicies.U],
          holders: [{ ...holder('U', first.userId), displayName: expect.stringMatching(/^user-/) }],
        },
      ],
    ])
  } finally {
    await own.close()
  }
})

/** API keys that a module could have: each of an owner. */
const apiKeys: NamedHolder[] = []

@Provides(ApiKeyHolders)
class SomeApiKeys extends ApiKeyHolders {
  async find(id: string): Promise<NamedHolder | undefined> {
    return apiKeys.find(({ providerKey }) => providerKey === id)
  }
  async ofOwners(userIds: readonly string[]): Promise<readonly NamedHolder[]> {
    return apiKeys.filter(({ ownerId = '' }) => userIds.includes(ownerId))
  }
}

@Module({ dependsOn: [PermissionsHost], services: [SomeApiKeys] })
class KeyedHost extends KeelModule {}

test('API keys are managed by their owners, explained with them, and warned of', async () => {
  const own = await startApp(KeyedHost)
  try {
    const owner = await own.as({ permissions: [managePolicies.AK, 'Port.View', 'Port.Edit'] })
    const stranger = await own.as({ permissions: [managePolicies.AK, 'Port.View'] })
    const chief = await own.as({ permissions: [...manager], roles: [Admin] })
    const key = {
      providerKey: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      displayName: 'CI',
      ownerId: owner.userId,
    }
    apiKeys.push(key)
    const put1 = await put(owner, 'AK', key.providerKey, { 'Port.View': true, 'Port.Edit': true })
    const put2 = await put(stranger, 'AK', key.providerKey, { 'Port.View': false })
    expect([put1.status, put2.status, put2.body.error.data]).toEqual([
      204,
      403,
      { PolicyName: manageAllKeysPolicy },
    ])

    const dialog = await read(chief, 'AK', key.providerKey.toUpperCase())
    expect([dialog.body.entityDisplayName, permissionOf(dialog, 'Port.Edit').grantedProviders]).toEqual([
      'CI',
      [holder('AK', key.providerKey)],
    ])

    const beyond = await preview(chief, 'AK', key.providerKey, { 'Port.Delete': true })
    const orphan = await preview(chief, 'U', owner.userId, { 'Port.Edit': false })
    expect([beyond.body.warnings, orphan.body.warnings]).toMatchObject([
      [{ warning: 'KeyBeyondOwner', permissionNames: ['Port.Delete'], holders: [{ displayName: 'CI' }] }],
      [{ warning: 'OrphanedKeys', permissionNames: ['Port.Edit'], holders: [{ displayName: 'CI' }] }],
    ])

    await put(chief, 'U', owner.userId, { 'Port.Edit': false })
    const why = await send(
      chief,
      'GET',
      addressOf('explain', { permission: 'Port.Edit', ...holder('AK', key.providerKey) }),
    )
    expect([why.body.isGranted, why.body.answers, why.body.flips]).toMatchObject([
      false,
      [
        { ...holder('AK', key.providerKey), answer: 'Granted', isOwners: false },
        { ...holder('U', owner.userId), answer: 'Undefined', isOwners: true },
      ],
      [{ changes: [{ kind: 'Granted', ...holder('U', owner.userId) }] }],
    ])
  } finally {
    await own.close()
  }
})
