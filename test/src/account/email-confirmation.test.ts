import { AccountAppService, AccountErrors, ProfileAppService } from '@keel/account/contracts'
import { createClient } from '@keel/framework/client'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, provePerson, startApp } from '../support/app.js'
import { createMailFolder, type MailFolder } from './mails.js'

let app: App
let mails: MailFolder
let account: AccountAppService
let users: UserDirectory
beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, { 'Mail:Folder': mails.path })
  account = createClient(AccountAppService, { baseUrl: app.host.url })
  users = app.host.get(UserDirectory)
})
afterAll(async () => {
  await app.close()
  await mails.remove()
})

const newUser = (userName: string): Promise<UserRecord> =>
  users.create({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })

/** The token of the latest mail that the user was sent. */
async function tokenFor(user: UserRecord, count = 1): Promise<string> {
  await account.sendEmailConfirmationToken({ userId: user.id, appName: 'Angular' })
  const mail = (await mails.to(user.email, count)).at(-1)
  const link = new URL(/http:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  expect(link.origin + link.pathname).toBe('http://localhost:4200/account/email-confirmation')
  expect(link.searchParams.get('userId')).toBe(user.id)
  return link.searchParams.get('confirmationToken') ?? ''
}

test('the token of the mail confirms the address once', async () => {
  const ada = await newUser('ada')
  const token = await tokenFor(ada)
  expect(await account.getConfirmationState(ada.id)).toEqual({
    emailConfirmed: false,
    phoneNumberConfirmed: false,
  })
  expect(await account.verifyEmailConfirmationToken({ userId: ada.id, token })).toBe(true)
  await account.confirmEmail({ userId: ada.id, token })
  expect(await account.getConfirmationState(ada.id)).toEqual({
    emailConfirmed: true,
    phoneNumberConfirmed: false,
  })
  expect(await account.verifyEmailConfirmationToken({ userId: ada.id, token })).toBe(false)
  await expect(account.confirmEmail({ userId: ada.id, token })).rejects.toMatchObject({
    status: 403,
    code: AccountErrors.InvalidToken,
  })
})

test('confirming an address leaves other tokens and the password alone', async () => {
  const before = await newUser('bob')
  await account.confirmEmail({ userId: before.id, token: await tokenFor(before) })
  const after = await users.find(before.id)
  expect(after?.securityStamp).toBe(before.securityStamp)
})

test('a token confirms no other address than the one it was sent to', async () => {
  const cleo = await newUser('cleo')
  const token = await tokenFor(cleo)
  await provePerson(app.host, cleo.id)
  const profile = (await app.host.as({ subject: cleo.id })).service(ProfileAppService)
  await profile.update({ userName: 'cleo', email: 'cleo@example.org' })
  await expect(account.confirmEmail({ userId: cleo.id, token })).rejects.toMatchObject({
    code: AccountErrors.InvalidToken,
  })
  expect((await account.getConfirmationState(cleo.id)).emailConfirmed).toBe(false)
})

test('a token of another user confirms nothing', async () => {
  const dora = await newUser('dora')
  const emil = await newUser('emil')
  const token = await tokenFor(dora)
  await expect(account.confirmEmail({ userId: emil.id, token })).rejects.toMatchObject({
    code: AccountErrors.InvalidToken,
  })
})

test('who has confirmed an address gets no further mail, and nobody is answered like somebody', async () => {
  const finn = await newUser('finn')
  await account.confirmEmail({ userId: finn.id, token: await tokenFor(finn) })
  await account.sendEmailConfirmationToken({ userId: finn.id, appName: 'Angular' })
  const nobody = '00000000-0000-4000-8000-000000000000'
  await account.sendEmailConfirmationToken({ userId: nobody, appName: 'Angular' })
  expect(await account.getConfirmationState(nobody)).toEqual({
    emailConfirmed: false,
    phoneNumberConfirmed: false,
  })
  const gina = await newUser('gina')
  await tokenFor(gina)
  expect(await mails.to(finn.email)).toHaveLength(1)
})

test('a user gets five mails in a quarter of an hour', async () => {
  const hugo = await newUser('hugo')
  const attempts = [1, 2, 3, 4, 5].map(() =>
    account.sendEmailConfirmationToken({ userId: hugo.id, appName: 'Angular' }),
  )
  await Promise.all(attempts)
  await expect(
    account.sendEmailConfirmationToken({ userId: hugo.id, appName: 'Angular' }),
  ).rejects.toMatchObject({
    status: 429,
    retryAfterSeconds: expect.any(Number),
  })
})
