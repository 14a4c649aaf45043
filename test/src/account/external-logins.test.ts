import { AccountExternalLoginAppService } from '@keel/account/contracts'
import { Databases, sql } from '@keel/framework/data'
import { UserDirectory, UserLogins } from '@keel/identity/contracts'
import {
  AccountExternalProviderAppService,
  AccountSettingsAppService,
  ExternalProviders,
} from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { send } from '../support/wire.js'

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.close())

const loginsOf = (caller: AppCaller) => caller.service(AccountExternalLoginAppService)

/** Somebody who signs in with GitHub as well. */
async function withGitHub(): Promise<AppCaller & { readonly key: string }> {
  const caller = await app.as({})
  const key = `key/of ${caller.userId}`
  const login = { loginProvider: 'GitHub', providerKey: key, providerDisplayName: 'GitHub' }
  await app.host.get(UserLogins).add(caller.userId, login)
  return { ...caller, key }
}

test('whether the password was given with an account elsewhere is kept for each, as ABP keeps it, until it is taken back', async () => {
  const { userId, key, ...caller } = await withGitHub()
  const logins = loginsOf({ userId, ...caller })
  expect(await logins.hasPasswordVerified(userId, 'GitHub', key)).toBe(false)
  await logins.setPasswordVerified('GitHub', key)
  await logins.setPasswordVerified('GitHub', key)
  expect(await logins.hasPasswordVerified(userId, 'GitHub', key)).toBe(true)
  expect(await logins.hasPasswordVerified(userId, 'GitHub', 'another')).toBe(false)
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query(sql`
    select "Name" as name, "Value" as value, "ProviderName" as provider from "AbpSettings" where "ProviderKey" = ${userId}`)
  expect(rows).toEqual([
    {
      name: 'Abp.Account.ExternalLoginPasswordVerified',
      value: JSON.stringify([{ loginProvider: 'GitHub', providerKey: key }]),
      provider: 'U',
    },
  ])
  await logins.removePasswordVerified('GitHub', key)
  expect(await logins.hasPasswordVerified(userId, 'GitHub', key)).toBe(false)
})

test('nobody says of an account elsewhere that is not theirs that the password was given, or without a recent proof of who they are', async () => {
  const somebody = await withGitHub()
  const other = await app.as({})
  await expect(loginsOf(other).setPasswordVerified('GitHub', somebody.key)).rejects.toMatchObject({
    status: 404,
  })
  // Nobody has seen this one sign in.
  const { id } = await app.host
    .get(UserDirectory)
    .create({ userName: 'late', email: 'late@example.com', password: 'Quay-lantern-42' })
  const late = await app.host.as({ subject: id })
  const path = `/api/account/externallogin/password-verified/GitHub/${encodeURIComponent(somebody.key)}`
  expect(await send(late, 'POST', path)).toMatchObject({
    status: 403,
    body: { error: { code: 'Account:ReauthenticationRequired' } },
  })
  expect((await send(app.host, 'POST', path)).status).toBe(401)
})

test('whether somebody gave a password is told to nobody else', async () => {
  const somebody = await withGitHub()
  const path = `/api/account/externallogin/password-verified/${somebody.userId}/GitHub/1`
  expect((await send(await app.as({}), 'GET', path)).status).toBe(403)
  expect((await send(app.host, 'GET', path)).status).toBe(401)
})

test('callers who are signed in see the providers that are switched on, and no secret', async () => {
  await app.host.get(ExternalProviders).replace([
    {
      name: 'OpenIdConnect.contoso',
      enabled: true,
      properties: {
        Authority: 'https://login.contoso.com',
        ClientId: 'keel',
        DisplayName: 'Contoso',
        TrustedEmailDomains: 'contoso.com',
      },
      secretProperties: { ClientSecret: 'a secret' },
    },
    {
      name: 'GitHub',
      enabled: false,
      properties: { ClientId: 'keel' },
      secretProperties: { ClientSecret: 'a secret' },
    },
  ])
  const caller = await app.as({})
  const contoso = {
    name: 'OpenIdConnect.contoso',
    enabled: true,
    properties: [
      { name: 'ClientId', value: 'keel' },
      { name: 'Authority', value: 'https://login.contoso.com' },
      { name: 'DisplayName', value: 'Contoso' },
    ],
  }
  const providers = caller.service(AccountExternalProviderAppService)
  await expectAtNextRequest(() => providers.getAll(), { providers: [contoso] } as never)
  expect(await providers.getByName({ name: contoso.name })).toEqual({
    ...contoso,
    success: true,
    secretProperties: [],
  })
  for (const name of ['GitHub', 'Google'])
    expect(await providers.getByName({ name })).toEqual({
      success: false,
      name: null,
      enabled: false,
      properties: [],
      secretProperties: [],
    })
  expect((await send(app.host, 'GET', '/api/account/external-provider')).status).toBe(401)
  expect((await send(app.host, 'GET', '/api/account/external-provider/by-name?name=GitHub')).status).toBe(401)
})

test('administrators have the password asked for at sign-ins with a provider, or leave that as it is', async () => {
  const settings = (await app.admin()).service(AccountSettingsAppService)
  const verifies = async () => (await settings.getExternalProvider()).verifyPasswordDuringExternalLogin
  expect(await verifies()).toBe(false)
  await settings.updateExternalProvider({ verifyPasswordDuringExternalLogin: true, externalProviders: [] })
  await expectAtNextRequest(verifies, true)
  await settings.updateExternalProvider({ externalProviders: [] })
  await expectAtNextRequest(verifies, true)
})
