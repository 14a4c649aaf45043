import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentitySecurityLogAppService,
  IdentitySessionAppService,
  IdentityUserAppService,
  Sessions,
  SignIn,
} from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuthHost } from '../auth/auth-host.js'
import { type App, type AppCaller, startApp } from '../support/app.js'

let app: App
let admin: AppCaller
beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
})
afterAll(() => app.close())

async function person() {
  const userName = `user-${randomUUID().slice(0, 8)}`
  const input = { userName, email: `${userName}@example.com`, password: 'Abc-Crane5' }
  return { ...input, id: (await admin.service(IdentityUserAppService).create(input)).id }
}

test('the security log is read by action, user and time, newest first', async () => {
  const { id, userName, password } = await person()
  const signIn = app.host.get(SignIn)
  const origin = { clientId: 'Core_App', ipAddress: '10.1.2.3', browser: 'Firefox' }
  await signIn.check(userName, 'wrong', origin)
  await signIn.check(userName, password, origin)
  const logs = admin.service(IdentitySecurityLogAppService)
  const { totalCount, items } = await logs.getList({ userName: userName.toUpperCase() })
  expect([totalCount, ...items.map(({ action }) => action)]).toEqual([
    2,
    'LoginSucceeded',
    'LoginInvalidUserNameOrPassword',
  ])
  expect(items[0]).toEqual({
    id: expect.any(String),
    tenantId: null,
    applicationName: 'ApiHost',
    identity: 'Identity',
    action: 'LoginSucceeded',
    userId: id,
    userName,
    tenantName: null,
    clientId: 'Core_App',
    correlationId: null,
    clientIpAddress: '10.1.2.3',
    browserInfo: 'Firefox',
    creationTime: expect.any(Date),
    extraProperties: {},
  })
  expect(await logs.get(items[0]?.id ?? '')).toEqual(items[0])
  const counted = async (input: object) => (await logs.getList({ userName, ...input })).totalCount
  expect(await counted({ action: 'LoginSucceeded', clientIpAddress: '10.1.2.3', clientId: 'Core_App' })).toBe(
    1,
  )
  expect(await counted({ startTime: new Date(Date.now() + 60_000) })).toBe(0)
  expect(await counted({ endTime: new Date(Date.now() + 60_000) })).toBe(2)
})

test('a name that nobody has is logged as it was entered', async () => {
  const entered = `nobody-${randomUUID()}`
  await app.host.get(SignIn).check(entered, 'x')
  const { items } = await admin.service(IdentitySecurityLogAppService).getList({ userName: entered })
  expect(items).toMatchObject([{ action: 'LoginInvalidUserName', userId: null, userName: entered }])
})

test('a change over HTTP is logged with its correlation id and where it came from', async () => {
  const { id } = await person()
  const response = await admin.fetch(`/api/identity/users/${id}/two-factor/true`, { method: 'PUT' })
  const { items } = await admin.service(IdentitySecurityLogAppService).getList({
    correlationId: response.headers.get('x-correlation-id') ?? '',
  })
  expect(items).toMatchObject([
    {
      action: 'TwoFactorEnabled',
      userId: id,
      clientId: 'Core_App',
      clientIpAddress: expect.stringMatching(/127\.0\.0\.1|^::1$/),
      browserInfo: 'node',
    },
  ])
})

test('sessions are listed by user and device, and ended', async () => {
  const { id: userId, userName } = await person()
  const sessions = app.host.get(Sessions)
  const sessionId = randomUUID()
  const origin = { clientId: 'Core_App', ipAddress: '10.0.0.1', browser: 'Firefox' }
  await sessions.begin({ sessionId, device: 'OAuth', userId, origin })
  await sessions.touch(sessionId, { ipAddress: '10.0.0.2' })
  const service = admin.service(IdentitySessionAppService)
  const { items } = await service.getList({ userId, device: 'OAuth' })
  expect(items).toEqual([
    {
      id: expect.any(String),
      sessionId,
      isCurrent: false,
      device: 'OAuth',
      deviceInfo: 'Firefox',
      tenantId: null,
      tenantName: null,
      userId,
      userName,
      clientId: 'Core_App',
      ipAddresses: ['10.0.0.2', '10.0.0.1'],
      signedIn: expect.any(Date),
      lastAccessed: expect.any(Date),
      extraProperties: {},
    },
  ])
  const id = items[0]?.id ?? ''
  await expect(sessions.revoke(id, admin.userId)).rejects.toMatchObject({ name: 'EntityNotFoundError' })
  await service.revoke(id)
  await expect(service.get(id)).rejects.toMatchObject({ status: 404 })
})

test('logs and sessions ask for their permissions', async () => {
  const stranger = await app.as({})
  for (const path of ['security-logs', 'sessions'])
    expect((await stranger.fetch(`/api/identity/${path}`)).status).toBe(403)
})

test('a wrong password is no change that principals are made anew for, a lock-out is', async () => {
  const { userName, password } = await person()
  const changes = async () => {
    const [row] = await app.host
      .get(Databases)
      .named('Default')
      .query<{ changes: string }>(sql`
      select sum("Version") as changes from "KeelTableVersions" where "TableName" = 'AbpUsers'`)
    return Number(row?.changes)
  }
  const signIn = app.host.get(SignIn)
  const before = await changes()
  await signIn.check(userName, 'wrong')
  await signIn.check(userName, password)
  expect(await changes()).toBe(before)
  for (let attempt = 0; attempt < 5; attempt++) await signIn.check(userName, 'wrong')
  expect(await changes()).toBe(before + 1)
})

test('the auth server serves nothing of identity', async () => {
  const auth = await startAuthHost()
  try {
    for (const path of ['users', 'roles', 'security-logs'])
      expect((await auth.host.fetch(`/api/identity/${path}`)).status).toBe(404)
  } finally {
    await auth.close()
  }
})
