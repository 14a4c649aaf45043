import { UnitOfWork } from '@keel/framework/data'
import { Admin, IdentityRoleAppService, IdentityUserAppService, Operator } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { GrantBook, managePolicies } from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, faultyMembers, type Sender, send } from '../support/wire.js'
import {
  addClients,
  addressOf,
  holder,
  manager,
  PermissionsHost,
  permissionOf,
  put,
  read,
  type Wanted,
} from './host.js'

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(PermissionsHost)
  admin = await app.as({ permissions: manager, roles: [Admin] })
})
afterAll(() => app?.close())

const history = (who: Sender, query: Record<string, string | number | undefined>): Promise<Answer> =>
  send(who, 'GET', addressOf('history', query))
const at = (time: string, key: string, who: Sender = admin, provider = 'U'): Promise<Answer> =>
  send(who, 'GET', addressOf('permissions/at', { time, ...holder(provider, key) }))
const kinds = ({ body }: Answer): [string, string][] =>
  body.items.map(({ permissionName, kind }: Record<string, string>) => [permissionName, kind])

test('every change is written down, with who made it, through what and when', async () => {
  const { userId } = await app.as({})
  const answer = await put(admin, 'U', userId, { 'Port.View': true })
  const { body } = await history(admin, holder('U', userId))
  expect(body).toEqual({
    totalCount: 1,
    items: [
      {
        id: expect.any(String),
        changeTime: expect.stringMatching(/^\d{4}-.*Z$/),
        permissionName: 'Port.View',
        resourceName: null,
        resourceKey: null,
        ...holder('U', userId),
        kind: 'Granted',
        cause: 'Update',
        userId: admin.userId,
        userName: expect.stringMatching(/^user-/),
        clientId: 'Core_App',
        correlationId: answer.headers.get('x-correlation-id'),
      },
    ],
  })
})

test('what changes nothing is not written down', async () => {
  const { userId } = await app.as({})
  await put(admin, 'U', userId, { 'Port.View': true })
  await put(admin, 'U', userId, { 'Port.View': true, 'Port.Edit': false })
  expect(kinds(await history(admin, holder('U', userId)))).toEqual([['Port.View', 'Granted']])
})

test('an update that is refused leaves no history', async () => {
  const chief = await app.as({ permissions: [...manager, 'Port.View'] })
  const { userId } = await app.as({})
  await put(chief, 'U', userId, { 'Port.View': true, 'Port.Edit': true })
  expect((await history(admin, holder('U', userId))).body).toEqual({ totalCount: 0, items: [] })
})

test('what a release grants is the program’s doing', async () => {
  const { body } = await history(admin, { ...holder('R', 'DefaultCustomer'), permissionName: 'Port.View' })
  expect(body.items).toMatchObject([{ kind: 'Granted', cause: 'Seed', userId: null, userName: null }])
})

test('the history is filtered, sorted and paged', async () => {
  const { userId } = await app.as({})
  await put(admin, 'U', userId, {
    'Port.View': true,
    'Port.Edit': true,
    'Port.Create': { isProhibited: true },
  })
  const middle = new Date().toISOString()
  await put(admin, 'U', userId, { 'Port.View': false })
  const of = async (query: Record<string, string | number>) =>
    kinds(await history(admin, { ...holder('U', userId), ...query }))
  expect([
    await of({ kind: 'Prohibited' }),
    await of({ permissionName: 'Port.View' }),
    await of({ startTime: middle }),
    await of({ endTime: middle, sorting: 'permissionName asc' }),
    await of({ sorting: 'permissionName', skipCount: 1, maxResultCount: 1 }),
    await of({ userId: userId }),
    await of({ cause: 'Seed' }),
  ]).toEqual([
    [['Port.Create', 'Prohibited']],
    [
      ['Port.View', 'Revoked'],
      ['Port.View', 'Granted'],
    ],
    [['Port.View', 'Revoked']],
    [
      ['Port.Create', 'Prohibited'],
      ['Port.Edit', 'Granted'],
      ['Port.View', 'Granted'],
    ],
    [['Port.Edit', 'Granted']],
    [],
    [],
  ])
})

test('a list is bounded, and its order is of known fields', async () => {
  const answers = [
    await history(admin, { maxResultCount: 1001 }),
    await history(admin, { sorting: 'password' }),
    await history(admin, holder('X', 'key')),
  ]
  expect(answers.map((answer) => [answer.status, faultyMembers(answer)])).toEqual([
    [400, ['maxResultCount']],
    [400, ['sorting']],
    [400, ['providerName']],
  ])
})

test('the history of everybody takes its own permission, that of a holder the permission to manage it', async () => {
  const [chief, auditor] = [
    await app.as({ permissions: [managePolicies.R] }),
    await app.as({ permissions: ['AbpPermissionManagement'] }),
  ]
  const ask = async (who: Sender) =>
    Promise.all(
      [{}, holder('R', 'Operator'), holder('U', admin.userId)].map(
        async (query) => (await history(who, query)).status,
      ),
    )
  expect([await ask(chief), await ask(auditor)]).toEqual([
    [403, 200, 403],
    [200, 200, 200],
  ])
})

test('the state of grants is told for any instant', async () => {
  const { userId } = await app.as({})
  const times: string[] = [new Date().toISOString()]
  const steps: Wanted[] = [
    { 'Port.View': true, 'Port.Edit': true },
    { 'Port.Edit': false, 'Port.Create': { isProhibited: true } },
    { 'Port.Edit': true, 'Port.Create': { isProhibited: false } },
    { 'Port.View': false },
  ]
  for (const step of steps) {
    await put(admin, 'U', userId, step)
    await new Promise((resolve) => setTimeout(resolve, 5))
    times.push(new Date().toISOString())
  }
  const states = await Promise.all(times.map(async (time) => (await at(time, userId)).body))
  expect(states.map(({ granted, prohibited }) => [granted, prohibited])).toEqual([
    [[], []],
    [['Port.Edit', 'Port.View'], []],
    [['Port.View'], ['Port.Create']],
    [['Port.Edit', 'Port.View'], []],
    [['Port.Edit'], []],
  ])
  expect(states[0]).toMatchObject({ time: times[0], ...holder('U', userId) })
})

test('the state at an instant is for those who may manage the holder', async () => {
  const user = await app.as({})
  const answers = [await at('2026-01-01', user.userId, user), await at('then', user.userId)]
  expect([answers[0]?.status, answers[1]?.status, faultyMembers(answers[1] as Answer)]).toEqual([
    403,
    400,
    ['time'],
  ])
})

test('a module grants and revokes in its own unit of work', async () => {
  const book = app.host.get(GrantBook)
  const key = { providerName: 'C', providerKey: 'Module_Client' } as const
  await book.grant(key, ['Port.View', 'Port.Edit'])
  await book.revoke(key, ['Port.Edit', 'Port.Create'])
  const undone = UnitOfWork.run(async () => {
    await book.grant(key, ['Port.Delete'])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await book.grantsOf(key)).toEqual(['Port.View'])
  expect((await history(admin, { ...key, sorting: 'changeTime' })).body.items).toMatchObject([
    { kind: 'Granted', cause: 'Module' },
    { kind: 'Granted', cause: 'Module' },
    { permissionName: 'Port.Edit', kind: 'Revoked', cause: 'Module' },
  ])
})

test('a holder that is renamed takes its grants and prohibitions along, and one that is gone leaves none', async () => {
  const book = app.host.get(GrantBook)
  const [old, renamed] = [holder('C', 'Old_Client'), holder('C', 'New_Client')]
  await addClients(app, 'Old_Client', 'New_Client')
  await put(admin, 'C', 'Old_Client', { 'Port.View': true, 'Port.Edit': { isProhibited: true } })
  await book.rename({ providerName: 'C', providerKey: 'Old_Client' }, 'New_Client')
  const state = async (key: string) => {
    const dialog = await read(admin, 'C', key)
    return ['Port.View', 'Port.Edit'].map((name) => {
      const { isGranted, isProhibited } = permissionOf(dialog, name)
      return [isGranted, isProhibited]
    })
  }
  const afterRename = [await state('Old_Client'), await state('New_Client')]
  await book.remove({ providerName: 'C', providerKey: 'New_Client' })
  expect([...afterRename, await state('New_Client')]).toEqual([
    [
      [false, false],
      [false, false],
    ],
    [
      [true, false],
      [false, true],
    ],
    [
      [false, false],
      [false, false],
    ],
  ])
  const causes = async (key: object) =>
    (await history(admin, { ...key, sorting: 'changeTime' })).body.items.map(
      ({ kind, cause }: Record<string, string>) => `${kind} ${cause}`,
    )
  expect([(await causes(old)).sort(), (await causes(renamed)).sort()]).toEqual([
    ['Allowed HolderRenamed', 'Granted Update', 'Prohibited Update', 'Revoked HolderRenamed'],
    ['Allowed HolderRemoved', 'Granted HolderRenamed', 'Prohibited HolderRenamed', 'Revoked HolderRemoved'],
  ])
})

test('the grants of a role are renamed with it, and go with it; those of a user go with the user', async () => {
  const seeded = await app.admin()
  const [roles, users] = [seeded.service(IdentityRoleAppService), seeded.service(IdentityUserAppService)]
  const role = await roles.create({ name: 'Old name' })
  const { userId } = await app.as({ permissions: ['Port.View'] })
  await put(admin, 'R', role.name, { 'Port.Edit': true, 'Port.View': { isProhibited: true } })
  await roles.update(role.id, { ...role, name: 'New name' })
  const renamed = await at(new Date().toISOString(), 'New name', admin, 'R')
  await roles.delete(role.id)
  await users.delete(userId)
  const gone = [
    await at(new Date().toISOString(), 'New name', admin, 'R'),
    await at(new Date().toISOString(), userId),
  ]
  expect([renamed, ...gone].map(({ body: { granted, prohibited } }) => [granted, prohibited])).toEqual([
    [['Port.Edit'], ['Port.View']],
    [[], []],
    [[], []],
  ])
  const { body } = await history(admin, { ...holder('U', userId), kind: 'Revoked' })
  expect(body.items).toMatchObject([{ cause: 'HolderRemoved', userId: seeded.userId, userName: 'admin' }])
})

test('seeding again grants nothing, and writes nothing down', async () => {
  const before = (await history(admin, { cause: 'Seed' })).body.totalCount
  const added = await app.host
    .get(PermissionGrants)
    .grant([{ providerName: 'R', providerKey: 'DefaultCustomer', permission: 'Port.View' }], 'Seed')
  expect([added, (await history(admin, { cause: 'Seed' })).body.totalCount]).toEqual([0, before])
  expect((await read(admin, 'R', Operator.name)).status).toBe(200)
})
