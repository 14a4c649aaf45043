import { AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import { sql } from '@keel/framework/data'
import { InternalAdmin } from '@keel/identity/contracts'
import {
  ApplicationAppService,
  type ApplicationDto,
  ApplicationPermissions,
  OpenIdErrors,
  ScopeAppService,
  type ScopeDto,
} from '@keel/openid/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logOf, newCorrelationId, tracked } from '../auditing/audit-logs.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'
import { type AuthHost, claimsOf, password, startAuthHost, type TokenAnswer } from './auth-host.js'
import { authorizationRequest } from './sign-in.js'

const applications = '/api/openiddict/applications'
const scopes = '/api/openiddict/scopes'
const nowhere = '00000000-0000-4000-8000-000000000001'

let auth: AuthHost
let app: App
let administrator: AppCaller
let clients: ApplicationAppService
let clientScopes: ScopeAppService

/** The API host beside the auth server, both on its database. */
beforeAll(async () => {
  auth = await startAuthHost()
  app = await startApp(undefined, { 'ConnectionStrings:Default': auth.host.databaseUrl('Default') })
  administrator = await app.as({ roles: [InternalAdmin] })
  clients = administrator.service(ApplicationAppService)
  clientScopes = administrator.service(ScopeAppService)
})
afterAll(async () => {
  await app?.close()
  await auth?.close()
})

let numbers = 0
const newId = (): string => `client-${++numbers}`

type Settings = Partial<Parameters<ApplicationAppService['create']>[0]>

/** A public client for signing in with a password. */
function settings(changed: Settings = {}) {
  return {
    applicationType: 'web',
    clientId: newId(),
    displayName: 'Test',
    clientType: 'public',
    allowPasswordFlow: true,
    allowRefreshTokenFlow: true,
    scopes: ['Core'],
    ...changed,
  } as const
}

function create(changed: Settings = {}): Promise<ApplicationDto> {
  return clients.create(settings(changed) as never)
}

function update({ id, ...row }: ApplicationDto, changed: Settings): Promise<ApplicationDto> {
  return clients.update(id, { ...row, ...changed } as never)
}

function post(body: object, who: AppCaller = administrator): Promise<Answer> {
  return send(who, 'POST', applications, body)
}

function signIn(clientId: string, changed: Record<string, string> = {}): Promise<TokenAnswer> {
  return auth.post('/connect/token', {
    grant_type: 'password',
    client_id: clientId,
    username: 'admin',
    password,
    scope: 'Core offline_access',
    ...changed,
  })
}

/** What the auth server answers, as soon as it is this: it hears of changes within a moment. */
async function expectSoon(ask: () => Promise<unknown>, answer: unknown): Promise<void> {
  await expect.poll(ask, { timeout: 3000, interval: 25 }).toEqual(answer)
}

describe('a client', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const created = await create({
      clientId: 'whole',
      redirectUris: ['https://app.example.com/callback'],
      allowAuthorizationCodeFlow: true,
      allowEndSessionEndpoint: true,
      extensionGrantTypes: ['LinkLogin'],
      scopes: ['Core', 'email'],
      clientUri: 'https://app.example.com',
    })
    expect(created).toMatchObject({
      clientId: 'whole',
      clientType: 'public',
      consentType: 'implicit',
      clientSecret: null,
      redirectUris: ['https://app.example.com/callback'],
      extensionGrantTypes: ['LinkLogin'],
      scopes: ['Core', 'email'],
      allowAuthorizationCodeFlow: true,
      allowHybridFlow: false,
      allowImplicitFlow: false,
      allowEndSessionEndpoint: true,
      clientUri: 'https://app.example.com',
    })
    expect(await clients.get(created.id)).toEqual(created)
    const { totalCount, items } = await clients.getList({ filter: 'WHOL' })
    expect([totalCount, items]).toEqual([1, [created]])
    const changed = await update(created, { displayName: 'Renamed', allowPasswordFlow: false })
    expect(await clients.get(created.id)).toEqual({
      ...created,
      displayName: 'Renamed',
      allowPasswordFlow: false,
      concurrencyStamp: changed.concurrencyStamp,
    })
    expect((await send(administrator, 'DELETE', `${applications}?id=${created.id}`)).status).toBe(204)
    expect((await send(administrator, 'GET', `${applications}/${created.id}`)).status).toBe(404)
  })

  test.each([
    ['code', { allowAuthorizationCodeFlow: true }],
    ['implicit', { allowImplicitFlow: true }],
    ['hybrid and code', { allowHybridFlow: true, allowAuthorizationCodeFlow: true }],
    ['hybrid alone', { allowHybridFlow: true }],
    ['its own name', { allowClientCredentialsFlow: true, clientType: 'confidential', clientSecret: 'x' }],
    ['forced PKCE', { forcePkce: true }],
    ['the device flow', { allowDeviceAuthorizationEndpoint: true }],
    ['nothing at all', { allowPasswordFlow: false, allowRefreshTokenFlow: false, scopes: [] }],
  ] as const)('with %s is told as it was set', async (_case, flags) => {
    const wanted = settings(flags as Settings)
    const { id } = await clients.create(wanted as never)
    const { clientSecret: _secret, ...told } = { ...wanted, ...flags } as Record<string, unknown>
    expect(await clients.get(id)).toMatchObject({ clientSecret: null, ...told })
  })

  test('that was seeded can be written back as it is, whatever else stands in the body', async () => {
    const [seeded] = (await clients.getList({ filter: 'Core_App' })).items
    const { body, status } = await send(administrator, 'PUT', `${applications}/${seeded?.id}`, {
      ...seeded,
      something: 'else',
    })
    expect([status, body]).toEqual([200, seeded])
  })

  test('is listed in order, page by page', async () => {
    for (const clientId of ['page-c', 'page-a', 'page-b']) await create({ clientId })
    const page = await clients.getList({
      filter: 'page-',
      sorting: 'clientId desc',
      skipCount: 1,
      maxResultCount: 1,
    })
    expect([page.totalCount, page.items.map(({ clientId }) => clientId)]).toEqual([3, ['page-b']])
    const unknown = await send(administrator, 'GET', `${applications}?sorting=clientSecret`)
    expect([unknown.status, faultyMembers(unknown)]).toEqual([400, ['sorting']])
  })
})

describe('refused is', () => {
  test.each([
    ['a public client with a secret', { clientSecret: 'x' }, OpenIdErrors.PublicClientWithSecret],
    [
      'a confidential client without one',
      { clientType: 'confidential' },
      OpenIdErrors.ConfidentialClientWithoutSecret,
    ],
    ['an id that is taken', { clientId: 'Core_App' }, OpenIdErrors.ClientIdAlreadyExists],
  ] as const)('%s', async (_case, changed, code) => {
    const { status, body } = await post(settings(changed as Settings))
    expect([status, body.error.code]).toEqual([403, code])
  })

  test.each<[string, object, string]>([
    ['an address without a host', { redirectUris: ['/callback'] }, 'redirectUris[0]'],
    [
      'an address with a fragment',
      { redirectUris: ['https://a.example/', 'https://a.example/#x'] },
      'redirectUris[1]',
    ],
    [
      'a script as an address',
      { postLogoutRedirectUris: ['javascript:alert(1)'] },
      'postLogoutRedirectUris[0]',
    ],
    ['a scheme of its own for a web client', { redirectUris: ['app:/x'] }, 'redirectUris[0]'],
    ['a scope that does not exist', { scopes: ['Core', 'nothing'] }, 'scopes[1]'],
    ['a grant type that does not exist', { extensionGrantTypes: ['Magic'] }, 'extensionGrantTypes[0]'],
    ['token exchange', { allowTokenExchangeFlow: true }, 'allowTokenExchangeFlow'],
    ['pushed authorization', { allowPushedAuthorizationEndpoint: true }, 'allowPushedAuthorizationEndpoint'],
    ['a key set', { jsonWebKeySet: '{"keys":[]}' }, 'jsonWebKeySet'],
    ['an id that is no ASCII', { clientId: 'größe' }, 'clientId'],
    ['a logo that is no page', { logoUri: 'javascript:alert(1)' }, 'logoUri'],
    ['no display name', { displayName: ' ' }, 'displayName'],
  ])('%s', async (_case, changed, member) => {
    const answer = await post(settings(changed as Settings))
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  })

  test('a change of what somebody else changed since', async () => {
    const client = await create()
    await update(client, { displayName: 'First' })
    const late = await send(administrator, 'PUT', `${applications}/${client.id}`, {
      ...client,
      displayName: 'Second',
    })
    expect(late.status).toBe(409)
  })

  test('an operation on nothing', async () => {
    const answers = await Promise.all([
      send(administrator, 'PUT', `${applications}/${nowhere}`, settings()),
      send(administrator, 'DELETE', `${applications}?id=${nowhere}`),
      send(administrator, 'GET', `${scopes}/${nowhere}`),
      send(administrator, 'DELETE', `${scopes}?id=${nowhere}`),
      send(administrator, 'DELETE', applications),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400])
  })
})

describe('the auth server', () => {
  test('serves a new client, and what is taken from it no longer', async () => {
    const client = await create({ redirectUris: ['https://one.example/'] })
    const status = async () => (await signIn(client.clientId)).status
    await expectSoon(status, 200)
    await update(client, { allowPasswordFlow: false })
    await expectSoon(status, 400)
  })

  test('lets people return to the addresses that a client has now', async () => {
    const client = await create({
      allowAuthorizationCodeFlow: true,
      redirectUris: ['https://old.example/'],
    })
    const asks = async (redirect_uri: string) => {
      const { address } = authorizationRequest({ client_id: client.clientId, redirect_uri })
      return (await auth.fetch(address, { redirect: 'manual' })).status
    }
    await expectSoon(() => asks('https://old.example/'), 303)
    await update(client, { redirectUris: ['https://new.example/'] })
    await expectSoon(() => asks('https://new.example/'), 303)
    expect(await asks('https://old.example/')).toBe(400)
  })

  test('takes the secret that a client has now, and none that it had', async () => {
    const client = await create({ clientType: 'confidential', clientSecret: 'first secret' })
    const status = async (client_secret: string) => (await signIn(client.clientId, { client_secret })).status
    await expectSoon(() => status('first secret'), 200)
    const renamed = await update(client, { displayName: 'Same secret' })
    expect(await status('first secret')).toBe(200)
    await update(renamed, { clientSecret: 'second secret' })
    await expectSoon(() => status('second secret'), 200)
    expect(await status('first secret')).toBe(401)
  })

  test('asks a confidential client for PKCE when it is to', async () => {
    const client = await create({
      clientType: 'confidential',
      clientSecret: 'x',
      allowAuthorizationCodeFlow: true,
      redirectUris: ['https://pkce.example/'],
    })
    const withoutPkce = authorizationRequest({
      client_id: client.clientId,
      redirect_uri: 'https://pkce.example/',
      code_challenge: undefined,
      code_challenge_method: undefined,
    })
    const outcome = async () => {
      const { headers } = await auth.fetch(withoutPkce.address, { redirect: 'manual' })
      return /error=\w+/.exec(headers.get('location') ?? '')?.[0]
    }
    await expectSoon(outcome, undefined)
    await update(client, { forcePkce: true })
    await expectSoon(outcome, 'error=invalid_request')
  })

  test('ends everything that a deleted client was given, also for another client of its id', async () => {
    const clientId = newId()
    const { id } = await create({ clientId })
    await expectSoon(async () => (await signIn(clientId)).status, 200)
    const { body: given } = await signIn(clientId)
    await app.host
      .get(PermissionGrants)
      .grant([{ providerName: 'C', providerKey: clientId, permission: 'Shipment.View' }])
    await clients.delete(id)
    const renew = async () => {
      const { status, body } = await auth.post('/connect/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: given.refresh_token,
      })
      return [status, body.error]
    }
    await expectSoon(renew, [401, 'invalid_client'])
    await create({ clientId })
    await expectSoon(renew, [400, 'invalid_grant'])
    const granted = await app.host
      .get(PermissionGrants)
      .grantedTo([{ providerName: 'C', providerKey: clientId }])
    expect(granted).toEqual([])
  })
})

describe('lifetimes of tokens', () => {
  const path = (id: string) => `${applications}/${id}/token-lifetime`
  const none = {
    accessTokenLifetime: null,
    authorizationCodeLifetime: null,
    deviceCodeLifetime: null,
    identityTokenLifetime: null,
    refreshTokenLifetime: null,
    userCodeLifetime: null,
    requestTokenLifetime: null,
    issuedTokenLifetime: null,
  }
  const seconds = (token: string) => {
    const { exp, iat } = claimsOf(token) as { exp: number; iat: number }
    return exp - iat
  }

  test('that a client was given count for all that it gets from then on, and the defaults when they are taken back', async () => {
    const client = await create({ scopes: ['Core', 'email'] })
    expect(await clients.getTokenLifetime(client.id)).toEqual(none)
    await expectSoon(async () => (await signIn(client.clientId)).status, 200)
    const own = { accessTokenLifetime: 120, identityTokenLifetime: 180, refreshTokenLifetime: 90_000 }
    await clients.setTokenLifetime(client.id, own)
    expect(await clients.getTokenLifetime(client.id)).toEqual({ ...none, ...own })
    const told = async () => {
      const { body } = await signIn(client.clientId, { scope: 'openid Core offline_access' })
      const [stored] = await auth.database.query<{ lives: number }>(sql`
        select extract(epoch from "ExpirationDate" - "CreationDate")::int as lives from "OpenIddictTokens"
        where "ApplicationId" = ${client.id} order by "CreationDate" desc limit 1`)
      return [body.expires_in, seconds(body.access_token), seconds(body.id_token as string), stored?.lives]
    }
    await expectSoon(told, [120, 120, 180, 90_000])
    const { body: given } = await signIn(client.clientId)
    const { body: renewed } = await auth.post('/connect/token', {
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: given.refresh_token,
    })
    expect(renewed.expires_in).toBe(120)
    await update(await clients.get(client.id), { displayName: 'Renamed' })
    expect(await clients.getTokenLifetime(client.id)).toEqual({ ...none, ...own })
    await clients.setTokenLifetime(client.id, {})
    await expectSoon(told, [3600, 3600, 1200, 1_209_600])
  })

  test('count for a client’s own tokens, codes and devices', async () => {
    const client = await create({
      clientType: 'confidential',
      clientSecret: 'x',
      allowClientCredentialsFlow: true,
      allowDeviceAuthorizationEndpoint: true,
    })
    await clients.setTokenLifetime(client.id, {
      accessTokenLifetime: 300,
      deviceCodeLifetime: 1800,
      userCodeLifetime: 60,
    })
    const credentials = { client_id: client.clientId, client_secret: 'x' }
    const lives = async (address: string, changed: Record<string, string>) =>
      (await auth.post(address, { ...credentials, ...changed })).body.expires_in
    await expectSoon(() => lives('/connect/token', { grant_type: 'client_credentials', scope: 'Core' }), 300)
    await expectSoon(() => lives('/device', { scope: 'Core' }), 1800)
    const { body } = await auth.post('/device', { ...credentials, scope: 'Core' })
    const begun = body as unknown as { user_code: string; device_code: string }
    const typed = async () => {
      const browser = auth.browser()
      return browser.submit(await browser.open('/connect/verify'), { user_code: begun.user_code })
    }
    expect((await typed()).html).toContain('name="confirm"')
    await auth.database.execute(sql`
      update "OpenIddictTokens" set "Payload" = jsonb_set("Payload"::jsonb, '{iat}', to_jsonb(("Payload"::jsonb ->> 'iat')::int - 61))::text
      where "ApplicationId" = ${client.id} and "Type" = 'device_code'`)
    expect((await typed()).html).toContain('This code has expired')
  })

  test('of a row that somebody else wrote are kept within bounds', async () => {
    const client = await create()
    await auth.database.execute(sql`
      update "OpenIddictApplications" set "Settings" = '{"tkn_lft:act":"100.00:00:00","theirs":"x"}' where "Id" = ${client.id}`)
    expect((await clients.getTokenLifetime(client.id)).accessTokenLifetime).toBe(8_640_000)
    await clients.setTokenLifetime(client.id, { userCodeLifetime: 90 })
    const [row] = await auth.database.query(sql`
      select "Settings"::jsonb as settings from "OpenIddictApplications" where "Id" = ${client.id}`)
    expect(row).toEqual({ settings: { theirs: 'x', 'tkn_lft:usrc': '00:01:30' } })
    await auth.database.execute(sql`
      update "OpenIddictApplications" set "Settings" = '{"tkn_lft:act":"100.00:00:00"}' where "Id" = ${client.id}`)
    await update(await clients.get(client.id), { displayName: 'Heard of' })
    await expectSoon(async () => (await signIn(client.clientId)).body.expires_in, 86_400)
  })

  test.each<[string, object, string]>([
    ['a day too long', { accessTokenLifetime: 172_800 }, 'accessTokenLifetime'],
    ['nothing', { refreshTokenLifetime: 0 }, 'refreshTokenLifetime'],
    ['a part of a second', { identityTokenLifetime: 60.5 }, 'identityTokenLifetime'],
    ['pushed requests', { requestTokenLifetime: 60 }, 'requestTokenLifetime'],
    ['exchanged tokens', { issuedTokenLifetime: 60 }, 'issuedTokenLifetime'],
  ])('of %s are refused', async (_case, body, member) => {
    const { id } = await create()
    const answer = await send(administrator, 'PUT', path(id), body)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  })

  test('are read by who may see clients, set by who may change them and holds what the client does', async () => {
    const { id, clientId } = await create()
    const reader = await app.as({ permissions: [ApplicationPermissions.View] })
    const editor = await app.as({ permissions: [ApplicationPermissions.View, ApplicationPermissions.Edit] })
    const set = async (who: AppCaller) =>
      (await send(who, 'PUT', path(id), { accessTokenLifetime: 600 })).status
    expect([(await send(reader, 'GET', path(id))).status, await set(reader), await set(editor)]).toEqual([
      200, 403, 204,
    ])
    await app.host
      .get(PermissionGrants)
      .grant([{ providerName: 'C', providerKey: clientId, permission: 'Shipment.View' }])
    expect([await set(editor), (await send(reader, 'GET', path(nowhere))).status]).toEqual([403, 404])
  })
})

describe('a scope', () => {
  const scope = { displayName: 'Reports', description: 'Read reports', resources: ['Core'] }

  test('is created, read, listed, changed and deleted', async () => {
    const created = await clientScopes.create({ name: 'reports', ...scope })
    expect(created).toMatchObject({ name: 'reports', ...scope, buildIn: false, extraProperties: {} })
    expect(await clientScopes.get(created.id)).toEqual(created)
    expect((await clientScopes.getList({ filter: 'read rep' })).items).toEqual([created])
    const changed = await clientScopes.update(created.id, { ...created, name: 'reporting' })
    expect([changed.name, (await clientScopes.get(created.id)).name]).toEqual(['reporting', 'reporting'])
    await clientScopes.delete(created.id)
    expect((await send(administrator, 'GET', `${scopes}/${created.id}`)).status).toBe(404)
  })

  test('is among all scopes, beside those of OpenID Connect', async () => {
    const all = (await clientScopes.getAllScopes()).filter(({ name }) => name === 'Core' || name === 'email')
    expect(all.map(({ name, buildIn, resources }) => [name, buildIn, resources])).toEqual([
      ['Core', false, ['Core']],
      ['email', true, []],
    ])
  })

  test('can be asked for by the clients that have it, and is for the API', async () => {
    await clientScopes.create({ name: 'extra', resources: ['Core'] })
    await clientScopes.create({ name: 'plain' })
    const client = await create({ scopes: ['extra', 'plain'] })
    await expectSoon(async () => (await signIn(client.clientId, { scope: 'extra plain' })).status, 200)
    const { body } = await signIn(client.clientId, { scope: 'extra plain' })
    expect(claimsOf(body.access_token)).toMatchObject({ aud: 'Core', scope: 'extra plain' })
    const others = await signIn('Core_App', { scope: 'extra' })
    expect([others.status, others.body.error]).toEqual([400, 'invalid_scope'])
    const discovery = await auth.fetch('/.well-known/openid-configuration')
    expect(((await discovery.json()) as { scopes_supported: string[] }).scopes_supported).toContain('extra')
  })

  test('that clients have, and the API’s own, can not go', async () => {
    const used = await clientScopes.create({ name: 'used' })
    const { clientId } = await create({ scopes: ['used'] })
    const own = (await clientScopes.getList({ filter: 'Core' })).items[0] as ScopeDto
    const answers = await Promise.all([
      send(administrator, 'DELETE', `${scopes}?id=${used.id}`),
      send(administrator, 'PUT', `${scopes}/${used.id}`, { ...used, name: 'other' }),
      send(administrator, 'DELETE', `${scopes}?id=${own.id}`),
      send(administrator, 'PUT', `${scopes}/${own.id}`, { ...own, resources: [] }),
    ])
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.data])).toEqual([
      [403, OpenIdErrors.ScopeIsInUse, { scope: 'used', clients: clientId }],
      [403, OpenIdErrors.ScopeIsInUse, { scope: 'used', clients: clientId }],
      [403, OpenIdErrors.ScopeIsFixed, { scope: 'Core' }],
      [403, OpenIdErrors.ScopeIsFixed, { scope: 'Core' }],
    ])
  })

  test.each<[string, object, number, string]>([
    ['whose name is taken', { name: 'Core' }, 403, OpenIdErrors.ScopeNameAlreadyExists],
    ['whose name is built in', { name: 'email' }, 403, OpenIdErrors.ScopeNameAlreadyExists],
  ])('%s is refused', async (_case, body, status, code) => {
    const answer = await send(administrator, 'POST', scopes, body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test.each<[string, object, string]>([
    ['with a space in its name', { name: 'two words' }, 'name'],
    ['for a resource that does not exist', { name: 'odd', resources: ['Elsewhere'] }, 'resources[0]'],
  ])('%s is refused', async (_case, body, member) => {
    const answer = await send(administrator, 'POST', scopes, body)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  })
})

test('the secret of a client is neither told nor kept where it can be read', async () => {
  const correlationId = newCorrelationId()
  const secret = 'a secret that nobody sees'
  const response = await administrator.fetch(
    applications,
    tracked(correlationId, {
      method: 'POST',
      body: JSON.stringify(settings({ clientType: 'confidential', clientSecret: secret })),
    }),
  )
  const reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
  const log = await logOf(reader, correlationId)
  const values = log.entityChanges[0]?.propertyChanges.filter(
    ({ propertyName }) => propertyName === 'ClientSecret',
  )
  expect([response.status, log.actions[0]?.parameters]).toEqual([
    200,
    expect.stringContaining('"clientSecret":"***"'),
  ])
  expect([log.entityChanges[0]?.entityTypeFullName, values?.map(({ newValue }) => newValue)]).toEqual([
    'Volo.Abp.OpenIddict.Applications.OpenIddictApplication',
    ['"***"'],
  ])
  expect((await response.text()) + JSON.stringify(log)).not.toContain(secret)
})

test('who may read clients may not change them', async () => {
  const reader = await app.as({ permissions: [ApplicationPermissions.View] })
  const [read, written] = await Promise.all([send(reader, 'GET', applications), post(settings(), reader)])
  expect([read.status, written.status, written.body.error.data]).toEqual([
    200,
    403,
    { PolicyName: ApplicationPermissions.Create },
  ])
})
