import { AccountAppService, ProfileAppService, ReauthenticationAppService } from '@keel/account/contracts'
import { Databases, sql } from '@keel/framework/data'
import {
  DefaultCustomer,
  IdentityExternalUserAppService,
  IdentityPermissions,
  IdentityUserAppService,
  IdentityUserPermissions,
  InternalAdmin,
  UserDirectory,
  UserLogins,
} from '@keel/identity/contracts'
import { IdentitySettingsAppService } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Authority, startAuthority, theirPassword, useAuthority } from '../auth/authority.js'
import { type App, type AppCaller, provePerson, startApp } from '../support/app.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/identity/settings/oauth'

let app: App
let authority: Authority
let admin: AppCaller

beforeAll(async () => {
  authority = await startAuthority()
  app = await startApp()
  admin = await app.as({ roles: [InternalAdmin] })
})
afterAll(() => Promise.all([app?.close(), authority?.close()]))
beforeEach(async () => {
  await useAuthority(app.host, authority.form)
  await expectAtNextRequest(async () => (await external(admin).getExternalLoginProviders()).length, 1)
})

const external = (caller: AppCaller) => caller.service(IdentityExternalUserAppService)
const importing = (caller: AppCaller, userNameOrEmailAddress: string, password = theirPassword) =>
  external(caller).importExternalUser({ provider: 'OAuth', userNameOrEmailAddress, password })
const database = () => app.host.get(Databases).named('Default')

async function storedSecret(): Promise<string | undefined> {
  const [row] = await database().query<{ value: string }>(
    sql`select "Value" as value from "AbpSettings" where "Name" = 'Abp.Identity.OAuthLogin.ClientSecret'`,
  )
  return row?.value
}

test('the settings of the authority are shown without the secret, which lies encrypted and stays when none is given', async () => {
  const settings = admin.service(IdentitySettingsAppService)
  const { form } = authority
  await settings.updateOAuth(form)
  await expectAtNextRequest(() => settings.getOAuth(), { ...form, clientSecret: '' } as never)
  const secret = await storedSecret()
  expect(secret).toMatch(/^gcm1\./)
  await settings.updateOAuth({ ...form, clientSecret: '', scope: 'openid email' })
  expect(await storedSecret()).toBe(secret)
})

test('a secret is forgotten with the authority or client that it was for, and so are the people of another authority', async () => {
  const settings = admin.service(IdentitySettingsAppService)
  const { form } = authority
  await authority.person('amy')
  const { id } = await importing(admin, 'amy')
  await settings.updateOAuth({ ...form, clientId: 'another', clientSecret: '' })
  expect(await storedSecret()).toBeUndefined()
  await settings.updateOAuth(form)
  expect(await app.host.get(UserLogins).of(id)).toHaveLength(1)
  await settings.updateOAuth({ ...form, authority: 'https://login.example.com', clientSecret: '' })
  expect(await storedSecret()).toBeUndefined()
  expect(await app.host.get(UserLogins).of(id)).toEqual([])
})

test.each([
  ['authority', { authority: '' }],
  ['clientId', { clientId: '' }],
  ['authority', { authority: 'http://login.example.com' }],
  ['authority', { authority: 'login.example.com' }],
  ['authority', { requireHttpsMetadata: true }],
])('an unfit %s is refused', async (member, changed) => {
  const answer = await send(admin, 'PUT', path, { ...authority.form, ...changed })
  expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
})

test('the settings of the authority are for callers with the permission, and changed by those who hold everything', async () => {
  const nobody = await app.as({})
  const some = await app.as({ permissions: [IdentityPermissions.SettingManagement] })
  expect((await send(app.host, 'GET', path)).status).toBe(401)
  expect((await send(nobody, 'GET', path)).status).toBe(403)
  expect((await send(some, 'GET', path)).status).toBe(200)
  expect((await send(some, 'PUT', path, authority.form)).status).toBe(403)
})

test('providers that take passwords are listed while they are switched on', async () => {
  expect(await external(admin).getExternalLoginProviders()).toEqual([
    { name: 'OAuth', canObtainUserInfoWithoutPassword: false },
  ])
  expect((await send(admin, 'GET', '/api/identity/users/external-login-Providers')).status).toBe(200)
  await useAuthority(app.host, { enableOAuthLogin: false })
  await expectAtNextRequest(() => external(admin).getExternalLoginProviders(), [])
  await expect(importing(admin, 'anybody')).rejects.toMatchObject({ code: 'Volo.Abp.Identity:010010' })
})

test('an external user is imported with the password at the authority, and brought up to date by the next import', async () => {
  const them = await authority.person('ben')
  const user = await importing(admin, 'ben')
  expect(user).toMatchObject({
    userName: 'ben',
    email: 'ben@contoso.com',
    isExternal: true,
    roleNames: ['DefaultCustomer'],
  })
  await authority.host.host.get(UserDirectory).updateProfile(them.id, { surname: 'Changed' })
  expect(await importing(admin, 'ben@contoso.com')).toMatchObject({ id: user.id, surname: 'Changed' })
})

test('a wrong password imports nobody, and an account whose password is kept here stays as it is', async () => {
  await authority.person('cleo')
  await expect(importing(admin, 'cleo', 'wrong')).rejects.toMatchObject({ code: 'Volo.Abp.Identity:010011' })
  await app.host.get(UserDirectory).create({ userName: 'dora', email: 'dora@contoso.com' })
  await authority.person('dora')
  await expect(importing(admin, 'dora')).rejects.toMatchObject({ code: 'Volo.Abp.Identity:010012' })
  await expect(importing(admin, 'dora@contoso.com')).rejects.toMatchObject({
    code: 'Volo.Abp.Identity:010012',
  })
  await authority.person('dorothy', { email: 'doris@contoso.com' })
  await app.host.get(UserDirectory).create({ userName: 'doris', email: 'doris@contoso.com' })
  await expect(importing(admin, 'dorothy')).rejects.toMatchObject({
    code: 'Volo.Abp.Identity:ExternalUserNotUsable',
  })
  expect(await authority.askedAbout('dora')).toBe(0)
})

test('importing takes the rights that creating or updating the user takes, before the authority is asked', async () => {
  const { Default, Import, Create, Update } = IdentityUserPermissions
  await authority.person('emil')
  const without = [
    await app.as({ permissions: [Default, Create] }),
    await app.as({ permissions: [Default, Import] }),
    // Nobody gives a role that they do not hold.
    await app.as({ permissions: [Default, Import, Create] }),
  ]
  for (const caller of without) await expect(importing(caller, 'emil')).rejects.toMatchObject({ status: 403 })
  expect(await authority.askedAbout('emil')).toBe(0)
  const creator = await app.as({ permissions: [Default, Import, Create], roles: [DefaultCustomer] })
  const { id } = await importing(creator, 'emil')
  await expect(importing(creator, 'emil')).rejects.toMatchObject({ status: 403 })
  const updater = await app.as({ permissions: [Default, Import, Update], roles: [DefaultCustomer] })
  expect((await importing(updater, 'emil')).id).toBe(id)
})

test('the password of an external user is set here by nobody', async () => {
  await authority.person('finn')
  const { id, userName, email } = await importing(admin, 'finn')
  const refused = { code: 'Volo.Abp.Identity:010003' }
  const users = admin.service(IdentityUserAppService)
  await expect(users.updatePassword(id, { newPassword: 'Some-pass-1' })).rejects.toMatchObject(refused)
  await expect(users.update(id, { userName, email, password: 'Some-pass-1' })).rejects.toMatchObject(refused)
  await provePerson(app.host, id)
  const finn = await app.host.as({ subject: id })
  await expect(
    finn
      .service(ProfileAppService)
      .changePassword({ currentPassword: theirPassword, newPassword: 'Some-pass-1' }),
  ).rejects.toMatchObject(refused)
  expect(await finn.service(ProfileAppService).get()).toMatchObject({ isExternal: true, hasPassword: false })
})

test('external users check and prove their password, and get no account where the authority does not know them', async () => {
  await authority.person('gina')
  const { id } = await importing(admin, 'gina')
  const account = (await app.as({})).service(AccountAppService)
  const check = async (userNameOrEmailAddress: string, password: string) =>
    (await account.checkPassword({ userNameOrEmailAddress, password, rememberMe: false })).description
  expect(await check('gina', theirPassword)).toBe('Success')
  expect(await check('gina', 'wrong')).toBe('InvalidUserNameOrPassword')
  expect(await check('nobody-there', 'wrong')).toBe('InvalidUserNameOrPassword')
  const gina = await app.host.as({ subject: id })
  const reauthentication = gina.service(ReauthenticationAppService)
  expect((await reauthentication.get()).methods).toContain('Password')
  await expect(reauthentication.prove({ password: 'wrong' })).rejects.toMatchObject({ status: 403 })
  await reauthentication.prove({ password: theirPassword })
})
