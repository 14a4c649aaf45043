import {
  AccountErrors,
  AccountSecurityLogAppService,
  UserDelegationAppService,
} from '@keel/account/contracts'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { Databases, sequentialGuid, sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
const delegationsOf = (caller: AppCaller) => caller.service(UserDelegationAppService)

async function nameOf({ userId }: AppCaller): Promise<string> {
  const [row] = await app.host
    .get(Databases)
    .named('Default')
    .query<{ name: string }>(sql`select "UserName" as name from "AbpUsers" where "Id" = ${userId}`)
  return row?.name ?? ''
}

test('a delegation is seen by both sides, with the name of the other, and active while it lasts', async () => {
  const [source, target] = [await app.as({}), await app.as({})]
  const times = { startTime: hours(-1), endTime: hours(1) }
  const later = { startTime: hours(24), endTime: hours(48) }
  await delegationsOf(source).delegateNewUser({ targetUserId: target.userId, ...times })
  await delegationsOf(source).delegateNewUser({ targetUserId: target.userId, ...later })
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
  const [from, to] = [await nameOf(source), await nameOf(target)]
  expect((await delegationsOf(source).getDelegatedUsers()).items).toEqual([
    { id, userName: to, ...later },
    { id, userName: to, ...times },
  ])
  expect((await delegationsOf(target).getMyDelegatedUsers()).items).toEqual([
    { id, userName: from, ...later },
    { id, userName: from, ...times },
  ])
  expect((await delegationsOf(target).getActiveDelegations()).items).toEqual([
    { id, userName: from, ...times },
  ])
  expect((await delegationsOf(source).getActiveDelegations()).items).toEqual([])
  const { items } = await source.service(AccountSecurityLogAppService).getList({ action: 'DelegateUser' })
  expect(items.map(({ extraProperties }) => extraProperties)).toEqual([
    { DelegatedUserId: target.userId },
    { DelegatedUserId: target.userId },
  ])
})

test('a delegation is taken back by who made it, and by nobody else', async () => {
  const [source, target] = [await app.as({}), await app.as({})]
  await delegationsOf(source).delegateNewUser({
    targetUserId: target.userId,
    startTime: hours(0),
    endTime: hours(1),
  })
  const [{ id = '' } = {}] = (await delegationsOf(source).getDelegatedUsers()).items
  await expect(delegationsOf(target).deleteDelegation(id)).rejects.toMatchObject({ status: 404 })
  await delegationsOf(source).deleteDelegation(id)
  await expect(delegationsOf(source).deleteDelegation(id)).rejects.toMatchObject({ status: 404 })
  expect((await delegationsOf(target).getMyDelegatedUsers()).items).toEqual([])
})

test('nobody delegates to themselves, to nobody, or for a time that is over or turned round', async () => {
  const [source, target] = [await app.as({}), await app.as({})]
  const path = '/api/account/user-delegation/delegate-new-user'
  const body = { targetUserId: target.userId, startTime: hours(-2), endTime: hours(1) }
  const self = await send(source, 'POST', path, { ...body, targetUserId: source.userId })
  expect([self.status, self.body.error.code]).toEqual([403, AccountErrors.SelfDelegation])
  expect((await send(source, 'POST', path, { ...body, targetUserId: sequentialGuid() })).status).toBe(404)
  for (const endTime of [hours(-1), hours(-3)]) {
    const answer = await send(source, 'POST', path, { ...body, endTime })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['endTime']])
  }
})

test('people are looked up by their whole name, in any case', async () => {
  const [source, target] = [await app.as({}), await app.as({})]
  const [own, name] = [await nameOf(source), await nameOf(target)]
  const found = async (userName: string) =>
    (await delegationsOf(source).getUserLookup({ userName })).items.map((user) => user.userName)
  expect(
    await Promise.all([name.toUpperCase(), name.slice(0, -1), own, ''].map((text) => found(text))),
  ).toEqual([[name], [], [], []])
})

test('an API key lays no hands on the account of its owner', async () => {
  const owner = await app.as({ permissions: [ApiKeyPermissions.Create] })
  const { key } = await newKey(owner)
  const names = { userName: 'taken', email: 'taken@example.org' }
  const attempts = [
    ['PUT', '/api/account/my-profile', names],
    ['POST', '/api/account/my-profile/change-password', { newPassword: 'New-Crane5' }],
    ['POST', '/api/account/my-profile/set-two-factor-enabled?enabled=false', undefined],
    ['GET', '/api/account/authenticator-info', undefined],
    ['POST', '/api/account/verify-authenticator-code', { code: '000000' }],
    ['POST', '/api/account/reset-authenticator', undefined],
    ['POST', '/api/account/link-user/generate-link-token', undefined],
    ['GET', '/api/account/user-delegation/active-delegations', undefined],
    ['DELETE', '/api/account/sessions', undefined],
  ] as const
  const answers = await Promise.all(
    attempts.map(async ([method, path, body]) => {
      const answer = await send(withKey(app.host, key), method, path, body)
      return [path, answer.status, answer.body?.error?.code]
    }),
  )
  expect(answers).toEqual(attempts.map(([, path]) => [path, 403, AccountErrors.NotWithApiKey]))
})
