import { AccountAppService } from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { Clock, KeelModule, Module, Provides } from '@keel/framework'
import { Caches } from '@keel/framework/caching'
import { createClient } from '@keel/framework/client'
import { ManualClock, type TimeSpan } from '@keel/framework/testing'
import {
  OrganizationAppService,
  OrganizationPermissions,
  PortPermissions,
  ShipmentAppService,
} from '@keel/hub/contracts'
import { IdentityUserAppService, Operator, SignIn, UserDirectory } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { newKey, ports } from '../api-keys/keys.js'
import { type App, startApp } from '../support/app.js'
import { testOfDirectConnections } from '../support/direct-connections.js'
import { addMember, addOrganization } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

const clock = new ManualClock()
const minute = 60_000
let mails: MailFolder
let app: App

beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(ApiHost, { 'Mail:Folder': mails.path }, clock)
})
afterAll(async () => {
  await app?.close()
  await mails?.remove()
})

const owner = () => app.as({ permissions: [PortPermissions.View, ...keyPermissions] })
const keyPermissions = [ApiKeyPermissions.Create, ApiKeyPermissions.Edit]
const inMinutes = (count: number) => new Date(clock.nowMs + count * minute)

async function statusOf(key: string): Promise<number> {
  const response = await app.host.fetch(ports, { headers: { 'x-api-key': key } })
  await response.body?.cancel()
  return response.status
}

/** What was so before a time had passed, a second before its end and when it is over. */
async function around<T>(span: TimeSpan, look: () => Promise<T>): Promise<[T, T, T]> {
  const first = await look()
  const { seconds = 0 } = span
  clock.advance({ ...span, seconds: seconds - 1 })
  const before = await look()
  clock.advance({ seconds: 1 })
  return [first, before, await look()]
}

test('an API key is let in until it expires', async () => {
  const { key } = await newKey(await owner(), { expirationTime: inMinutes(30) })
  expect(await around({ minutes: 30 }, () => statusOf(key))).toEqual([200, 200, 401])
})

test('an API key that expired before it was ever used is refused', async () => {
  const { key } = await newKey(await owner(), { expirationTime: inMinutes(10) })
  clock.advance({ minutes: 10 })
  expect(await statusOf(key)).toBe(401)
})

test('the old secret of a rotated API key works until the overlap ends, the new one goes on', async () => {
  const caller = await owner()
  const { id, key } = await newKey(caller)
  const rotated = await caller.service(ApiKeyAppService).rotate(id, { overlapMinutes: 5 })
  expect(rotated.overlapEndTime).toEqual(inMinutes(5))
  expect(await around({ minutes: 5 }, () => statusOf(key))).toEqual([200, 200, 401])
  expect(await statusOf(rotated.key)).toBe(200)
})

test('five wrong passwords lock a user out for 15 minutes, and the right one is taken after them', async () => {
  const { id } = await newUser('locked')
  const signIn = app.host.get(SignIn)
  for (let attempt = 1; attempt <= 5; attempt++) await signIn.check('locked', 'wrong')
  const isListed = async () => (await (await app.admin()).service(IdentityUserAppService).get(id)).isLockedOut
  expect(
    await around({ minutes: 15 }, async () => [
      (await signIn.check('locked', password)).outcome,
      await isListed(),
    ]),
  ).toEqual([
    ['locked-out', true],
    ['locked-out', true],
    ['signed-in', false],
  ])
})

test('who is locked out is nobody until the lock-out ends, also with a token of before', async () => {
  const { id } = await newUser('suspended')
  const { fetch } = await app.host.as({ subject: id })
  await (await app.admin()).service(IdentityUserAppService).lock(id, inMinutes(20))
  const status = async () => (await fetch(ports)).status
  expect(await around({ minutes: 20 }, status)).toEqual([401, 401, 200])
})

test('a token of a password reset counts for an hour', async () => {
  const { id: userId, email } = await newUser('forgetful')
  const account = createClient(AccountAppService, { baseUrl: app.host.url })
  await account.sendPasswordResetCode({ email, appName: 'Angular' })
  const mail = (await mails.to(email)).at(-1)
  const link = new URL(/https?:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  const resetToken = link.searchParams.get('resetToken') ?? ''
  const counts = () => account.verifyPasswordResetToken({ userId, resetToken })
  expect(await around({ hours: 1 }, counts)).toEqual([true, true, false])
})

test('an access token counts until it expires', async () => {
  const { userId } = await owner()
  const { fetch } = await app.host.as({ subject: userId, expiresIn: 600 })
  const status = async () => (await fetch(ports)).status
  // The clocks of two machines may differ by five seconds.
  expect(await around({ seconds: 605 }, status)).toEqual([200, 200, 401])
})

test('a user gets five mails to confirm an address, and the sixth when a quarter of an hour is over', async () => {
  const { id: userId } = await newUser('eager')
  const account = createClient(AccountAppService, { baseUrl: app.host.url })
  const ask = () => account.sendEmailConfirmationToken({ userId, appName: 'Angular' })
  for (let mail = 1; mail <= 5; mail++) await ask()
  await expect(ask()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 900 })
  clock.advance({ minutes: 14 })
  await expect(ask()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 60 })
  clock.advance({ minutes: 1, seconds: 1 })
  await ask()
})

test('a token of a list of users opens it for a minute', async () => {
  const admin = await app.admin()
  const users = '/api/identity/users'
  const exported = async (seconds: number) => {
    const { token } = (await send(admin, 'GET', `${users}/download-token`)).body
    clock.advance({ seconds })
    const response = await app.host.fetch(`${users}/export-as-csv?filter=nobody&token=${token}`)
    await response.body?.cancel()
    return response.status
  }
  expect([await exported(59), await exported(60)]).toEqual([200, 403])
})

test('a membership that ends by its date ends for the caller, although no row changes', async () => {
  const caller = await app.as({ permissions: [OrganizationPermissions.View] })
  const organizationId = await addOrganization(app, 'ENDSSOON')
  await addMember(app, caller.userId, organizationId, { ValidUntil: inMinutes(10) })
  const seen = async () => (await caller.service(OrganizationAppService).getList({})).totalCount
  expect(await around({ minutes: 10 }, seen)).toEqual([1, 1, 0])
})

testOfDirectConnections('a cached value ends with its time', async () => {
  const cache = app.host
    .get(Caches)
    .of<number>({ name: 'ClockTest.Values', max: 10, absoluteMs: 10 * minute })
  await cache.set('one', 1)
  expect(await around({ minutes: 10 }, async () => cache.get('one'))).toEqual([1, 1, undefined])
})

test('rows carry the time of the clock', async () => {
  clock.advance({ days: 40 })
  const operator = await app.as({ roles: [Operator] })
  const { id, creationTime } = await operator
    .service(ShipmentAppService)
    .create({ shipmentReference: 'Clock-1' })
  expect(creationTime).toEqual(clock.now)
  clock.advance({ minutes: 10 })
  const { concurrencyStamp } = await operator.service(ShipmentAppService).get(id)
  const changed = await operator
    .service(ShipmentAppService)
    .update(id, { concurrencyStamp, totalPackages: 7 } as never)
  expect(changed.lastModificationTime).toEqual(clock.now)
})

test('a module lists a clock of its own, and everything goes by it', async () => {
  const other = await startApp(AheadHost)
  try {
    const { creationTime } = await (await other.admin())
      .service(ShipmentAppService)
      .create({ shipmentReference: 'Clock-2' })
    expect(creationTime).toEqual(ahead)
  } finally {
    await other.close()
  }
})

const ahead = new Date(Date.now() + 10 * minute)

@Provides(Clock)
class AheadClock extends Clock {
  override get nowMs(): number {
    return ahead.getTime()
  }
}

@Module({ dependsOn: [ApiHost], services: [AheadClock] })
class AheadHost extends KeelModule {}

const password = 'Abc-Crane5'

async function newUser(userName: string) {
  return app.host.get(UserDirectory).create({ userName, email: `${userName}@example.com`, password })
}
