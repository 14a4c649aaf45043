import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../support/platform.js'
import { password } from './auth-host.js'

/** Auth server and API host as the two processes they are. */
let platform: Platform

beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform?.close())

async function post(path: string, fields: Record<string, string>) {
  const response = await fetch(platform.authUrl + path, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function tokens(): Promise<Record<string, string>> {
  const { body } = await post('/connect/token', {
    grant_type: 'password',
    client_id: 'Core_App',
    username: 'admin',
    password,
    scope: 'openid offline_access Core',
  })
  return body
}

/** What the API host answers to the bearer of a token. */
async function statusAtApi(token = ''): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${platform.apiUrl}/api/hub/port?maxResultCount=1`, { headers })).status
}

test.each([
  ['own value', 'access_token', 200],
  ['refresh token', 'refresh_token', 400],
] as const)('the API refuses an access token once its %s was taken back', async (_what, kind, refreshed) => {
  const given = await tokens()
  const other = await tokens()
  expect(await statusAtApi(given.access_token)).toBe(200)
  await post('/connect/revocat', { client_id: 'Core_App', token: given[kind] ?? '', token_type_hint: kind })
  await expect.poll(() => statusAtApi(given.access_token), { timeout: 3000, interval: 20 }).toBe(401)
  expect(await statusAtApi(other.access_token)).toBe(200)
  const { status } = await post('/connect/token', {
    grant_type: 'refresh_token',
    client_id: 'Core_App',
    refresh_token: given.refresh_token ?? '',
  })
  expect(status).toBe(refreshed)
})

test('the API takes no identity token', async () => {
  const { id_token } = await tokens()
  expect(await statusAtApi(id_token)).toBe(401)
})
