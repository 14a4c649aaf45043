import { sql } from '@keel/framework/data'
import { Admin, DefaultCustomer, OperationsManager, Operator } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import {
  keyManagementPolicy,
  manageAllKeysPolicy,
  managePolicies,
  PermissionErrors,
} from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, type Sender, send } from '../support/wire.js'
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

test('API keys are managed by their owners, explained with them, and warned of', async () => {
  const mine = [managePolicies.AK, 'ApiKeys.Create', 'Port.View', 'Port.Edit']
  const owner = await app.as({ permissions: mine })
  const stranger = await app.as({ permissions: [managePolicies.AK, 'Port.View'] })
  const { id, key } = await newKey(owner, { name: 'CI' })
  const itself = withKey(app.host, key)
  const answers = await Promise.all(
    [owner, stranger, itself].map((who) => put(who, 'AK', id, { 'Port.View': { isProhibited: true } })),
  )
  expect(answers.map(({ status, body }) => [status, body?.error.data])).toEqual([
    [204, undefined],
    [403, { PolicyName: manageAllKeysPolicy }],
    [403, { PolicyName: keyManagementPolicy }],
  ])

  const dialog = await read(admin, 'AK', id.toUpperCase())
  expect([dialog.body.entityDisplayName, permissionOf(dialog, 'Port.Edit').grantedProviders]).toEqual([
    'CI',
    [holder('AK', id)],
  ])

  const beyond = await preview(admin, 'AK', id, { 'Port.Delete': true })
  const orphan = await preview(admin, 'U', owner.userId, { 'Port.Edit': false })
  expect([beyond.body.warnings, orphan.body.warnings]).toMatchObject([
    [{ warning: 'KeyBeyondOwner', permissionNames: ['Port.Delete'], holders: [{ displayName: 'CI' }] }],
    [{ warning: 'OrphanedKeys', permissionNames: ['Port.Edit'], holders: [{ displayName: 'CI' }] }],
  ])

  await put(admin, 'U', owner.userId, { 'Port.Edit': false })
  const asked = addressOf('explain', { permission: 'Port.Edit' })
  const [own, others] = [
    await send(itself, 'GET', asked),
    await send(admin, 'GET', `${asked}&providerName=AK&providerKey=${id}`),
  ]
  expect([own.body.isGranted, own.body.answers, own.body.flips, others.body]).toMatchObject([
    false,
    [
      { ...holder('AK', id), answer: 'Granted', isOwners: false },
      { ...holder('U', owner.userId), answer: 'Undefined', isOwners: true },
    ],
    [{ changes: [{ kind: 'Granted', ...holder('U', owner.userId) }] }],
    own.body,
  ])
})
