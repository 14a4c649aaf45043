import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../support/platform.js'
import { password } from './auth-host.js'

let platform: Platform

beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform?.close())

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
async function tokens(fields: Record<string, string>): Promise<any> {
  const body = new URLSearchParams({ client_id: 'Core_App', scope: 'offline_access Core', ...fields })
  return (await fetch(`${platform.authUrl}/connect/token`, { method: 'POST', body })).json()
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
async function api(accessToken: string, path: string, init: RequestInit = {}): Promise<any> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const response = await fetch(platform.apiUrl + path, { ...init, headers })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : undefined }
}

const configuration = '/api/abp/application-configuration'

test('the API knows who acts as the user, its audit log names both, and the user’s own affairs stay theirs', async () => {
  const admin = await tokens({ grant_type: 'password', username: 'admin', password })
  const self = (await api(admin.access_token, configuration)).body.currentUser
  const { body: users } = await api(admin.access_token, '/api/identity/users?filter=customeradmin')
  const [target] = users.items
  const acting = await tokens({
    grant_type: 'Impersonation',
    access_token: admin.access_token,
    UserId: target.id,
  })
  const { currentUser, auth } = (await api(acting.access_token, configuration)).body
  expect(currentUser).toMatchObject({
    id: target.id,
    userName: 'customeradmin',
    roles: ['CustomerAdmin'],
    impersonatorUserId: self.id,
    impersonatorUserName: 'admin',
    impersonatorTenantId: null,
  })
  expect(auth.grantedPolicies).not.toHaveProperty(['AbpIdentity.Users.Impersonation'])

  const refused = await api(acting.access_token, '/api/account/link-user/generate-link-token', {
    method: 'POST',
  })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'Account:NotWhileImpersonating'])
  const logs = `/api/audit-logging/audit-logs?userName=customeradmin&httpMethod=POST`
  await expect
    .poll(async () => (await api(admin.access_token, logs)).body.items, { timeout: 10_000 })
    .toEqual([
      expect.objectContaining({
        userName: 'customeradmin',
        impersonatorUserId: self.id,
        impersonatorUserName: 'admin',
        url: '/api/account/link-user/generate-link-token',
      }),
    ])

  const back = await tokens({ grant_type: 'Impersonation', access_token: acting.access_token })
  expect((await api(back.access_token, configuration)).body.currentUser).toMatchObject({
    userName: 'admin',
    impersonatorUserId: null,
    impersonatorUserName: null,
  })
  await expect.poll(async () => (await api(acting.access_token, '/api/account/my-profile')).status).toBe(401)
})

test('who was delegated to acts until that is taken back, and never lays hands on the account', async () => {
  const [source, target] = await Promise.all(
    ['manager', 'customer'].map((username) => tokens({ grant_type: 'password', username, password })),
  )
  const delegation = '/api/account/user-delegation'
  const post = (token: string, path: string, body?: object) =>
    api(token, path, { method: 'POST', ...(body && { body: JSON.stringify(body) }) })
  const lookup = await api(source.access_token, `${delegation}/user-lookup?userName=customer`)
  const [{ id: targetUserId }] = lookup.body.items
  await post(source.access_token, `${delegation}/delegate-new-user`, {
    targetUserId,
    startTime: new Date(Date.now() - 60_000),
    endTime: new Date(Date.now() + 600_000),
  })
  const [{ id }] = (await api(target.access_token, `${delegation}/active-delegations`)).body.items
  const acting = await tokens({
    grant_type: 'Impersonation',
    access_token: target.access_token,
    UserDelegationId: id,
  })
  expect(acting.expires_in).toBeLessThanOrEqual(600)
  expect((await api(acting.access_token, configuration)).body.currentUser).toMatchObject({
    userName: 'manager',
    impersonatorUserName: 'customer',
  })
  const attempts = await Promise.all([
    api(acting.access_token, '/api/account/my-profile', {
      method: 'PUT',
      body: JSON.stringify({ userName: 'manager', email: 'mine@example.org' }),
    }),
    api(acting.access_token, `${delegation}/active-delegations`),
    post(acting.access_token, '/api/api-key-management/api-keys', { name: 'Mine for ever' }),
  ])
  expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await post(source.access_token, `${delegation}/delete-delegation?id=${id}`)).status).toBe(204)
  await expect.poll(async () => (await api(acting.access_token, '/api/account/my-profile')).status).toBe(401)
  expect(await tokens({ grant_type: 'refresh_token', refresh_token: acting.refresh_token })).toMatchObject({
    error: 'invalid_grant',
  })
})

test('who loses the permission to act as others is nobody to the API as somebody else, at once', async () => {
  const ofSuperuser = `"ProviderName" = 'U' and "ProviderKey" = (select "Id"::text from "AbpUsers" where "UserName" = 'superuser')`
  await platform.execute(
    'Default',
    `insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey")
     select gen_random_uuid(), name, 'U', "Id"::text from "AbpUsers", unnest(array['AbpIdentity.Users.Impersonation', 'InternalAdmin']) name
     where "UserName" = 'superuser'`,
  )
  const own = await tokens({ grant_type: 'password', username: 'superuser', password })
  const { body: users } = await api(own.access_token, '/api/identity/users?filter=pricing')
  const target = users.items.find(({ userName }: { userName: string }) => userName === 'pricing')
  const acting = await tokens({
    grant_type: 'Impersonation',
    access_token: own.access_token,
    UserId: target.id,
  })
  const statuses = () =>
    Promise.all(
      [acting, own].map(
        async ({ access_token }) => (await api(access_token, '/api/hub/port?maxResultCount=1')).status,
      ),
    )
  expect(await statuses()).toEqual([200, 200])
  await platform.execute('Default', `delete from "AbpPermissionGrants" where ${ofSuperuser}`)
  await expect.poll(statuses).toEqual([401, 200])
  expect(await tokens({ grant_type: 'refresh_token', refresh_token: acting.refresh_token })).toMatchObject({
    error: 'invalid_grant',
  })
})
