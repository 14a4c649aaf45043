import { AccountAppService, AccountErrors, LoginResultType } from '@keel/account/contracts'
import { createClient } from '@keel/framework/client'
import { SignIn } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'

let app: App
let account: AccountAppService
beforeAll(async () => {
  app = await startApp(undefined, { 'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true' })
  account = createClient(AccountAppService, { baseUrl: app.host.url })
})
afterAll(() => app.close())

const password = 'Abc-Crane5'
const person = (userName: string) => ({
  userName,
  emailAddress: `${userName}@example.com`,
  password,
  appName: 'Angular',
})

test('who registers gets the default roles and can sign in at once', async () => {
  const registered = await account.register({ ...person('ada'), extraProperties: { Company: 'Acme' } })
  expect(registered).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenantId: null,
    userName: 'ada',
    name: null,
    surname: null,
    email: 'ada@example.com',
    emailConfirmed: false,
    phoneNumber: null,
    phoneNumberConfirmed: false,
    isActive: true,
    concurrencyStamp: expect.stringMatching(/^[0-9a-f]{32}$/),
    extraProperties: { Company: 'Acme' },
  })
  expect(await app.host.get(SignIn).check('ada@example.com', password)).toMatchObject({
    outcome: 'signed-in',
    account: { id: registered.id, roles: ['DefaultCustomer'] },
  })
})

test.each([
  ['a user name that is taken', { userName: 'BOB' }, 'Volo.Abp.Identity:DuplicateUserName'],
  [
    'an e-mail address that is taken',
    { emailAddress: 'Bob@Example.com' },
    'Volo.Abp.Identity:DuplicateEmail',
  ],
  ['a weak password', { password: 'weak' }, 'Volo.Abp.Identity:PasswordTooShort'],
  ['an unknown application', { appName: 'Evil' }, AccountErrors.UnknownApplication],
])('%s is refused', async (_what, changes, code) => {
  await account.register(person('bob')).catch(() => undefined)
  await expect(account.register({ ...person('carl'), ...changes })).rejects.toMatchObject({
    status: 403,
    code,
  })
})

test.each([
  '<eve@example.com>',
  'Eve <eve@example.com>',
  'eve@example.com,bob@example.com',
  'eve(port)@example.com',
  'eve@example.com\u2028',
])('%j is no address to register with', async (emailAddress) => {
  await expect(account.register({ ...person('eve'), emailAddress })).rejects.toMatchObject({
    status: 400,
    validationErrors: [
      {
        members: ['emailAddress'],
        message: 'emailAddress: the value must be an e-mail address, such as name@example.com',
      },
    ],
  })
})

test('a weak password and names that are taken are told at once', async () => {
  await account.register(person('bob')).catch(() => undefined)
  await expect(account.register({ ...person('bob'), password: 'Weak12' })).rejects.toMatchObject({
    status: 403,
    code: 'Volo.Abp.Identity:PasswordRequiresNonAlphanumeric',
    message:
      'Passwords must have at least one non-alphanumeric character.\nThe user name bob is already taken.\nThe e-mail address bob@example.com is already taken.',
  })
})

test('nobody registers what only administrators may decide', async () => {
  const response = await app.host.fetch('/api/account/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...person('dora'),
      roleNames: ['admin'],
      emailConfirmed: true,
      isEmailConfirmed: true,
    }),
  })
  expect(await response.json()).toMatchObject({ userName: 'dora', emailConfirmed: false })
  expect(await app.host.get(SignIn).check('dora', password)).toMatchObject({
    account: { roles: ['DefaultCustomer'] },
  })
})

test('a password check says how it ended, and counts wrong ones', async () => {
  await account.register(person('emil'))
  const check = (text: string) => account.checkPassword({ userNameOrEmailAddress: 'emil', password: text })
  expect(await check(password)).toEqual({ result: LoginResultType.Success, description: 'Success' })
  expect(await check('wrong')).toEqual({ result: 2, description: 'InvalidUserNameOrPassword' })
  for (let attempt = 0; attempt < 4; attempt++) await check('wrong')
  expect(await check(password)).toEqual({ result: 4, description: 'LockedOut' })
  expect(await account.checkPassword({ userNameOrEmailAddress: 'nobody', password })).toEqual({
    result: 2,
    description: 'InvalidUserNameOrPassword',
  })
})

test('nobody registers where it is switched off, and nothing is told of who exists', async () => {
  const closed = await startApp()
  try {
    const strangers = createClient(AccountAppService, { baseUrl: closed.host.url })
    for (const userName of ['admin', 'somebody'])
      await expect(strangers.register(person(userName))).rejects.toMatchObject({
        status: 403,
        code: AccountErrors.SelfRegistrationDisabled,
      })
  } finally {
    await closed.close()
  }
})
