import { AccountErrors, AccountSecurityLogAppService, LinkUserAppService } from '@keel/account/contracts'
import { createClient } from '@keel/framework/client'
import { Databases, sql } from '@keel/framework/data'
import { Passwords, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, provePerson, startApp } from '../support/app.js'

let app: App
let users: UserDirectory
beforeAll(async () => {
  app = await startApp()
  users = app.host.get(UserDirectory)
})
afterAll(() => app.close())

interface Person {
  readonly user: UserRecord
  readonly links: LinkUserAppService
}

async function newPerson(userName: string): Promise<Person> {
  const user = await users.create({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })
  await provePerson(app.host, user.id)
  const caller = await app.host.as({ subject: user.id })
  return { user, links: caller.service(LinkUserAppService) }
}

/** Links two accounts as their owner does: a token of the one, brought while signed in to the other. */
async function link(one: Person, other: Person): Promise<void> {
  const token = await one.links.generateLinkToken()
  await other.links.link({ userId: one.user.id, token })
}

const namesOf = async ({ links }: Person) =>
  (await links.getAllList()).items.map(({ targetUserName, directlyLinked }) => [
    targetUserName,
    directlyLinked,
  ])

test('accounts of one person are linked, listed over several links, and unlinked', async () => {
  const [ada, bob, cleo] = [await newPerson('ada'), await newPerson('bob'), await newPerson('cleo')]
  await link(ada, bob)
  await link(bob, cleo)
  expect(await ada.links.getAllList()).toEqual({
    items: [
      {
        targetUserId: bob.user.id,
        targetUserName: 'bob',
        targetTenantId: null,
        targetTenantName: null,
        directlyLinked: true,
      },
      {
        targetUserId: cleo.user.id,
        targetUserName: 'cleo',
        targetTenantId: null,
        targetTenantName: null,
        directlyLinked: false,
      },
    ],
  })
  expect(await namesOf(bob)).toEqual(
    expect.arrayContaining([
      ['ada', true],
      ['cleo', true],
    ]),
  )
  expect(await cleo.links.isLinked({ userId: ada.user.id })).toBe(true)
  await bob.links.unlink({ userId: ada.user.id })
  expect(await namesOf(ada)).toEqual([])
  expect(await cleo.links.isLinked({ userId: ada.user.id })).toBe(false)
})

test('accounts that are linked in a ring are listed once each', async () => {
  const ring = [await newPerson('ring1'), await newPerson('ring2'), await newPerson('ring3')] as const
  await link(ring[0], ring[1])
  await link(ring[1], ring[2])
  await link(ring[2], ring[0])
  await link(ring[1], ring[0])
  expect(await namesOf(ring[0])).toEqual([
    ['ring2', true],
    ['ring3', true],
  ])
})

test('a token counts once, for the account it was made with, and until the next one is made', async () => {
  const [dora, emil, finn] = [await newPerson('dora'), await newPerson('emil'), await newPerson('finn')]
  const stranger = createClient(LinkUserAppService, { baseUrl: app.host.url })
  const old = await dora.links.generateLinkToken()
  const token = await dora.links.generateLinkToken()
  const refused = { status: 403, code: AccountErrors.InvalidToken }
  expect(await stranger.verifyLinkToken({ userId: dora.user.id, token: old })).toBe(false)
  expect(await stranger.verifyLinkToken({ userId: dora.user.id, token })).toBe(true)
  expect(await stranger.verifyLinkToken({ userId: emil.user.id, token })).toBe(false)
  await expect(finn.links.link({ userId: emil.user.id, token })).rejects.toMatchObject(refused)
  const attempts = await Promise.allSettled(
    [emil, finn].map(({ links }) => links.link({ userId: dora.user.id, token })),
  )
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await stranger.verifyLinkToken({ userId: dora.user.id, token })).toBe(false)
})

test('a token to show who made it is verified once it was made, and links nothing', async () => {
  const [kate, leo] = [await newPerson('kate'), await newPerson('leo')]
  const stranger = createClient(LinkUserAppService, { baseUrl: app.host.url })
  const token = await kate.links.generateLinkLoginToken()
  const input = { userId: kate.user.id, token }
  expect(await stranger.verifyLinkLoginToken(input)).toBe(true)
  expect(await stranger.verifyLinkLoginToken({ ...input, userId: leo.user.id })).toBe(false)
  expect(await stranger.verifyLinkToken(input)).toBe(false)
  await expect(leo.links.link(input)).rejects.toMatchObject({ code: AccountErrors.InvalidToken })
})

test('linking and unlinking are in the security log', async () => {
  const [mia, noah] = [await newPerson('mia'), await newPerson('noah')]
  await link(mia, noah)
  await noah.links.unlink({ userId: mia.user.id })
  const { items } = await (await app.host.as({ subject: noah.user.id }))
    .service(AccountSecurityLogAppService)
    .getList({})
  expect(items.map(({ action, extraProperties }) => [action, extraProperties])).toEqual([
    ['UnlinkUser', { LinkTargetUserId: mia.user.id }],
    ['LinkUser', { LinkTargetUserId: mia.user.id }],
  ])
})

test('a token is void after the credentials of its account changed', async () => {
  const [gina, hugo] = [await newPerson('gina'), await newPerson('hugo')]
  const token = await gina.links.generateLinkToken()
  await app.host.get(Passwords).set(gina.user.id, 'New-Crane5')
  await expect(hugo.links.link({ userId: gina.user.id, token })).rejects.toMatchObject({
    code: AccountErrors.InvalidToken,
  })
})

/** Links an account with accounts that nobody signs in to. */
async function linkWithStrangers(person: Person, count: number): Promise<void> {
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`
    insert into "AbpLinkUsers" ("Id", "SourceUserId", "TargetUserId")
    select gen_random_uuid(), ${person.user.id}::uuid, gen_random_uuid() from generate_series(1, ${count}::int)`)
}

test('one more link than fits is refused, also when several accounts of one person ask for it at once', async () => {
  const inner = await Promise.all([1, 2, 3, 4].map((each) => newPerson(`inner${each}`)))
  const outer = await Promise.all([1, 2, 3, 4].map((each) => newPerson(`outer${each}`)))
  const [first] = inner as [Person]
  for (const other of inner.slice(1)) await link(first, other)
  await linkWithStrangers(first, 96)
  const tokens = await Promise.all(outer.map(({ links }) => links.generateLinkToken()))
  const attempts = await Promise.allSettled(
    inner.map(({ links }, index) =>
      links.link({ userId: outer[index]?.user.id ?? '', token: tokens[index] ?? '' }),
    ),
  )
  expect(
    attempts.map((attempt) => (attempt.status === 'rejected' ? attempt.reason.code : 'linked')).sort(),
  ).toEqual([...Array(3).fill(AccountErrors.TooManyLinks), 'linked'])
})

test('a link that joins more accounts than fit is refused', async () => {
  const [omar, pia] = [await newPerson('omar'), await newPerson('pia')]
  await linkWithStrangers(omar, 60)
  await linkWithStrangers(pia, 60)
  await expect(link(omar, pia)).rejects.toMatchObject({ status: 403, code: AccountErrors.TooManyLinks })
})

test('no account is linked with itself or in a tenant', async () => {
  const ivy = await newPerson('ivy')
  const jack = await newPerson('jack')
  const token = await ivy.links.generateLinkToken()
  await expect(ivy.links.link({ userId: ivy.user.id, token })).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.SelfLink,
  })
  await expect(jack.links.link({ userId: ivy.user.id, tenantId: ivy.user.id, token })).rejects.toMatchObject({
    code: AccountErrors.InvalidToken,
  })
})
