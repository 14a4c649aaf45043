import { sql } from '@keel/framework/data'
import { Admin, OperationsManager, Operator, productRoles } from '@keel/identity/contracts'
import { type GrantChange, PermissionGrants } from '@keel/permission-management'
import { managePolicies } from '@keel/permission-management/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, faultyMembers, type Sender, send } from '../support/wire.js'
import { addClients, addressOf, holder, manager, PermissionsHost, put } from './host.js'

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(PermissionsHost)
  admin = await app.as({ permissions: manager, roles: [Admin] })
})
afterAll(() => app?.close())

const explain = (who: Sender, query: Record<string, string | undefined>): Promise<Answer> =>
  send(who, 'GET', addressOf('explain', query))
const ports = (who: Sender): Promise<Answer> => send(who, 'GET', '/api/hub/port')

test('a grant through the hierarchy tells the steps, where it stands, and what would end it', async () => {
  const user = await app.as({ roles: [OperationsManager] })
  const { body } = await explain(admin, { permission: 'Port.View', ...holder('U', user.userId) })
  const silent = { changeTime: null, cause: null, userId: null, userName: null, isOwners: false }
  expect(body).toEqual({
    permission: 'Port.View',
    displayName: 'Ports – view',
    ...holder('U', user.userId),
    holderDisplayName: expect.stringMatching(/^user-/),
    isGranted: true,
    obstacle: null,
    answers: [
      { ...holder('U', user.userId), answer: 'Undefined', path: [], ...silent },
      { ...holder('R', 'OperationsManager'), answer: 'Undefined', path: ['OperationsManager'], ...silent },
      { ...holder('R', 'Operator'), answer: 'Undefined', path: ['OperationsManager', 'Operator'], ...silent },
      {
        ...holder('R', 'DefaultCustomer'),
        answer: 'Granted',
        path: ['OperationsManager', 'Operator', 'DefaultCustomer'],
        ...silent,
        cause: 'Seed',
        changeTime: expect.stringMatching(/Z$/),
      },
    ],
    flips: [
      { changes: [{ kind: 'Revoked', ...holder('R', 'DefaultCustomer') }] },
      { changes: [{ kind: 'Prohibited', ...holder('U', user.userId) }] },
      { changes: [{ kind: 'Prohibited', ...holder('R', 'OperationsManager') }] },
      { changes: [{ kind: 'Prohibited', ...holder('R', 'Operator') }] },
      { changes: [{ kind: 'Prohibited', ...holder('R', 'DefaultCustomer') }] },
    ],
    refusalTime: null,
  })
})

test('it is told who granted and who prohibited it', async () => {
  const user = await app.as({})
  await put(admin, 'U', user.userId, { 'Port.View': { isProhibited: true } })
  const { body } = await explain(admin, { permission: 'Port.View', ...holder('U', user.userId) })
  expect([body.isGranted, body.answers, body.flips]).toMatchObject([
    false,
    [
      {
        answer: 'Prohibited',
        userId: admin.userId,
        userName: expect.stringMatching(/^user-/),
        cause: 'Update',
      },
    ],
    [
      {
        changes: [
          { kind: 'Allowed', ...holder('U', user.userId) },
          { kind: 'Granted', ...holder('U', user.userId) },
        ],
      },
    ],
  ])
})

test('what it says would turn the answer round, does', async () => {
  const user = await app.as({ roles: [Operator] })
  const before = (await ports(user)).status
  const { body } = await explain(admin, { permission: 'Port.View', ...holder('U', user.userId) })
  const way = body.flips.find(
    ({ changes }: { changes: { kind: string }[] }) => changes[0]?.kind === 'Prohibited',
  )
  const [{ providerName, providerKey }] = way.changes
  await put(admin, providerName, providerKey, { 'Port.View': { isProhibited: true } })
  expect([before, (await ports(user)).status]).toEqual([200, 403])
})

test('everybody may ask about themselves', async () => {
  const user = await app.as({ roles: [Operator] })
  const { status, body } = await explain(user, { permission: 'Port.View' })
  expect([status, body.isGranted, body.providerKey]).toEqual([200, true, user.userId])
})

test('a client may ask about itself', async () => {
  await addClients(app, 'Robot')
  const client = await app.host.as({ subject: 'Robot', clientId: 'Robot' })
  const { body } = await explain(client, { permission: 'Port.View' })
  expect(body).toMatchObject({ ...holder('C', 'Robot'), isGranted: false })
})

test('asking about others takes the permission to manage them', async () => {
  const user = await app.as({})
  const { status, body } = await explain(user, { permission: 'Port.View', ...holder('U', admin.userId) })
  expect([status, body.error.data]).toEqual([403, { PolicyName: managePolicies.U }])
})

test('a role is explained with those it inherits from', async () => {
  const { body } = await explain(admin, { permission: 'Port.View', ...holder('R', 'Operator') })
  expect(body.answers.map(({ providerKey, path }: never) => [providerKey, path])).toEqual([
    ['Operator', ['Operator']],
    ['DefaultCustomer', ['Operator', 'DefaultCustomer']],
  ])
})

test('a permission that nobody defines says so', async () => {
  const { body } = await explain(admin, { permission: 'No.Such', ...holder('R', 'Operator') })
  expect(body).toMatchObject({ isGranted: false, obstacle: 'NotDefined', displayName: 'No.Such', flips: [] })
})

test('a user who is locked out has nothing, whatever they were granted', async () => {
  const user = await app.as({ permissions: ['Port.View'] })
  await app.host
    .get(PermissionGrants)
    .database.execute(
      sql`update "AbpUsers" set "LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour' where "Id" = ${user.userId}`,
    )
  const { body } = await explain(admin, { permission: 'Port.View', ...holder('U', user.userId) })
  expect(body).toMatchObject({ isGranted: false, obstacle: 'UserLockedOut', flips: [] })
})

test.for([
  [{}, 'permission'],
  [{ permission: 'Port.View', providerName: 'U' }, 'providerKey'],
  [{ permission: 'Port.View', ...holder('X', '1') }, 'providerName'],
] as const)('of %j it is told what is missing', async ([query, member]) => {
  const answer = await explain(admin, query)
  expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
})

test('a refusal is explained by its trace id, to the refused and to those who may manage them', async () => {
  const user = await app.as({})
  const other = await app.as({})
  const refusal = await ports(user)
  const traceId = refusal.headers.get('x-correlation-id') ?? ''
  const [own, theirs, others] = [
    await explain(user, { traceId }),
    await explain(admin, { traceId }),
    await explain(other, { traceId }),
  ]
  expect(own.body).toMatchObject({
    permission: 'Port.View',
    ...holder('U', user.userId),
    isGranted: false,
    refusalTime: expect.stringMatching(/Z$/),
  })
  expect([theirs.body, others.status]).toEqual([own.body, 403])
})

test('a trace id that somebody else used too leads to one’s own refusal', async () => {
  const [one, other] = [await app.as({}), await app.as({})]
  const headers = { 'x-correlation-id': `chosen-${one.userId}` }
  await one.fetch('/api/hub/port', { headers })
  await other.fetch('/api/pricing/currency', { headers })
  const { body } = await explain(one, { traceId: headers['x-correlation-id'] })
  expect([body.permission, body.providerKey]).toEqual(['Port.View', one.userId])
})

test('what was let in leaves no trace', async () => {
  const answer = await ports(admin)
  const { status } = await explain(admin, { traceId: answer.headers.get('x-correlation-id') ?? '' })
  expect([answer.status, status]).toEqual([200, 404])
})

interface Somebody {
  readonly caller: Sender
  /** Undefined to ask in one's own name. */
  readonly asked: { readonly providerName: string; readonly providerKey: string } | undefined
  readonly enforced: ReadonlySet<string>
}

/** Somebody of every kind: users, API keys, clients; with roles, grants and prohibitions drawn by lot. */
async function population(names: readonly string[], seed: number): Promise<Somebody[]> {
  const state = fc.constantFrom('Granted', 'Granted', 'Prohibited')
  const standing = fc.array(fc.tuple(fc.constantFrom(...names), state), { maxLength: 12 })
  const roles = fc.subarray([...productRoles], { maxLength: 2 })
  const lots = fc.sample(fc.tuple(roles, standing, standing, standing), { numRuns: 24, seed })
  const at = (
    providerName: GrantChange['providerName'],
    providerKey: string,
    states: readonly (readonly [string, string])[] = [],
  ) => states.map(([name, kind]) => ({ providerName, providerKey, name, kind }) as GrantChange)
  // The administrator, who asks, goes on to hold what asking takes.
  const mayBeTaken = ([name]: readonly [string, string]) => !/\.Manage(Permissions|All)$/.test(name)
  const changes = productRoles.flatMap(({ name }, index) =>
    at('R', name, lots[index]?.[1].filter(mayBeTaken).slice(0, 4)),
  )
  await addClients(app, ...lots.map((_lot, index) => `Lot_${index}`))
  const made = await Promise.all(
    lots.map(async ([assigned, own, keys, clients], index) => {
      const user = await app.as({ roles: assigned, permissions: ['ApiKeys.Create'] })
      const { id, key } = await newKey(user)
      changes.push(...at('U', user.userId, own), ...at('AK', id, keys), ...at('C', `Lot_${index}`, clients))
      const apiKey = withKey(app.host, key)
      const client = await app.host.as({ subject: `Lot_${index}`, clientId: `Lot_${index}` })
      return [
        { caller: user, asked: holder('U', user.userId) },
        { caller: await app.host.as({ subject: user.userId, clientId: `Lot_${index}` }), asked: undefined },
        { caller: apiKey, asked: index % 2 ? holder('AK', id) : undefined },
        { caller: client, asked: undefined },
      ]
    }),
  )
  await app.host.get(PermissionGrants).apply(distinct(changes), 'Module')
  return Promise.all(
    made.flat().map(async ({ caller, asked }) => {
      const address = '/api/abp/application-configuration?includeLocalizationResources=false'
      const { body } = await send(caller, 'GET', address)
      return { caller, asked, enforced: new Set(Object.keys(body.auth.grantedPolicies)) }
    }),
  )
}

const distinct = (changes: readonly GrantChange[]): GrantChange[] => [
  ...new Map(
    changes.map((change) => [
      JSON.stringify([change.providerName, change.providerKey, change.name, change.kind]),
      change,
    ]),
  ).values(),
]

test('for 1,000 pairs of somebody and a permission the explanation says what checks enforce', {
  timeout: 120_000,
}, async () => {
  const names = [...app.permissions.keys()]
  const seed = Number(process.env.EXPLAIN_SEED ?? Date.now() & 0x7fffffff)
  const people = await population(names, seed)
  const pairs = fc.sample(fc.tuple(fc.constantFrom(...people), fc.constantFrom(...names)), {
    numRuns: 1000,
    seed,
  })
  const wrong: unknown[] = []
  let granted = 0
  for (let from = 0; from < pairs.length; from += 20)
    await Promise.all(
      pairs.slice(from, from + 20).map(async ([{ caller, asked, enforced }, permission]) => {
        const { body } = await explain(asked ? admin : caller, { permission, ...asked })
        if (body.isGranted) granted += 1
        if (body.isGranted !== enforced.has(permission)) wrong.push({ seed, permission, body })
      }),
    )
  expect(wrong).toEqual([])
  expect(granted > 50 && granted < 950).toBe(true)
})
