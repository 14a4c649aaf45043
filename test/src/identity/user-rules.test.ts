import { Settings } from '@keel/framework'
import { Databases, sql } from '@keel/framework/data'
import {
  IdentityErrors,
  Passwords,
  SignIn,
  UserDirectory,
  UserLogins,
  UserTokens,
} from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'

let app: App
let users: UserDirectory
let passwords: Passwords
beforeAll(async () => {
  app = await startApp()
  users = app.host.get(UserDirectory)
  passwords = app.host.get(Passwords)
})
afterAll(() => app.close())

const person = (userName: string) => ({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })

test('a user who was added can sign in, has the default role and is found by name, e-mail address and id in any case', async () => {
  const added = await users.create({ ...person('Ada'), name: 'Ada', extraProperties: { Title: 'Countess' } })
  expect(added).toMatchObject({
    userName: 'Ada',
    name: 'Ada',
    hasPassword: true,
    extraProperties: { Title: 'Countess' },
  })
  expect(await users.findByUserName('aDA')).toEqual(added)
  expect(await users.findByEmail('ADA@example.com')).toEqual(added)
  expect(await users.find(added.id)).toEqual(added)
  expect(await app.host.get(SignIn).check('ada', 'Abc-Crane5')).toMatchObject({
    outcome: 'signed-in',
    account: { id: added.id, roles: ['DefaultCustomer'] },
  })
})

test('of ten requests at once for one user name in different cases, one gets it', async () => {
  const names = ['bob', 'BOB', 'Bob', 'bOb', 'boB', 'BoB', 'bOB', 'BOb', 'bob', 'BOB']
  const attempts = await Promise.allSettled(
    names.map((userName, index) => users.create({ userName, email: `bob${index}@example.com` })),
  )
  const refusals = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason)
  expect(refusals.length).toBe(9)
  expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set([IdentityErrors.DuplicateUserName]))
})

test('of five requests at once for one e-mail address, one gets it', async () => {
  const attempts = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((number) => users.create({ userName: `cleo${number}`, email: 'Cleo@example.com' })),
  )
  const codes = attempts
    .map((attempt) => (attempt.status === 'rejected' ? attempt.reason.code : 'added'))
    .sort()
  expect(codes).toEqual([...Array(4).fill(IdentityErrors.DuplicateEmail), 'added'])
})

test('nobody can have as user name what another has as e-mail address', async () => {
  await users.create({ userName: 'dora', email: 'dora@example.com' })
  await expect(users.create({ userName: 'DORA@example.com', email: 'x@example.com' })).rejects.toMatchObject({
    code: IdentityErrors.DuplicateUserName,
  })
})

test('a weak password is refused with all its faults', async () => {
  await expect(passwords.check('aaa')).rejects.toMatchObject({
    code: IdentityErrors.PasswordTooShort,
    message: [
      'Passwords must have at least 6 characters.',
      'Passwords must have at least one non-alphanumeric character.',
      "Passwords must have at least one digit ('0'-'9').",
      "Passwords must have at least one uppercase letter ('A'-'Z').",
    ].join('\n'),
  })
  await expect(users.create({ ...person('eve'), password: 'aaa' })).rejects.toMatchObject({
    code: IdentityErrors.PasswordTooShort,
  })
  expect(await users.findByUserName('eve')).toBeUndefined()
})

test('a password is changed by who knows it, and the security stamp with it', async () => {
  const { id, securityStamp } = await users.create(person('finn'))
  await expect(passwords.change(id, 'wrong', 'New-Crane5')).rejects.toMatchObject({
    code: IdentityErrors.PasswordMismatch,
  })
  await passwords.change(id, 'Abc-Crane5', 'New-Crane5')
  expect([await passwords.verify(id, 'Abc-Crane5'), await passwords.verify(id, 'New-Crane5')]).toEqual([
    false,
    true,
  ])
  expect((await users.find(id))?.securityStamp).not.toBe(securityStamp)
})

test('five wrong current passwords lock the user out', async () => {
  const { id } = await users.create(person('gina'))
  for (let attempt = 0; attempt < 5; attempt++)
    await passwords.change(id, 'wrong', 'New-Crane5').catch(() => undefined)
  expect(await app.host.get(SignIn).check('gina', 'Abc-Crane5')).toMatchObject({ outcome: 'locked-out' })
})

test('a profile is changed under the stamp that was seen, and a new e-mail address is not confirmed', async () => {
  const { id, concurrencyStamp } = await users.create({ ...person('hugo'), isEmailConfirmed: true })
  const changed = await users.updateProfile(id, {
    email: 'hugo@example.org',
    surname: 'Boss',
    concurrencyStamp,
  })
  expect(changed).toMatchObject({ email: 'hugo@example.org', surname: 'Boss', isEmailConfirmed: false })
  await expect(users.updateProfile(id, { name: 'H', concurrencyStamp })).rejects.toMatchObject({
    name: 'ConcurrencyError',
  })
  expect(await users.confirmEmail(id, 'hugo@example.com')).toBe(false)
  expect(await users.confirmEmail(id, 'HUGO@example.org')).toBe(true)
  expect(await users.find(id)).toMatchObject({ isEmailConfirmed: true })
})

test('a token of a user can be taken away once', async () => {
  const { id } = await users.create(person('ida'))
  const tokens = app.host.get(UserTokens)
  const key = { userId: id, loginProvider: '[App]', name: 'Code' }
  await tokens.save(key, '1')
  await tokens.save(key, '2')
  expect([await tokens.replace(key, '1', '3'), await tokens.replace(key, '2', '3')]).toEqual([false, true])
  expect(await tokens.find(key)).toBe('3')
  const taken = await Promise.all([1, 2, 3].map(() => tokens.take(key)))
  expect(taken.filter((value) => value === '3').length).toBe(1)
})

test('an account elsewhere belongs to one user', async () => {
  const { id } = await users.create(person('jack'))
  const other = await users.create(person('jill'))
  const logins = app.host.get(UserLogins)
  const login = { loginProvider: 'Google', providerKey: '42', providerDisplayName: 'Google' }
  await logins.add(id, login)
  await expect(logins.add(other.id, login)).rejects.toMatchObject({
    code: IdentityErrors.LoginAlreadyAssociated,
  })
  expect(await logins.findUser('Google', '42')).toBe(id)
  expect(await logins.of(id)).toEqual([login])
  await logins.remove(id, 'Google', '42')
  expect(await logins.of(id)).toEqual([])
})

test('the security log tells of sign-ins and of what was changed', async () => {
  const { id } = await users.create(person('kim'))
  const signIn = app.host.get(SignIn)
  await signIn.check('kim', 'wrong', { clientId: 'Core_App', ipAddress: '10.0.0.1', browser: 'Firefox' })
  await signIn.check('kim', 'Abc-Crane5')
  await users.setTwoFactorEnabled(id, true)
  await users.updateProfile(id, { userName: 'kimberley' })
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query(sql`
    select "Action" as action, "ClientIpAddress" as ip from "AbpSecurityLogs" where "UserId" = ${id} order by "CreationTime", "Id"`)
  expect(rows).toEqual([
    { action: 'LoginInvalidUserNameOrPassword', ip: '10.0.0.1' },
    { action: 'LoginSucceeded', ip: null },
    { action: 'TwoFactorEnabled', ip: null },
    { action: 'ChangeUserName', ip: null },
  ])
})

test('the settings of ABP are known, with a lock-out of 15 minutes', async () => {
  const settings = app.host.get(Settings)
  expect(await settings.valueOf('Abp.Identity.Lockout.LockoutDuration')).toBe('900')
})
