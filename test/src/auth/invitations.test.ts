import { randomUUID } from 'node:crypto'
import { sql } from '@keel/framework/data'
import { ManualClock } from '@keel/framework/testing'
import {
  IdentityErrors,
  IdentityUserAppService,
  IdentityUserPermissions,
  Operator,
  SuperUser,
} from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MailFolder } from '../account/mails.js'
import type { App, AppCaller } from '../support/app.js'
import { type AppWithAuth, startAppWithAuth } from '../support/app-with-auth.js'
import type { AuthHost } from './auth-host.js'
import type { Arrival } from './browser.js'
import { authorizationRequest } from './sign-in.js'

const password = 'Abc-Crane5'
const clock = new ManualClock()
const { Default, Create, ManageRoles } = IdentityUserPermissions
let hosts: AppWithAuth
let mails: MailFolder
let app: App
let auth: AuthHost
let admin: AppCaller

beforeAll(async () => {
  hosts = await startAppWithAuth({}, clock)
  ;({ app, auth, mails } = hosts)
  admin = await app.admin()
})
afterAll(() => hosts?.close())

const newAddress = () => `${randomUUID().slice(0, 8)}@example.com`
const usersOf = (caller: AppCaller) => caller.service(IdentityUserAppService)
const invite = (caller: AppCaller, email: string | readonly string[], assignedRoles?: string[]) =>
  usersOf(caller).inviteUsers({
    emailAddress: typeof email === 'string' ? [email] : [...email],
    appName: 'Angular',
    ...(assignedRoles && { assignedRoles }),
  })

/** The page that the last of so many mails to an address leads to. */
async function linkTo(email: string, count = 1): Promise<string> {
  const mail = (await mails.to(email, count)).at(-1)
  const link = new URL(/https?:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  expect(link.pathname).toBe('/Account/Invitation')
  return link.pathname + link.search
}

const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]
const badLink = 'This link does not work any more'

async function accept(link: string, userName: string, secret = password) {
  const browser = auth.browser()
  const page = await browser.open(link)
  const filled = { userName, newPassword: secret, confirmation: secret }
  return { browser, page, arrival: await browser.submit(page, filled) }
}

test('who is invited chooses a name and a password, has the roles and a confirmed address, and is signed in', async () => {
  const email = newAddress()
  expect(await invite(admin, email, [Operator.name])).toEqual({ newInvitations: 1, resentInvitations: 0 })
  expect((await mails.to(email)).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Invitation – /),
  ])
  const userName = `guest-${randomUUID().slice(0, 8)}`
  const { browser, page, arrival } = await accept(await linkTo(email), userName)
  expect([page.status, titleOf(page), page.html.includes(email)]).toEqual([200, 'You are invited', true])
  expect(arrival.status).toBe(200)
  const user = await usersOf(admin).findByUsername(userName)
  expect(user).toMatchObject({ email, emailConfirmed: true, isActive: true, roleNames: [Operator.name] })
  const next = await browser.open(authorizationRequest().address)
  expect(next.callback?.searchParams.has('code')).toBe(true)
})

test('a link counts once, also for two who use it at the same moment', async () => {
  const email = newAddress()
  await invite(admin, email)
  const link = await linkTo(email)
  const names = [1, 2].map(() => `twin-${randomUUID().slice(0, 8)}`)
  await Promise.all(names.map((name) => accept(link, name)))
  const made = await Promise.all(names.map((name) => usersOf(admin).findByUsername(name)))
  expect(made.filter(Boolean)).toHaveLength(1)
  expect(titleOf(await auth.browser().open(link))).toBe(badLink)
})

test('a name that is taken and a weak password are told at the form, and the link goes on counting', async () => {
  const email = newAddress()
  await invite(admin, email)
  const link = await linkTo(email)
  const taken = await accept(link, 'admin')
  expect([taken.arrival.status, taken.arrival.html]).toEqual([400, expect.stringContaining('already taken')])
  expect((await accept(link, `free-${randomUUID().slice(0, 8)}`, 'weak')).arrival.status).toBe(400)
  expect((await accept(link, `free-${randomUUID().slice(0, 8)}`)).arrival.status).toBe(200)
})

test('an address that has an account is told to the caller, and nobody of the list is invited', async () => {
  const fresh = newAddress()
  await expect(invite(admin, [fresh, 'ADMIN@keel.local'])).rejects.toMatchObject({
    code: IdentityErrors.DuplicateEmail,
    data: { 0: 'ADMIN@keel.local' },
  })
  expect((await usersOf(admin).getPendingInvitations({ filter: fresh })).totalCount).toBe(0)
})

test('nobody invites without the right to add users, or into a role that they may not give', async () => {
  const reader = await app.as({ permissions: [Default] })
  await expect(invite(reader, newAddress())).rejects.toMatchObject({ status: 403 })
  await expect(usersOf(reader).getPendingInvitations({})).rejects.toMatchObject({ status: 403 })
  await expect(usersOf(reader).cancelAllPendingInvitations()).rejects.toMatchObject({ status: 403 })
  const host = await app.as({ permissions: [Default, Create, ManageRoles], roles: [Operator] })
  const email = newAddress()
  for (const role of [SuperUser.name, 'admin', 'nobody’s'])
    await expect(invite(host, email, [role])).rejects.toMatchObject({
      code: IdentityErrors.RoleNotAssignable,
    })
  expect(await invite(host, email, [Operator.name])).toEqual({ newInvitations: 1, resentInvitations: 0 })
})

test('an invitation gives nothing that its sender may not give any more', async () => {
  const losses = {
    'the right to add users': (id: string) =>
      sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${id} and "Name" = ${Create}`,
    'the role': (id: string) => sql`delete from "AbpUserRoles" where "UserId" = ${id}`,
    'the account': (id: string) => sql`update "AbpUsers" set "IsActive" = false where "Id" = ${id}`,
  }
  for (const [lost, statement] of Object.entries(losses)) {
    const host = await app.as({ permissions: [Default, Create, ManageRoles], roles: [Operator] })
    const email = newAddress()
    await invite(host, email, [Operator.name])
    const link = await linkTo(email)
    await auth.database.execute(statement(host.userId))
    const userName = `late-${randomUUID().slice(0, 8)}`
    const { arrival } = await accept(link, userName)
    const made = await usersOf(admin).findByUsername(userName)
    expect([lost, arrival.status, titleOf(arrival), made ?? null]).toEqual([lost, 400, badLink, null])
  }
})

test('invitations that wait are listed, sent again with a new link, and taken back', async () => {
  await usersOf(admin).cancelAllPendingInvitations()
  const [one, other] = [newAddress(), newAddress()]
  await invite(admin, [one, other], [Operator.name])
  const { totalCount, items } = await usersOf(admin).getPendingInvitations({ sorting: 'inviteeEmail' })
  expect([totalCount, items]).toEqual([
    2,
    [one, other].sort().map((inviteeEmail) => ({
      id: expect.any(String),
      inviteeEmail,
      invitationDate: clock.now,
      assignedRoles: [Operator.name],
      status: 0,
    })),
  ])
  const idOf = (email: string) => items.find(({ inviteeEmail }) => inviteeEmail === email)?.id ?? ''
  const first = await linkTo(one)
  await usersOf(admin).resendInvitation({ id: idOf(one), appName: 'Angular' })
  const second = await linkTo(one, 2)
  expect([titleOf(await auth.browser().open(first)), titleOf(await auth.browser().open(second))]).toEqual([
    badLink,
    'You are invited',
  ])
  expect(await invite(admin, [one, newAddress()])).toEqual({ newInvitations: 1, resentInvitations: 1 })
  await usersOf(admin).cancelInvitation(idOf(other))
  expect(titleOf(await auth.browser().open(await linkTo(other)))).toBe(badLink)
  await usersOf(admin).cancelAllPendingInvitations()
  expect((await usersOf(admin).getPendingInvitations({})).totalCount).toBe(0)
})

test('an invitation ends after a week, and one address gets five of them a day', async () => {
  const email = newAddress()
  for (let count = 1; count <= 5; count++) await invite(admin, email)
  await expect(invite(admin, email)).rejects.toMatchObject({ status: 429 })
  const link = await linkTo(email, 5)
  clock.advance({ days: 7, seconds: -1 })
  expect(titleOf(await auth.browser().open(link))).toBe('You are invited')
  clock.advance({ seconds: 1 })
  expect(titleOf(await auth.browser().open(link))).toBe(badLink)
  // The token of before has ended with the week.
  admin = await app.admin()
  expect((await usersOf(admin).getPendingInvitations({ filter: email })).totalCount).toBe(0)
  await auth.database.execute(sql`
    update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'Identity.StoredInvitations.deleteEnded'`)
  const left = () =>
    auth.database.query(sql`select from "AppUserInvitations" where "ExpirationTime" <= ${clock.now}`)
  await expect.poll(left, { timeout: 20_000, interval: 500 }).toEqual([])
})

test('the mail and the page speak the language of who invites and of who comes', async () => {
  const email = newAddress()
  const german = { 'accept-language': 'de', 'content-type': 'application/json' }
  const body = JSON.stringify({ emailAddress: [email] })
  const { status } = await admin.fetch('/api/identity/users/invitations', {
    method: 'POST',
    headers: german,
    body,
  })
  expect([status, (await mails.to(email))[0]?.subject]).toEqual([200, expect.stringMatching(/^Einladung – /)])
  const page = await auth.browser({ 'accept-language': 'fr' }).open(await linkTo(email))
  expect(titleOf(page)).toBe('Vous avez reçu une invitation')
})

test('no more than a thousand invitations wait, also when many are sent at once', async () => {
  await auth.database.execute(sql`
    insert into "AppUserInvitations" ("Id", "InviteeEmail", "NormalizedEmail", "InvitationDate", "TokenHash", "ExpirationTime", "InviterId")
    select gen_random_uuid(), n || '@many.example', n || '@MANY.EXAMPLE', ${clock.now}, md5('many ' || n), ${new Date(clock.nowMs + 60_000)},
      ${admin.userId}
    from generate_series(1, 999 - (select count(*)::int from "AppUserInvitations" where "ExpirationTime" > ${clock.now})) n`)
  const atOnce = await Promise.allSettled(Array.from({ length: 8 }, () => invite(admin, newAddress())))
  const refusals = atOnce.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  await usersOf(admin).cancelAllPendingInvitations()
  expect(refusals).toEqual(Array(7).fill(IdentityErrors.TooManyInvitations))
})
