import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.js'
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
