import { randomUUID } from 'node:crypto'
import { AccountSecurityLogAppService } from '@keel/account/contracts'
import { sql } from '@keel/framework/data'
import { ManualClock } from '@keel/framework/testing'
import { IdentityUserAppService } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../support/app.js'
import { type AppWithAuth, startAppWithAuth } from '../support/app-with-auth.js'
import { testOfOneProcess } from '../support/one-process.js'
import { type AuthHost, claimsOf, webApp } from './auth-host.js'
import type { Browser } from './browser.js'
import { authorizationRequest, redeem, refresh } from './sign-in.js'

const password = 'Abc-Crane5'
/** Five minutes until people are asked, and one for the answer. */
const settings = {
  'Settings:Abp.Account.Idle.Enabled': 'True',
  'Settings:Abp.Account.Idle.IdleTimeoutMinutes': '5',
  'Settings:Abp.Account.Idle.CountdownSeconds': '60',
}
const clock = new ManualClock()
let hosts: AppWithAuth
let app: App
let auth: AuthHost

beforeAll(async () => {
  hosts = await startAppWithAuth(settings, clock)
  ;({ app, auth } = hosts)
})
afterAll(() => hosts?.close())

/** Somebody with a session that was begun by password. */
interface Person {
  readonly userId: string
  readonly userName: string
  readonly sessionId: string
  /** The status of a request to the API host. */
  request(): Promise<number>
  /** The status of a refresh, and its error. */
  refresh(): Promise<[number, string?]>
}

async function newUser(): Promise<{ id: string; userName: string }> {
  const userName = `idle-${randomUUID().slice(0, 8)}`
  const users = (await app.admin()).service(IdentityUserAppService)
  return users.create({ userName, email: `${userName}@example.com`, password })
}

async function newPerson(fields: Record<string, string> = {}): Promise<Person> {
  const { id: userId, userName } = await newUser()
  const { body } = await auth.post('/connect/token', {
    grant_type: 'password',
    client_id: webApp.client_id,
    username: userName,
    password,
    scope: 'openid offline_access Core',
    ...fields,
  })
  const sessionId = claimsOf(body.access_token).session_id
  const { fetch } = await app.host.as({ subject: userId, sessionId, expiresIn: 86_400 })
  let refreshToken = body.refresh_token
  return {
    userId,
    userName,
    sessionId,
    request: async () => (await fetch('/api/account/my-profile')).status,
    async refresh() {
      const answer = await refresh(auth, refreshToken)
      refreshToken = answer.body.refresh_token ?? refreshToken
      return answer.status === 200 ? [200] : [answer.status, answer.body.error]
    },
  }
}

async function usedAt(sessionId: string): Promise<Date | null | undefined> {
  const [row] = await auth.database.query<{ usedAt: Date | null }>(
    sql`select "LastAccessed" at time zone 'utc' as "usedAt" from "AbpSessions" where "SessionId" = ${sessionId}`,
  )
  return row?.usedAt
}

/** Waits until the use of now is written, which takes a second. */
const isWritten = (sessionId: string) =>
  expect.poll(() => usedAt(sessionId), { timeout: 5000 }).toEqual(clock.now)

test('a session that is used lives on, whichever host uses it', async () => {
  const person = await newPerson()
  for (let round = 0; round < 3; round++) {
    clock.advance({ minutes: 5 })
    expect(await person.request()).toBe(200)
    await isWritten(person.sessionId)
    clock.advance({ minutes: 5 })
    expect(await person.refresh()).toEqual([200])
    await isWritten(person.sessionId)
  }
})

test('a session that is not used ends for its access token and its refresh token', async () => {
  const [one, other] = [await newPerson(), await newPerson()]
  expect(await one.request()).toBe(200)
  await isWritten(one.sessionId)
  clock.advance({ minutes: 6 })
  expect([await one.request(), await other.refresh()]).toEqual([200, [200]])
  await Promise.all([isWritten(one.sessionId), isWritten(other.sessionId)])
  clock.advance({ minutes: 6, seconds: 1 })
  expect([await one.request(), await other.request()]).toEqual([401, 401])
  expect([await one.refresh(), await other.refresh()]).toEqual([
    [400, 'invalid_grant'],
    [400, 'invalid_grant'],
  ])
})

testOfOneProcess('many requests are written down as one use', async () => {
  const person = await newPerson()
  await person.request()
  await isWritten(person.sessionId)
  const first = clock.now
  for (let second = 0; second < 40; second += 10) {
    clock.advance({ seconds: 10 })
    await person.request()
  }
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(await usedAt(person.sessionId)).toEqual(first)
  clock.advance({ seconds: 5 })
  const last = new Date(clock.nowMs - 5000)
  await expect.poll(() => usedAt(person.sessionId), { timeout: 5000 }).toEqual(last)
})

test('the session of somebody who wants to be remembered goes on, and so does a client’s own token', async () => {
  const person = await newPerson({ RememberMe: 'true' })
  const client = await app.host.as({ subject: 'tooling', clientId: 'tooling', expiresIn: 86_400 })
  const reach = async () => (await client.fetch('/api/abp/application-configuration')).status
  expect([await person.request(), await reach()]).toEqual([200, 200])
  clock.advance({ hours: 3 })
  expect([await person.request(), await person.refresh(), await reach()]).toEqual([200, [200], 200])
})

/** A browser in which somebody signed in, with the requests of the client that it let in. */
async function newBrowser(fields: Record<string, string> = {}) {
  const { id: userId, userName } = await newUser()
  const browser = auth.browser()
  const request = authorizationRequest()
  const page = await browser.open(request.address)
  const { body } = await redeem(auth, await browser.submit(page, { userName, password, ...fields }), request)
  const sessionId = claimsOf(body.access_token).session_id
  const { fetch } = await app.host.as({ subject: userId, sessionId, expiresIn: 86_400 })
  return { browser, sessionId, request: async () => (await fetch('/api/account/my-profile')).status }
}

const isLetIn = async (browser: Browser): Promise<boolean> =>
  (await browser.open(authorizationRequest().address)).callback?.searchParams.has('code') ?? false

test('a browser stays signed in while a client that it let in is used, and is asked again after a pause', async () => {
  const { browser, sessionId, request } = await newBrowser()
  for (let round = 0; round < 3; round++) {
    clock.advance({ minutes: 5 })
    expect(await request()).toBe(200)
    await isWritten(sessionId)
  }
  expect(await isLetIn(browser)).toBe(true)
  clock.advance({ minutes: 6, seconds: 1 })
  expect(await isLetIn(browser)).toBe(false)
})

test('a browser in which only the pages of the auth server are used stays signed in', async () => {
  const { browser } = await newBrowser()
  for (let round = 0; round < 3; round++) {
    clock.advance({ minutes: 5 })
    expect((await browser.open('/Account/Manage')).status).toBe(200)
  }
  expect(await isLetIn(browser)).toBe(true)
})

test('a browser that remembers its person stays signed in', async () => {
  const { browser } = await newBrowser({ rememberMe: 'true' })
  clock.advance({ hours: 3 })
  expect(await isLetIn(browser)).toBe(true)
})

test('idle sessions are swept, and their users read of it in their security log', async () => {
  const person = await newPerson()
  await person.request()
  clock.advance({ minutes: 6, seconds: 1 })
  await auth.database.execute(sql`
    update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'Identity.IdleSessions.endIdle'`)
  await expect.poll(() => usedAt(person.sessionId), { timeout: 70_000, interval: 500 }).toBeUndefined()
  const caller = await app.host.as({ subject: person.userId })
  const log = () => caller.service(AccountSecurityLogAppService).getList({})
  await expect
    .poll(async () => (await log()).items.map(({ action }) => action))
    .toEqual(expect.arrayContaining(['EndIdleSession']))
}, 90_000)
