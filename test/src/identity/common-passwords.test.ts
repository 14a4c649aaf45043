import { AccountAppService, ProfileAppService } from '@keel/account/contracts'
import { createClient } from '@keel/framework/client'
import {
  IdentityErrors,
  IdentityUserAppService,
  PasswordSettings,
  SignIn,
  UserDirectory,
} from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { type App, provePerson, startApp } from '../support/app.js'

let app: App
let mails: MailFolder
let admins: IdentityUserAppService
beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, {
    'Mail:Folder': mails.path,
    'App:AngularUrl': 'https://app.example/ui',
    'App:WhiteLabeling:AppName': 'Harbour & Sons',
    'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true',
  })
  admins = (await app.admin()).service(IdentityUserAppService)
})
afterAll(async () => {
  await app.close()
  await mails.remove()
})

const good = 'Abc-Crane5'
const common = { status: 403, code: IdentityErrors.PasswordTooCommon }
const ofNames = { status: 403, code: IdentityErrors.PasswordMadeOfNames }
const person = (userName: string, password = good) => ({
  userName,
  name: 'Grace',
  surname: 'Hopper',
  email: `${userName}@navy.example`,
  password,
})
const strangers = () => createClient(AccountAppService, { baseUrl: app.host.url })

describe('a password that many people have, or that is made of names, is refused', () => {
  test('to those who register', async () => {
    const register = (password: string) =>
      strangers().register({
        userName: 'rosa',
        emailAddress: 'rosa@quarry.example',
        password,
        appName: 'Angular',
      })
    await expect(register('P@ssw0rd1')).rejects.toMatchObject({
      ...common,
      message: expect.stringMatching(/^This password is too common/),
    })
    await expect(register('Rosa-Quarry7')).rejects.toMatchObject(ofNames)
    await expect(register('Harbour&Sons1')).rejects.toMatchObject(ofNames)
    await register('Rosa-Crane7')
  })

  test('to administrators who add a user or change one', async () => {
    await expect(admins.create(person('ida', '1q2w3E*'))).rejects.toMatchObject(common)
    await expect(admins.create(person('ida', 'GraceHopper#1'))).rejects.toMatchObject(ofNames)
    const { password: _, ...created } = person('ida')
    const { id } = await admins.create({ ...created, password: good })
    const set = (password: string) => admins.update(id, { ...created, password })
    await expect(set('Welcome2024!')).rejects.toMatchObject(common)
    await expect(set('Navy-Ida-2024')).rejects.toMatchObject(ofNames)
    // The name that comes with the same request counts.
    await expect(
      admins.update(id, { ...created, surname: 'Brewster', password: 'Brewster-Grace1!' }),
    ).rejects.toMatchObject(ofNames)
    const give = (newPassword: string) => admins.updatePassword(id, { newPassword })
    await expect(give('Qwerty123!')).rejects.toMatchObject(common)
    await expect(give('Grace_Hopper_1906')).rejects.toMatchObject(ofNames)
    await give('New-Crane5')
    expect(await app.host.get(SignIn).check('ida', 'New-Crane5')).toMatchObject({ outcome: 'signed-in' })
  })

  test('to users who change their own', async () => {
    const { id } = await app.host.get(UserDirectory).create(person('kay'))
    await provePerson(app.host, id)
    const profile = (await app.host.as({ subject: id })).service(ProfileAppService)
    const change = (newPassword: string) => profile.changePassword({ currentPassword: good, newPassword })
    await expect(change('Dragon123!')).rejects.toMatchObject(common)
    await expect(change('Kay.Hopper7')).rejects.toMatchObject(ofNames)
    await change('New-Crane5')
  })

  test('to users who forgot theirs, and the token still counts', async () => {
    const user = await app.host.get(UserDirectory).create(person('mia'))
    await strangers().sendPasswordResetCode({ email: user.email, appName: 'Angular' })
    const text = (await mails.to(user.email)).at(-1)?.text ?? ''
    const resetToken = new URL(/https:\S+/.exec(text)?.[0] ?? '').searchParams.get('resetToken') ?? ''
    const reset = (password: string) => strangers().resetPassword({ userId: user.id, resetToken, password })
    await expect(reset('Sunshine1!')).rejects.toMatchObject(common)
    await expect(reset('Mia@navy1')).rejects.toMatchObject(ofNames)
    await reset('New-Crane5')
  })
})

test('each fault of a password is told, the common word after the rules it breaks', async () => {
  await expect(admins.create(person('lea', 'Password'))).rejects.toMatchObject({
    code: IdentityErrors.PasswordRequiresNonAlphanumeric,
    data: {
      faults: [
        IdentityErrors.PasswordRequiresNonAlphanumeric,
        IdentityErrors.PasswordRequiresDigit,
        IdentityErrors.PasswordTooCommon,
      ],
    },
  })
})

test('where the setting is off, such passwords are taken', async () => {
  const { name } = PasswordSettings.RefuseCommonPasswords
  const stored = app.host.get(StoredSettings)
  await stored.setForEverybody({ [name]: false })
  try {
    await expect
      .poll(() => admins.create(person('una', 'Password1!')).catch(({ code }) => code))
      .toMatchObject({
        userName: 'una',
      })
  } finally {
    await stored.setForEverybody({ [name]: null })
  }
})
