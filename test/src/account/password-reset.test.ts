import { AccountAppService, AccountErrors } from '@keel/account/contracts'
import { createClient } from '@keel/framework/client'
import { Databases, sql } from '@keel/framework/data'
import { Passwords, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { createMailFolder, type MailFolder, type ReadMail } from './mails.js'

let app: App
let mails: MailFolder
let account: AccountAppService
let users: UserDirectory
beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, {
    'Mail:Folder': mails.path,
    'App:AngularUrl': 'https://app.example/ui',
    'App:Urls:Portal': 'https://portal.example',
    'App:WhiteLabeling:AppName': 'Harbour & Sons',
  })
  account = createClient(AccountAppService, { baseUrl: app.host.url })
  users = app.host.get(UserDirectory)
})
afterAll(async () => {
  await app.close()
  await mails.remove()
})

const oldPassword = 'Old-Crane5'
const password = 'New-Crane5'

async function newUser(userName: string, more: object = {}): Promise<UserRecord> {
  return users.create({ userName, email: `${userName}@example.com`, password: oldPassword, ...more })
}

async function askedBy(user: UserRecord): Promise<ReadMail> {
  await account.sendPasswordResetCode({ email: user.email, appName: 'Angular' })
  return (await mails.to(user.email)).at(-1) as ReadMail
}

function linkIn({ text }: ReadMail): URL {
  return new URL(/https:\S+/.exec(text)?.[0] ?? '')
}

async function resetTokenFor(user: UserRecord): Promise<string> {
  return linkIn(await askedBy(user)).searchParams.get('resetToken') ?? ''
}

const isPasswordOf = (user: UserRecord, text: string) => app.host.get(Passwords).verify(user.id, text)

test('who forgot a password gets a mail with a link, and sets a new one with its token', async () => {
  const ada = await newUser('ada')
  const mail = await askedBy(ada)
  const link = linkIn(mail)
  expect(mail.subject).toBe('Reset your password – Harbour & Sons')
  expect(link.origin + link.pathname).toBe('https://app.example/ui/account/reset-password')
  expect([...link.searchParams.keys()]).toEqual(['userId', 'resetToken'])
  expect(link.searchParams.get('userId')).toBe(ada.id)
  expect(mail.html).toContain('Harbour &amp; Sons')
  expect(mail.html).toContain(link.toString().replaceAll('&', '&amp;'))
  const resetToken = link.searchParams.get('resetToken') ?? ''
  expect(await account.verifyPasswordResetToken({ userId: ada.id, resetToken })).toBe(true)
  await account.resetPassword({ userId: ada.id, resetToken, password })
  expect(await isPasswordOf(ada, password)).toBe(true)
  expect(await isPasswordOf(ada, oldPassword)).toBe(false)
})

test('a token that was used is refused', async () => {
  const bob = await newUser('bob')
  const resetToken = await resetTokenFor(bob)
  await account.resetPassword({ userId: bob.id, resetToken, password })
  expect(await account.verifyPasswordResetToken({ userId: bob.id, resetToken })).toBe(false)
  await expect(
    account.resetPassword({ userId: bob.id, resetToken, password: 'Third-Crane5' }),
  ).rejects.toMatchObject({ status: 403, code: AccountErrors.InvalidToken })
  expect(await isPasswordOf(bob, password)).toBe(true)
})

test('of five who bring the same token at once, one sets the password', async () => {
  const eve = await newUser('eve')
  const resetToken = await resetTokenFor(eve)
  const passwords = [1, 2, 3, 4, 5].map((number) => `Raced${number}*`)
  const attempts = await Promise.allSettled(
    passwords.map((raced) => account.resetPassword({ userId: eve.id, resetToken, password: raced })),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a token is refused after the password was changed in another way', async () => {
  const cleo = await newUser('cleo')
  const resetToken = await resetTokenFor(cleo)
  await app.host.get(Passwords).set(cleo.id, 'Other-Crane5')
  expect(await account.verifyPasswordResetToken({ userId: cleo.id, resetToken })).toBe(false)
})

test('a token is refused for another user, and one for another purpose', async () => {
  const dora = await newUser('dora')
  const emil = await newUser('emil')
  const resetToken = await resetTokenFor(dora)
  await account.sendEmailConfirmationToken({ userId: dora.id, appName: 'Angular' })
  const confirmation = linkIn((await mails.to(dora.email, 2))[1] as ReadMail)
  const confirmationToken = confirmation.searchParams.get('confirmationToken') ?? ''
  expect(await account.verifyPasswordResetToken({ userId: emil.id, resetToken })).toBe(false)
  expect(await account.verifyPasswordResetToken({ userId: dora.id, resetToken: confirmationToken })).toBe(
    false,
  )
  expect(await account.verifyEmailConfirmationToken({ userId: dora.id, token: resetToken })).toBe(false)
  expect(await account.verifyPasswordResetToken({ userId: dora.id, resetToken })).toBe(true)
})

test('a weak password is refused with its faults, and the token still counts', async () => {
  const finn = await newUser('finn')
  const resetToken = await resetTokenFor(finn)
  await expect(
    account.resetPassword({ userId: finn.id, resetToken, password: 'weak' }),
  ).rejects.toMatchObject({
    status: 403,
    code: 'Volo.Abp.Identity:PasswordTooShort',
  })
  expect(await account.verifyPasswordResetToken({ userId: finn.id, resetToken })).toBe(true)
})

test('a user who is inactive by now resets nothing', async () => {
  const gina = await newUser('gina')
  const resetToken = await resetTokenFor(gina)
  const database = app.host.databaseUrl('Default')
  await run(database, `update "AbpUsers" set "IsActive" = false where "Id" = '${gina.id}'`)
  await expect(account.resetPassword({ userId: gina.id, resetToken, password })).rejects.toMatchObject({
    code: AccountErrors.InvalidToken,
  })
})

test('an address that nobody has is answered like one that somebody has, and gets no mail', async () => {
  const hugo = await newUser('hugo')
  const answers = await Promise.all(
    [hugo.email, 'nobody@example.com'].map(async (email) => {
      const response = await post('send-password-reset-code', { email, appName: 'Angular' })
      return { status: response.status, body: await response.text() }
    }),
  )
  expect(answers).toEqual([
    { status: 204, body: '' },
    { status: 204, body: '' },
  ])
  await mails.to(hugo.email)
  await expect(mails.to('nobody@example.com', 0)).resolves.toEqual([])
})

test('an address that nobody has, or somebody inactive, makes the same jobs as that of a user', async () => {
  const user = await newUser('rita', { isEmailConfirmed: true })
  const inactive = await newUser('ruth', { isActive: false })
  const jobsBehind = async (email: string): Promise<string[]> => {
    const began = new Date(Date.now() - 1)
    await account.sendPasswordResetCode({ email, appName: 'Angular' })
    const done = () =>
      app.host
        .get(Databases)
        .named('Default')
        .query<{ name: string }>(sql`
        select "JobName" as name from "AbpBackgroundJobs" where "CompletionTime" is not null and "RecurringName" is null
          and "CreationTime" >= ${began}::timestamptz at time zone 'utc' order by "CreationTime"`)
    await expect.poll(async () => (await done()).length, { timeout: 10_000 }).toBe(2)
    return (await done()).map(({ name }) => name)
  }
  const ofUser = await jobsBehind(user.email)
  expect(ofUser[0]).toBe('Account.AskedMail')
  expect([await jobsBehind('nobody-at-all@example.com'), await jobsBehind(inactive.email)]).toEqual([
    ofUser,
    ofUser,
  ])
  await expect(mails.to('nobody-at-all@example.com', 0)).resolves.toEqual([])
})

test('external and inactive users get no mail', async () => {
  const external = await users.create({ userName: 'ivy', email: 'ivy@example.com', isExternal: true })
  const inactive = await users.create({ userName: 'jack', email: 'jack@example.com', isActive: false })
  for (const { email } of [external, inactive])
    await account.sendPasswordResetCode({ email, appName: 'Angular' })
  const kate = await newUser('kate')
  await askedBy(kate)
  expect(await mails.to(external.email, 0)).toEqual([])
  expect(await mails.to(inactive.email, 0)).toEqual([])
})

test('one address gets five mails in a quarter of an hour, whether somebody has it or not', async () => {
  for (const email of ['leo@example.com', 'mia@example.com']) {
    if (email.startsWith('leo')) await newUser('leo')
    const statuses = []
    for (let attempt = 0; attempt < 6; attempt++) {
      const spelled = attempt % 2 ? email.toUpperCase() : email
      statuses.push((await post('send-password-reset-code', { email: spelled, appName: 'Angular' })).status)
    }
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429])
  }
})

test('one network asks for a hundred mails in a quarter of an hour, whoever they are for', async () => {
  const other = await startApp(undefined, { 'App:TrustedProxies': '1' })
  const ask = async (number: number, network: string) =>
    (
      await other.host.fetch('/api/account/send-password-reset-code', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
        body: JSON.stringify({ email: `nobody-${number}@example.com`, appName: 'Angular' }),
      })
    ).status
  try {
    const asked = Array.from({ length: 100 }, (_, number) => ask(number, `2001:db8::${number + 1}`))
    expect(new Set(await Promise.all(asked))).toEqual(new Set([204]))
    expect([await ask(101, '2001:db8::ffff'), await ask(102, '2001:db8:0:1::1')]).toEqual([429, 204])
  } finally {
    await other.close()
  }
})

test('a mail speaks the language of the request and of the application that was named', async () => {
  const noah = await newUser('noah', { isEmailConfirmed: true })
  await post(
    'send-password-reset-code',
    { email: noah.email, appName: 'portal', returnUrl: '/orders', returnUrlHash: '#top' },
    { 'accept-language': 'de' },
  )
  const [mail] = await mails.to(noah.email)
  const link = linkIn(mail as ReadMail)
  expect(mail?.subject).toBe('Passwort zurücksetzen – Harbour & Sons')
  expect(mail?.text).toContain('Hallo noah,')
  expect(mail?.html).toContain('<html lang="de">')
  expect(link.origin + link.pathname).toBe('https://portal.example/account/reset-password')
  expect(link.searchParams.get('returnUrl')).toBe('/orders')
  expect(link.searchParams.get('returnUrlHash')).toBe('#top')
})

test('a return address that leads elsewhere does not get into the mail', async () => {
  const olga = await newUser('olga')
  await post('send-password-reset-code', {
    email: olga.email,
    appName: 'Angular',
    returnUrl: 'https://evil.example/',
  })
  const [mail] = await mails.to(olga.email)
  expect(mail?.text).not.toContain('evil')
})

test('whoever enters the address of a stranger chooses no word of the mail to it', async () => {
  const spam = await newUser('buy.pills.at.evil.example', { name: 'Buy pills at evil.example' })
  const { subject, text, html } = await askedBy(spam)
  const visible = [subject, text, html].join().replaceAll(spam.email, '')
  expect(text).toMatch(/^Reset your password\n\nHello,\n/)
  expect(visible).not.toMatch(/pills/i)
})

test('what a user is called can not write HTML into the mail', async () => {
  const paul = await users.create({
    userName: 'paul',
    email: 'paul@example.com',
    name: '<img src=x>',
    isEmailConfirmed: true,
    password,
  })
  const mail = await askedBy(paul)
  expect(mail.html).toContain('Hello &lt;img src=x&gt;,')
  expect(mail.html).not.toContain('<img')
})

test('an application that is not known is refused', async () => {
  await expect(
    account.sendPasswordResetCode({ email: 'ada@example.com', appName: 'Evil' }),
  ).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.UnknownApplication,
  })
})

test('where enumeration is allowed, an address that nobody has is told', async () => {
  const open = await startApp(undefined, { 'Settings:Abp.Account.PreventEmailEnumeration': 'false' })
  try {
    const strangers = createClient(AccountAppService, { baseUrl: open.host.url })
    await expect(
      strangers.sendPasswordResetCode({ email: 'nobody@example.com', appName: 'Angular' }),
    ).rejects.toMatchObject({
      status: 403,
      code: AccountErrors.InvalidEmailAddress,
      message: 'The e-mail address nobody@example.com is not known.',
    })
  } finally {
    await open.close()
  }
})

function post(action: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return app.host.fetch(`/api/account/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(statement)
  await client.end()
}
