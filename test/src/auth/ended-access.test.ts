import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../support/platform.js'
import { Browser } from './browser.js'
import { authorizationRequest } from './sign-in.js'

let platform: Platform
let admin: string

beforeAll(async () => {
  platform = await startPlatform()
  admin = (await tokens('admin', '1q2w3E*')).access_token
})
afterAll(() => platform?.close())

const password = 'Abc-Crane5'

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
async function token(fields: Record<string, string>): Promise<{ status: number; body: any }> {
  const body = new URLSearchParams({ client_id: 'Core_App', ...fields })
  const response = await fetch(`${platform.authUrl}/connect/token`, { method: 'POST', body })
  return { status: response.status, body: await response.json() }
}

async function tokens(username: string, secret = password) {
  const scope = 'offline_access Core'
  return (await token({ grant_type: 'password', username, password: secret, scope })).body
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
async function api(accessToken: string, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const response = await fetch(platform.apiUrl + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : undefined }
}

/** Somebody who is signed in twice: with a browser, where the next client is let in, and by password. */
interface Person {
  // biome-ignore lint/suspicious/noExplicitAny: the whole user, as ABP's UI sends it back
  readonly user: any
  readonly browser: Browser
  readonly accessToken: string
  readonly refreshToken: string
}

async function newPerson(): Promise<Person> {
  const userName = `p-${randomUUID().slice(0, 8)}`
  const { body: user } = await api(admin, 'POST', '/api/identity/users', {
    userName,
    email: `${userName}@example.com`,
    password,
    isActive: true,
    lockoutEnabled: true,
  })
  const browser = new Browser(platform.authUrl, (input, init) => fetch(input, init))
  const page = await browser.open(authorizationRequest().address)
  const arrival = await browser.submit(page, { userName, password })
  expect(arrival.callback?.searchParams.get('code')).toBeTruthy()
  const { access_token, refresh_token } = await tokens(userName)
  return { user, browser, accessToken: access_token, refreshToken: refresh_token }
}

const profile = (accessToken: string) => api(accessToken, 'GET', '/api/account/my-profile')
const refresh = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token })

async function isLetIn({ browser }: Person): Promise<boolean> {
  return (await browser.open(authorizationRequest().address)).callback?.searchParams.has('code') ?? false
}

test.each([
  [
    'their own password was changed elsewhere',
    async ({ user }: Person) => {
      const other = await tokens(user.userName)
      const input = { currentPassword: password, newPassword: 'New-Crane5' }
      const { status } = await api(
        other.access_token,
        'POST',
        '/api/account/my-profile/change-password',
        input,
      )
      return [status, (await profile(other.access_token)).status, (await refresh(other.refresh_token)).status]
    },
    [204, 200, 200],
  ],
  [
    'an administrator gave them another password',
    async ({ user }: Person) => {
      const path = `/api/identity/users/${user.id}/change-password`
      return [(await api(admin, 'PUT', path, { newPassword: 'New-Crane5' })).status]
    },
    [204],
  ],
  [
    'an administrator locked them out',
    async ({ user }: Person) => {
      const until = new Date(Date.now() + 3600_000).toISOString()
      return [(await api(admin, 'PUT', `/api/identity/users/${user.id}/lock/${until}`)).status]
    },
    [204],
  ],
  [
    'an administrator locked them out, and let them in again',
    async ({ user }: Person) => {
      const until = new Date(Date.now() + 3600_000).toISOString()
      await api(admin, 'PUT', `/api/identity/users/${user.id}/lock/${until}`)
      return [(await api(admin, 'PUT', `/api/identity/users/${user.id}/unlock`)).status]
    },
    [204],
  ],
  [
    'they were deactivated',
    async ({ user }: Person) => [
      (await api(admin, 'PUT', `/api/identity/users/${user.id}`, { ...user, isActive: false })).status,
    ],
    [200],
  ],
  [
    'they were deactivated, and activated again',
    async ({ user }: Person) => {
      const path = `/api/identity/users/${user.id}`
      const { body } = await api(admin, 'PUT', path, { ...user, isActive: false })
      return [(await api(admin, 'PUT', path, { ...body, isActive: true })).status]
    },
    [200],
  ],
  [
    'they were deleted',
    async ({ user }: Person) => [(await api(admin, 'DELETE', `/api/identity/users/${user.id}`)).status],
    [204],
  ],
  [
    'they signed out everywhere',
    async ({ user }: Person) => {
      const other = await tokens(user.userName)
      const { status } = await api(other.access_token, 'DELETE', '/api/account/sessions')
      return [status, (await profile(other.access_token)).status]
    },
    [204, 401],
  ],
  [
    'an administrator signed them out everywhere',
    async ({ user }: Person) => [
      (await api(admin, 'DELETE', `/api/identity/sessions?userId=${user.id}`)).status,
    ],
    [204],
  ],
])('nothing that somebody held before is worth anything after %s', async (_case, act, expected) => {
  const person = await newPerson()
  expect([(await profile(person.accessToken)).status, await isLetIn(person)]).toEqual([200, true])
  expect(await act(person)).toEqual(expected)
  expect((await profile(person.accessToken)).status).toBe(401)
  const refreshed = await refresh(person.refreshToken)
  expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant'])
  expect(await isLetIn(person)).toBe(false)
})

test('a session that is ended signs its browser out, and leaves the others alone', async () => {
  const person = await newPerson()
  const { body } = await api(person.accessToken, 'GET', '/api/account/sessions?device=Web')
  expect(body.items).toHaveLength(1)
  await api(person.accessToken, 'DELETE', `/api/account/sessions/${body.items[0].id}`)
  expect(await isLetIn(person)).toBe(false)
  expect((await profile(person.accessToken)).status).toBe(200)
})

test('a sign-out is in the security log, with address and browser', async () => {
  const person = await newPerson()
  const page = await person.browser.open('/connect/endsession')
  await person.browser.submit(page, { logout: 'yes' })
  const logs = () => api(person.accessToken, 'GET', '/api/account/security-logs?action=Logout')
  await expect
    .poll(async () => (await logs()).body.items)
    .toEqual([
      expect.objectContaining({
        userName: person.user.userName,
        clientIpAddress: expect.stringMatching(/127\.0\.0\.1|::1/),
        browserInfo: expect.any(String),
      }),
    ])
})

test('an administrator who unlocks a user lets the right password in at once, by user name and by e-mail address', async () => {
  const { user } = await newPerson()
  const sent = (username: string, secret: string) =>
    token({ grant_type: 'password', username, password: secret, scope: 'Core' })
  for (const username of [user.userName, user.email])
    for (let attempt = 0; attempt < 20; attempt++) await sent(username, 'wrong')
  const waiting = [await sent(user.userName, password), await sent(user.email, password)]
  expect(waiting.map(({ status }) => status)).toEqual([429, 429])
  expect((await api(admin, 'PUT', `/api/identity/users/${user.id}/unlock`)).status).toBe(204)
  const admitted = [await sent(user.userName, password), await sent(user.email, password)]
  expect(admitted.map(({ status }) => status)).toEqual([200, 200])
})
