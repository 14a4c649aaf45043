import { randomUUID } from 'node:crypto'
import { beyondOwnRights } from '@keel/framework/contracts'
import { Databases, namedGuid, sequentialGuid, sql } from '@keel/framework/data'
import { ManualClock } from '@keel/framework/testing'
import {
  AccessScope,
  OrganizationInvitationAppService,
  OrganizationMemberAppService,
  OrganizationPermissions,
} from '@keel/hub/contracts'
import {
  CustomerAdmin,
  DefaultCustomer,
  IdentityErrors,
  IdentityUserAppService,
  OperationsManager,
  SecurityActions,
} from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MailFolder } from '../account/mails.js'
import { newKey, withKey } from '../api-keys/keys.js'
import { type AuthHost, password as seededPassword } from '../auth/auth-host.js'
import type { Arrival, Browser } from '../auth/browser.js'
import type { App, AppCaller } from '../support/app.js'
import { type AppWithAuth, startAppWithAuth } from '../support/app-with-auth.js'
import { addMember, addOrganization, hubOf, type Row } from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/organization-invitation'
const password = 'Abc-Crane5'
const patience = { timeout: 20_000, interval: 50 }
const clock = new ManualClock()
const badLink = 'This link does not work any more'
let hosts: AppWithAuth
let mails: MailFolder
let app: App
let auth: AuthHost
let admin: AppCaller
/** BELOW lies below TOP. */
let top: string
let below: string
let theirs: string
let number = 0

beforeAll(async () => {
  hosts = await startAppWithAuth({}, clock)
  ;({ app, auth, mails } = hosts)
  admin = await app.admin()
})
afterAll(() => hosts?.close())
beforeEach(async () => {
  number++
  top = await addOrganization(app, `TOP${number}`)
  below = await addOrganization(app, `BELOW${number}`, {
    ParentOrganizationId: top,
    HierarchyPath: `/TOP${number}/BELOW${number}/`,
  })
  theirs = await addOrganization(app, `THEIRS${number}`)
})

const invitations = (who: AppCaller) => who.service(OrganizationInvitationAppService)
const newAddress = () => `${randomUUID().slice(0, 8)}@example.com`
const newName = () => `guest-${randomUUID().slice(0, 8)}`
const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]
const said = ({ status, body }: Answer) => [status, body?.error?.code]
const identity = () => app.host.get(Databases).named('Default')
/** A customer who manages the members of TOP, with what is below unless `row` says otherwise. */
async function managerOfTop(row: Row = {}): Promise<AppCaller> {
  const manager = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, manager.userId, top, row)
  return manager
}
async function membersOf(organizationId: string) {
  const { items } = await admin.service(OrganizationMemberAppService).getList({ organizationId })
  return items.map(({ userName, accessScope, isDefault }) => ({ userName, accessScope, isDefault }))
}
const findUser = (userName: string) => admin.service(IdentityUserAppService).findByUsername(userName)
/** The page that the last of so many mails to an address leads to. */
async function linkTo(email: string, count = 1): Promise<string> {
  const mail = (await mails.to(email, count)).at(-1)
  const link = new URL(/https?:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  return link.pathname + link.search
}
async function register(link: string, userName: string): Promise<Arrival> {
  const browser = auth.browser()
  const filled = { userName, newPassword: password, confirmation: password }
  return browser.submit(await browser.open(link), filled)
}
/** Follows the page's link to the sign-in, and comes back as a seeded user. */
function signInFrom(browser: Browser, { html }: Arrival, userName: string): Promise<Arrival> {
  const address = /<a class="button" href="(\/Account\/Login[^"]*)"/.exec(html)?.[1] ?? ''
  return browser
    .open(address.replaceAll('&amp;', '&'))
    .then((page) => browser.submit(page, { userName, password: seededPassword }))
}

test('a customer invites a new person, who chooses name and password, and is a member from then on', async () => {
  const manager = await managerOfTop()
  const email = newAddress()
  const made = await invitations(manager).create({
    organizationId: top,
    emailAddress: email,
    accessScope: AccessScope.OwnOnly,
  })
  expect(made).toMatchObject({ organizationId: top, emailAddress: email, accessScope: AccessScope.OwnOnly })
  expect(await membersOf(top)).toHaveLength(1)
  const [mail] = await mails.to(email)
  // Members choose the words of a company's name: the mail has none of them.
  expect([mail?.subject, mail?.text.includes(`TOP${number}`)]).toEqual([
    expect.stringMatching(/^Invitation/),
    false,
  ])
  const link = await linkTo(email)
  const page = await auth.browser().open(link)
  expect([titleOf(page), page.html.includes(`TOP${number} Company`)]).toEqual(['You are invited', true])
  const userName = newName()
  expect((await register(link, userName)).status).toBe(200)
  const user = await findUser(userName)
  expect(user).toMatchObject({ email, emailConfirmed: true, roleNames: [DefaultCustomer.name] })
  await expect
    .poll(() => membersOf(top), patience)
    .toContainEqual({ userName, accessScope: AccessScope.OwnOnly, isDefault: true })
  expect((await invitations(manager).getList({ organizationId: top })).totalCount).toBe(0)
  expect(titleOf(await auth.browser().open(link))).toBe(badLink)
  const noted = () =>
    auth.database.query(
      sql`select from "AbpSecurityLogs" where "UserId" = ${user?.id ?? ''} and "Action" = ${SecurityActions.AcceptInvitation}`,
    )
  await expect.poll(noted, patience).toHaveLength(1)
})

test('who has an account signs in to it and joins; no other account does, and the link counts once', async () => {
  const manager = await managerOfTop()
  const email = 'Customer@keel.local'
  await invitations(manager).create({ organizationId: top, emailAddress: email })
  const link = await linkTo(email)
  const stranger = auth.browser()
  const asStranger = await signInFrom(stranger, await stranger.open(link), 'operator')
  expect([asStranger.html.includes('operator'), asStranger.html.includes('<form')]).toEqual([true, false])
  const browser = auth.browser()
  const page = await browser.open(link)
  expect([page.status, page.html.includes('name="newPassword"')]).toEqual([200, false])
  const back = await signInFrom(browser, page, 'customer')
  // The form of the right account, sent from a browser of another one.
  const forged = await stranger.submit(
    { ...back, html: back.html.replace(/name="token" value="[^"]*"/, 'name="token" value="x"') },
    {},
  )
  expect([forged.status, await membersOf(top)]).toEqual([
    400,
    expect.not.arrayContaining([{ userName: 'customer' }]),
  ])
  const joined = await browser.submit(back, {})
  expect([joined.status, titleOf(joined)]).toEqual([200, 'Invitation accepted'])
  await expect
    .poll(() => membersOf(top), patience)
    .toContainEqual({ userName: 'customer', accessScope: AccessScope.IncludeChildren, isDefault: true })
  expect([titleOf(await browser.open(link)), titleOf(await browser.submit(back, {}))]).toEqual([
    badLink,
    badLink,
  ])
})

test('nothing tells the inviter whether an account has the address, not even for a member', async () => {
  const manager = await managerOfTop()
  await addMember(app, namedGuid('User:operator'), top, { UserName: 'operator' })
  const shapeOf = async (emailAddress: string) => {
    const created = await send(manager, 'POST', path, { organizationId: top, emailAddress })
    const { id, ...rest } = created.body
    const resent = await send(manager, 'POST', `${path}/${id}/resend`)
    const list = await send(manager, 'GET', `${path}?organizationId=${top}`)
    const removed = await send(manager, 'DELETE', `${path}/${id}`)
    const text = JSON.stringify([created.status, rest, resent.status, resent.body, list.body, removed.status])
    return text.replaceAll(id, 'id').replaceAll(emailAddress, 'address')
  }
  const ofNobody = await shapeOf(newAddress())
  expect([await shapeOf('pricing@keel.local'), await shapeOf('operator@keel.local')]).toEqual([
    ofNobody,
    ofNobody,
  ])
  await mails.to('pricing@keel.local', 2)
})

test('callers invite into organizations that they see, and give no more than they have', async () => {
  const end = new Date(clock.nowMs + 86_400_000)
  const ofOne = await managerOfTop({ AccessScope: AccessScope.OwnOnly })
  const ofDay = await managerOfTop({ AccessScope: AccessScope.IncludeChildren, ValidUntil: end })
  const ask = async (who: AppCaller, more: object) =>
    said(await send(who, 'POST', path, { organizationId: top, emailAddress: newAddress(), ...more }))
  const beyond = [403, beyondOwnRights]
  expect([
    await ask(ofOne, { accessScope: AccessScope.OwnOnly }),
    await ask(ofOne, {}),
    await ask(ofOne, { organizationId: below, accessScope: AccessScope.OwnOnly }),
    await ask(ofOne, { organizationId: theirs }),
    await ask(ofDay, { organizationId: below, validUntil: end }),
    await ask(ofDay, { organizationId: below }),
    await ask(await app.as({ roles: [DefaultCustomer], organizations: [`TOP${number}`] }), {}),
    // Who does not hold the roles of new users could have somebody made who has more.
    await ask(
      await app.as({
        permissions: [OrganizationPermissions.View, OrganizationPermissions.ManageMembers],
        organizations: [`TOP${number}`],
      }),
      {},
    ),
    await ask(await app.as({ roles: [OperationsManager] }), { organizationId: theirs }),
  ]).toEqual([
    [200, undefined],
    beyond,
    [400, null],
    [400, null],
    [200, undefined],
    beyond,
    [403, expect.anything()],
    [403, IdentityErrors.RoleNotAssignable],
    [200, undefined],
  ])
  const past = await send(ofDay, 'POST', path, {
    organizationId: top,
    emailAddress: 'no address',
    validUntil: '2000-01-01T00:00:00Z',
  })
  expect(faultyMembers(past)).toEqual(['emailAddress'])
  const { key } = await newKey(ofDay)
  await identity().execute(
    sql`delete from "AbpPermissionGrants" where "ProviderName" = 'AK' and "Name" not in ('Organization.View', 'Organization.ManageMembers')`,
  )
  const byKey = await send(withKey(app.host, key), 'POST', path, {
    organizationId: top,
    emailAddress: newAddress(),
    validUntil: end,
  })
  expect(byKey.status).toBe(403)
})

test('open invitations are seen, sent again and taken back by those who may manage the members alone', async () => {
  const manager = await managerOfTop()
  const other = await app.as({ roles: [CustomerAdmin], organizations: [`THEIRS${number}`] })
  const ofOne = await managerOfTop({ AccessScope: AccessScope.OwnOnly })
  const email = newAddress()
  const { id } = await invitations(manager).create({ organizationId: top, emailAddress: email })
  const foreign = [
    await send(other, 'GET', `${path}?organizationId=${top}`),
    await send(other, 'POST', `${path}/${id}/resend`),
    await send(other, 'DELETE', `${path}/${id}`),
    await send(ofOne, 'POST', `${path}/${id}/resend`),
    await send(ofOne, 'DELETE', `${path}/${id}`),
    await send(ofOne, 'POST', path, { organizationId: top, emailAddress: email, accessScope: 0 }),
  ]
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 403, 403, 403])
  const first = await linkTo(email)
  await invitations(manager).resend(id)
  const second = await linkTo(email, 2)
  const titles = async () => [first, second].map(async (link) => titleOf(await auth.browser().open(link)))
  expect(await Promise.all(await titles())).toEqual([badLink, 'You are invited'])
  await invitations(manager).delete(id)
  expect(await Promise.all(await titles())).toEqual([badLink, badLink])
  expect((await send(manager, 'DELETE', `${path}/${id}`)).status).toBe(404)
})

test('an invitation gives nothing that its sender may not give any more', async () => {
  const losses: Record<string, (id: string) => Promise<unknown>> = {
    role: (id) => identity().execute(sql`delete from "AbpUserRoles" where "UserId" = ${id}`),
    account: (id) => identity().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${id}`),
    membership: async (id) => {
      await managerOfTop()
      const { items } = await admin.service(OrganizationMemberAppService).getList({ userId: id })
      await admin.service(OrganizationMemberAppService).delete(items[0]?.id ?? '')
    },
  }
  for (const [lost, lose] of Object.entries(losses)) {
    const manager = await managerOfTop()
    const email = newAddress()
    await invitations(manager).create({ organizationId: top, emailAddress: email })
    const link = await linkTo(email)
    await lose(manager.userId)
    const browser = auth.browser()
    const page = await browser.open(link)
    const userName = newName()
    const filled = { userName, newPassword: password, confirmation: password }
    const arrival = titleOf(page) === badLink ? page : await browser.submit(page, filled)
    expect([lost, titleOf(arrival), (await findUser(userName)) ?? null]).toEqual([lost, badLink, null])
  }
  // The auth server does not know memberships: Hub looks at them when it hears of the acceptance.
  const manager = await managerOfTop()
  const email = newAddress()
  await invitations(manager).create({ organizationId: top, emailAddress: email })
  await hubOf(app).execute(
    sql`update "HubOrganizationMembers" set "AccessScope" = 0 where "UserId" = ${manager.userId}`,
  )
  hubOf(app).feed.changed('HubOrganizationMembers')
  const handled = () =>
    hubOf(app).query(
      sql`select from "AbpEventInbox" where "Consumer" = 'Hub.InvitedMembers.join' and "HandledTime" is not null`,
    )
  const before = await handled()
  const userName = newName()
  expect((await register(await linkTo(email), userName)).status).toBe(200)
  await expect.poll(handled, patience).toHaveLength(before.length + 1)
  expect((await membersOf(top)).map((member) => member.userName)).not.toContain(userName)
})

test('an invitation ends after a week; mails to one address, of one sender, and open ones are limited', async () => {
  const manager = await managerOfTop()
  const email = newAddress()
  for (let count = 1; count <= 5; count++)
    await invitations(manager).create({ organizationId: top, emailAddress: email })
  const again = { organizationId: top, emailAddress: email }
  expect((await send(manager, 'POST', path, again)).status).toBe(429)
  const link = await linkTo(email, 5)
  const rows = sql`
    insert into "AppMembershipInvitations" ("Id", "Kind", "GroupId", "GroupName", "InviteeEmail", "NormalizedEmail", "Terms", "Permission",
      "InvitationDate", "TokenHash", "ExpirationTime", "InviterId")
    select gen_random_uuid(), 'Hub.Organization', ${top}, 'Top', n || '@example.com', n || '@EXAMPLE.COM', '{"accessScope":0,"validUntil":null}',
      'Organization.ManageMembers', ${clock.now}, md5(n::text || ${sequentialGuid()}), ${new Date(clock.nowMs + 60_000)}, ${manager.userId}
    from generate_series(1, 98) n`
  await identity().execute(rows)
  const more = () => send(manager, 'POST', path, { organizationId: top, emailAddress: newAddress() })
  const atOnce = await Promise.all(Array.from({ length: 8 }, more))
  expect(atOnce.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(403)])
  expect(said(await more())).toEqual([403, IdentityErrors.TooManyInvitations])
  const page = await send(manager, 'GET', `${path}?organizationId=${top}&maxResultCount=7`)
  expect([page.body.totalCount, page.body.items.length]).toEqual([100, 7])
  clock.advance({ minutes: 1 })
  expect((await more()).status).toBe(200)
  for (let sent = 8; sent < 50; sent++)
    await invitations(manager).create({ organizationId: top, emailAddress: newAddress() })
  expect((await more()).status).toBe(429)
  clock.advance({ days: 7, minutes: -1, seconds: -1 })
  expect(titleOf(await auth.browser().open(link))).toBe('You are invited')
  clock.advance({ seconds: 1 })
  expect(titleOf(await auth.browser().open(link))).toBe(badLink)
})
