import type { PermissionDefinition, Role } from '@keel/framework/contracts'
import { sql } from '@keel/framework/data'
import { Admin, DefaultCustomer, Operator, SuperUser } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type DocumentedOperation, openApiOf, operationsOf } from '../support/open-api.js'
import { sizeOf } from '../support/size.js'
import { type Answer, type Sender, send } from '../support/wire.js'

/** How many operations a permission is asked for that need another one. */
const othersAsked = sizeOf(4, 10)

const nowhere = '00000000-0000-4000-8000-000000000001'

/** What everybody may call. */
const open = [
  'GET /api/abp/application-configuration',
  'GET /api/abp/application-localization',
  'GET /api/abp/multi-tenancy/tenants/by-id/{id}',
  'GET /api/abp/multi-tenancy/tenants/by-name/{name}',
  'POST /api/account/check-password',
  'POST /api/account/confirm-email',
  'POST /api/account/confirm-phone-number',
  'GET /api/account/confirmation-state',
  'POST /api/account/link-user/verify-link-login-token',
  'POST /api/account/link-user/verify-link-token',
  'GET /api/account/profile-picture-file/{id}',
  'POST /api/account/register',
  'POST /api/account/reset-password',
  'POST /api/account/send-email-confirmation-token',
  'POST /api/account/send-password-reset-code',
  'POST /api/account/send-phone-number-confirmation-token',
  'POST /api/account/send-two-factor-code',
  'GET /api/account/two-factor-providers',
  'POST /api/account/verify-email-confirmation-token',
  'POST /api/account/verify-password-reset-token',
  // A token in their addresses says who asks.
  'GET /api/identity/users/download-import-invalid-users-file',
  'GET /api/identity/users/export-as-csv',
  'GET /api/identity/users/export-as-excel',
  'GET /api/identity/users/import-users-sample-file',
]

let app: App
let documented: readonly DocumentedOperation[]
/** What is not open to everybody. */
let operations: readonly DocumentedOperation[]
/** Those whose permission depends on what they are asked for: each has its own tests. */
let dependent: readonly string[]

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  documented = operationsOf(await openApiOf(app.host))
  const guarded = documented.filter(({ name }) => !open.includes(name))
  operations = guarded.filter((one) => permissionOf(one) !== undefined)
  dependent = guarded.filter((one) => permissionOf(one) === undefined).map(({ name }) => name)
})
afterAll(() => app.close())

/** Calls an operation on nothing: with an id of nothing and an empty body. */
function callOn(
  who: Sender,
  { method, path, requestBody }: DocumentedOperation,
  body: unknown = {},
): Promise<Answer> {
  return send(who, method, path.replace(/\{\w+\}/g, nowhere), requestBody && body)
}

/** What every operation that is not open answers to somebody, by its name. */
async function answers<T>(
  who: Sender,
  look: (answer: Answer) => T,
  body?: unknown,
  among = operations,
): Promise<Record<string, T>> {
  const entries = await Promise.all(
    among.map(async (one) => [one.name, look(await callOn(who, one, body))] as const),
  )
  return Object.fromEntries(entries)
}

/** One value for every operation that is not open. */
function everywhere<T>(
  value: T | ((operation: DocumentedOperation) => T),
  among = operations,
): Record<string, T> {
  const resultOf = (one: DocumentedOperation) => (value instanceof Function ? value(one) : value)
  return Object.fromEntries(among.map((one) => [one.name, resultOf(one)]))
}

/** The permission that the document says an operation needs. */
function permissionOf({ description = '' }: DocumentedOperation): string | undefined {
  return /Needs the permission `([\w.]+)`/.exec(description)?.[1]
}

test('there are operations, and each of them says which permission it needs', () => {
  const known = operations.filter((one) => app.permissions.has(permissionOf(one) ?? ''))
  expect({ known: known.length, enough: known.length > 30 }).toEqual({
    known: operations.length,
    enough: true,
  })
})

test('the operations that say no permission are those where it depends on what is meant, lookups, the search, and those on one’s own account and memberships', () => {
  const known =
    / \/api\/((permission-management|feature-management|api-key-management|account)\/|hub\/(search|[a-z-]+\/lookup)$|app\/own-personal-data(\/\{id\}\/file)?$|background-work\/(list-mail|live-event\/ticket)$|hub\/organization-member\/(my-access|my-organizations|\{id\}\/set-default)$)/
  expect(dependent.filter((name) => !known.test(name))).toEqual([])
})

test('every operation but the open ones asks for credentials in the document', () => {
  const unguarded = documented.filter(({ security }) => security.length === 0)
  expect(unguarded.map(({ name }) => name)).toEqual(open)
})

const unauthenticated = {
  status: 401,
  format: 'true',
  challenge: 'Bearer',
  error: {
    code: 'Volo.Authorization:010001',
    message: 'Authentication is required to access this resource.',
    details: null,
    data: null,
    validationErrors: null,
  },
}

const lookAt401 = ({ status, headers, body }: Answer) => ({
  status,
  format: headers.get('_AbpErrorFormat'),
  challenge: headers.get('www-authenticate'),
  error: body?.error,
})

test('without credentials every operation answers 401 with an envelope and a challenge', async () => {
  expect(await answers(app.host, lookAt401)).toEqual(everywhere(unauthenticated))
})

test('with a token that nobody gave every operation answers 401 and says that the token is the reason', async () => {
  const liar: Sender = {
    fetch: (path, init) =>
      app.host.fetch(path, { ...init, headers: { ...init?.headers, authorization: 'Bearer of.bad.news' } }),
  }
  const challenge = 'Bearer error="invalid_token"'
  expect(await answers(liar, lookAt401)).toEqual(everywhere({ ...unauthenticated, challenge }))
})

test('without credentials a body is not even looked at', async () => {
  expect(await answers(app.host, ({ status }) => status, '{"broken":')).toEqual(everywhere(401))
})

test('without credentials a query is not even looked at', async () => {
  expect((await send(app.host, 'GET', '/api/hub/shipment?Filters=%7Bbroken&Sorting=%FF')).status).toBe(401)
})

test('without a grant every operation answers 403 with an envelope that names the permission', async () => {
  const nobody = await app.as({})
  const look = ({ status, headers, body }: Answer) => ({
    status,
    format: headers.get('_AbpErrorFormat'),
    error: body?.error,
  })
  const expected = everywhere((one) => ({
    status: 403,
    format: 'true',
    error: {
      code: 'Volo.Authorization:010002',
      message: `You are not allowed to do this: it needs the permission ${permissionOf(one)}.`,
      details: null,
      data: { PolicyName: permissionOf(one) },
      validationErrors: null,
    },
  }))
  expect(await answers(nobody, look)).toEqual(expected)
})

test('without a grant a body is not even looked at', async () => {
  expect(await answers(await app.as({}), ({ status }) => status, '{"broken":')).toEqual(everywhere(403))
})

/** Whether a permission was declared for a role or for one above it. */
function holds(role: Role, { grantedTo }: Pick<PermissionDefinition, 'grantedTo'>): boolean {
  return grantedTo.includes(role) || role.parents.some((parent) => holds(parent, { grantedTo }))
}

const isAllowed = ({ status, body }: Answer): boolean =>
  !(status === 401 || (status === 403 && String(body.error.code).startsWith('Volo.Authorization:')))

test.for([DefaultCustomer, Operator, SuperUser, Admin])(
  'the role $name may call exactly what was granted to it',
  async (role) => {
    const caller = await app.as({ roles: [role] })
    const expected = everywhere((one) => {
      const definition = app.permissions.get(permissionOf(one) ?? '')
      return definition !== undefined && holds(role, definition)
    })
    expect(await answers(caller, isAllowed)).toEqual(expected)
  },
)

/** Whether a permission counts for a user: some are for clients alone. */
const isForUsers = (permission = ''): boolean =>
  app.permissions.get(permission)?.providers?.includes('U') ?? true

test('the roles differ in what they may call, and an administrator may call everything that users may', async () => {
  const allowed: number[] = []
  // One role after the other: all operations for all of them at once would be more connections than a listener queues.
  for (const role of [DefaultCustomer, Operator, SuperUser, Admin]) {
    const caller = await app.as({ roles: [role] })
    allowed.push(Object.values(await answers(caller, isAllowed)).filter(Boolean).length)
  }
  const [customer = 0, operator = 0, owner = 0, admin] = allowed
  expect({ isRising: 0 < customer && customer < operator && operator < owner, admin }).toEqual({
    isRising: true,
    admin: operations.filter((one) => isForUsers(permissionOf(one))).length,
  })
}, 120_000)

test(`each permission alone opens the operations that need it, and none of ${othersAsked} others`, async () => {
  const names = [...new Set(operations.map((one) => permissionOf(one) ?? ''))]
  for (const [index, permission] of names.entries()) {
    const caller: AppCaller = await app.as({ permissions: [permission] })
    const needing = operations.filter((one) => permissionOf(one) === permission)
    const others = operations.filter((one) => permissionOf(one) !== permission)
    // Some in a row, each time from another place: together they are as many operations as can be.
    const some = Array.from(
      { length: othersAsked },
      (_, step) => others[(index * othersAsked + step) % others.length] as never,
    )
    expect(await answers(caller, isAllowed, undefined, [...needing, ...some])).toEqual(
      everywhere((one) => permissionOf(one) === permission && isForUsers(permission), [...needing, ...some]),
    )
  }
}, 120_000)

test('a grant counts at the next request, and so does its end', async () => {
  const caller = await app.as({})
  const read = async () => (await send(caller, 'GET', '/api/hub/port')).status
  const before = await read()
  const grants = app.host.get(PermissionGrants)
  await grants.grant([{ providerName: 'U', providerKey: caller.userId, permission: 'Port.View' }])
  await expect.poll(read, { timeout: 1000, interval: 10 }).toBe(200)
  await grants.database.execute(sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${caller.userId}`)
  await expect.poll(read, { timeout: 1000, interval: 10 }).toBe(before)
})
