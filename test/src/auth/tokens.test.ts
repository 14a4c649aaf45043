import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, claimsOf, password, startAuthHost, type TokenAnswer, tooling } from './auth-host.js'
import { authorizationRequest, redeem, refresh, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost({ settings: { 'AuthServer:AllowPublicIntrospection': 'true' } })
})
afterAll(() => auth.close())

function byPassword(
  username: string,
  changed: Record<string, string> = {},
  headers = {},
): Promise<TokenAnswer> {
  const fields = {
    grant_type: 'password',
    client_id: 'Core_App',
    username,
    password,
    scope: 'Core',
    ...changed,
  }
  return auth.post('/connect/token', fields, headers)
}

function introspect(
  token: string,
  client: Record<string, string> = { client_id: 'Core_App' },
): Promise<TokenAnswer> {
  return auth.post('/connect/introspect', { token, ...client })
}

describe('the password grant', () => {
  test('gives a token for the API and nothing that was not asked for', async () => {
    const { status, body } = await byPassword('admin')
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ['access_token', 'expires_in', 'scope', 'token_type'],
    ])
    expect(claimsOf(body.access_token)).toMatchObject({
      aud: 'Core',
      client_id: 'Core_App',
      preferred_username: 'admin',
    })
  })

  test('gives a refresh token and an identity token on request, also for an e-mail address', async () => {
    const { body } = await byPassword('Operator@KEEL.local', {
      scope: 'openid offline_access profile roles Core',
    })
    expect(claimsOf(body.id_token)).toMatchObject({
      aud: 'Core_App',
      preferred_username: 'operator',
      role: 'Operator',
    })
    const again = await refresh(auth, body.refresh_token)
    expect(claimsOf(again.body.access_token)).toMatchObject({ aud: 'Core', role: 'Operator' })
  })

  test('asks who has to change their password for a new one, as ABP’s does', async () => {
    await auth.database.execute(
      sql`update "AbpUsers" set "ShouldChangePasswordOnNextLogin" = true where "UserName" = 'pricing'`,
    )
    const { status, body } = await byPassword('pricing')
    expect([status, body]).toEqual([
      400,
      {
        error: 'invalid_grant',
        error_description: 'ShouldChangePasswordOnNextLogin',
        userId: expect.stringMatching(/^[0-9a-f]{32}$/),
        changePasswordToken: expect.any(String),
      },
    ])
    const renewal = { ChangePasswordToken: body.changePasswordToken, NewPassword: 'Another-1q2w3E*' }
    const refused = await Promise.all([
      byPassword('pricing', { ...renewal, ChangePasswordToken: 'forged' }),
      byPassword('pricing', { ...renewal, NewPassword: 'weak' }),
      byPassword('pricing', { ...renewal, NewPassword: password }),
    ])
    expect(refused.map((answer) => [answer.status, answer.body.error])).toEqual(
      refused.map(() => [400, 'invalid_grant']),
    )
    expect(new Set(refused.map((answer) => answer.body.error_description)).size).toBe(3)
    expect((await byPassword('pricing', renewal)).status).toBe(200)
    expect((await byPassword('pricing')).status).toBe(400)
    expect((await byPassword('pricing', { password: renewal.NewPassword })).status).toBe(200)
  })

  test('says in access tokens that somebody wants to be remembered', async () => {
    const [remembered, not] = await Promise.all([
      byPassword('operator', { RememberMe: 'true' }),
      byPassword('operator'),
    ])
    expect([remembered, not].map(({ body }) => claimsOf(body.access_token).remember_me)).toEqual([
      'True',
      undefined,
    ])
    const browser = auth.browser()
    const request = authorizationRequest()
    const page = await browser.open(request.address)
    const arrival = await browser.submit(page, { userName: 'operator', password, rememberMe: 'true' })
    const { body } = await redeem(auth, arrival, request)
    const again = await refresh(auth, body.refresh_token)
    expect(claimsOf(again.body.access_token).remember_me).toBe('True')
    const others = await tokensFor(auth, auth.browser(), 'operator')
    expect(claimsOf(others.access_token)).not.toHaveProperty('remember_me')
  })

  test('says in access tokens what was written down of the user and of their roles, at the next refresh too', async () => {
    await auth.database.execute(sql`
      insert into "AbpUserClaims" ("Id", "UserId", "ClaimType", "ClaimValue")
      select gen_random_uuid(), "Id", type, value from "AbpUsers", (values ('department', 'Sea'), ('sub', 'forged')) as given(type, value)
      where "UserName" = 'operator'`)
    const { body } = await byPassword('operator', { scope: 'openid offline_access profile Core' })
    expect(claimsOf(body.access_token)).toMatchObject({ department: 'Sea', sub: claimsOf(body.id_token).sub })
    expect(claimsOf(body.id_token)).not.toHaveProperty('department')
    await auth.database.execute(sql`
      insert into "AbpRoleClaims" ("Id", "RoleId", "ClaimType", "ClaimValue")
      select gen_random_uuid(), "Id", 'department', 'Air' from "AbpRoles" where "Name" = 'Operator'`)
    const again = await refresh(auth, body.refresh_token)
    expect(claimsOf(again.body.access_token).department).toEqual(['Air', 'Sea'])
  })

  test('says the same to a wrong password, an unknown user and somebody inactive', async () => {
    await auth.database.execute(
      sql`update "AbpUsers" set "IsActive" = false where "UserName" = 'pricingmanager'`,
    )
    const answers = await Promise.all([
      byPassword('admin', { password: 'x' }),
      byPassword('nobody'),
      byPassword('pricingmanager'),
    ])
    const refused = [400, { error: 'invalid_grant', error_description: 'Invalid username or password!' }]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([refused, refused, refused])
  })

  test.each([
    ['a scope that does not exist', { scope: 'Core nothing' }, [400, 'invalid_scope']],
    ['a client without the grant', { client_id: 'admin' }, [400, 'invalid_request']],
    ['a client that does not exist', { client_id: 'ghost' }, [401, 'invalid_client']],
  ])('is refused to %s', async (_case, changed, expected) => {
    const { status, body } = await byPassword('admin', changed)
    expect([status, body.error]).toEqual(expected)
  })

  test('does not mind the bearer token that ABP’s UI adds to every call', async () => {
    expect((await byPassword('admin', {}, { authorization: 'Bearer something' })).status).toBe(200)
  })

  test('is refused to pages of other origins', async () => {
    const { status, headers } = await byPassword('admin', {}, { origin: 'http://example.com' })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, null])
  })
})

describe('lock-out', () => {
  test('guesses at the same time lock for 15 minutes, also against the right password', async () => {
    await Promise.all(Array.from({ length: 12 }, () => byPassword('customeradmin', { password: 'x' })))
    const [row] = await auth.database.query<{ minutes: number }>(sql`
      select round(extract(epoch from "LockoutEnd" - now()) / 60)::int as minutes from "AbpUsers" where "UserName" = 'customeradmin'`)
    expect([row?.minutes, (await byPassword('customeradmin')).status]).toEqual([15, 400])
  })

  test('four failures by name and by e-mail address and then the right password start a new count', async () => {
    for (const name of ['customer', 'customer@keel.local', 'customer', 'customer'])
      await byPassword(name, { password: 'x' })
    expect((await byPassword('customer')).status).toBe(200)
    await byPassword('customer', { password: 'x' })
    expect((await byPassword('customer')).status).toBe(200)
  })

  test('a hash of an older kind works and is replaced', async () => {
    const salt = randomBytes(16)
    const header = Buffer.from('01000000010000271000000010', 'hex')
    const old = Buffer.concat([header, salt, pbkdf2Sync(password, salt, 10_000, 32, 'sha256')]).toString(
      'base64',
    )
    await auth.database.execute(
      sql`update "AbpUsers" set "PasswordHash" = ${old} where "UserName" = 'superuser'`,
    )
    expect((await byPassword('superuser')).status).toBe(200)
    const [row] = await auth.database.query<{ hash: string }>(
      sql`select "PasswordHash" as hash from "AbpUsers" where "UserName" = 'superuser'`,
    )
    expect(row?.hash).toMatch(/^AQAAAAIAAzRQ/)
  })
})

describe('the client_credentials grant', () => {
  const asked = { grant_type: 'client_credentials', scope: 'Core' }

  test('gives a confidential client a token in its own name, with its secret in the form or the header', async () => {
    const basic = Buffer.from(`${tooling.client_id}:${tooling.client_secret}`).toString('base64')
    const answers = await Promise.all([
      auth.post('/connect/token', { ...asked, ...tooling }),
      auth.post('/connect/token', asked, { authorization: `Basic ${basic}` }),
    ])
    for (const { body } of answers)
      expect(claimsOf(body.access_token)).toMatchObject({ aud: 'Core', sub: 'tooling', client_id: 'tooling' })
  })

  test.each([
    ['the wrong secret', { ...tooling, client_secret: 'x' }, 401],
    ['no secret', { client_id: 'tooling' }, 401],
    ['a public client, whatever its permissions say', { client_id: 'Core_App' }, 400],
    ['an unknown scope', { ...tooling, scope: 'nothing' }, 400],
  ])('is refused to %s', async (_case, changed, status) => {
    expect((await auth.post('/connect/token', { ...asked, ...changed })).status).toBe(status)
  })
})

describe('refreshing', () => {
  test('gives a new refresh token each time, and several tabs at once all get one', async () => {
    const { refresh_token } = await tokensFor(auth, auth.browser())
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(auth, refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set([refresh_token, ...answers.map(({ body }) => body.refresh_token)]).size).toBe(7)
  })

  test('a used token that comes again after half a minute is refused and ends all of the client’s tokens', async () => {
    const { refresh_token: stolen } = await tokensFor(auth, auth.browser())
    const { body: next } = await refresh(auth, stolen)
    await auth.database.execute(
      sql`update "OpenIddictTokens" set "RedemptionDate" = "RedemptionDate" - interval '31 seconds'`,
    )
    const answers = [await refresh(auth, stolen), await refresh(auth, next.refresh_token)]
    expect(answers.map(({ body }) => body.error)).toEqual(['invalid_grant', 'invalid_grant'])
    expect((await introspect(next.access_token)).body).toEqual({ active: false })
  })

  test('is refused to another client, for more scopes, and to somebody who became inactive', async () => {
    const { refresh_token } = await tokensFor(auth, auth.browser(), 'manager')
    expect((await refresh(auth, refresh_token, { client_id: 'admin' })).body.error).toBe('invalid_grant')
    expect((await refresh(auth, refresh_token, { scope: 'Core profile' })).body.error).toBe('invalid_scope')
    await auth.database.execute(sql`update "AbpUsers" set "IsActive" = false where "UserName" = 'manager'`)
    expect((await refresh(auth, refresh_token)).body.error).toBe('invalid_grant')
  })
})

describe('userinfo, introspection and revocation of access tokens, which are JWTs', () => {
  const userinfo = (token: string) =>
    auth.fetch('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } })

  test('userinfo says what the scopes allow', async () => {
    const { access_token } = await tokensFor(auth, auth.browser(), 'operator', 'openid profile roles Core')
    expect(await (await userinfo(access_token)).json()).toEqual({
      sub: claimsOf(access_token).sub,
      preferred_username: 'operator',
      unique_name: 'operator',
      given_name: 'Olga',
      family_name: 'Operator',
      role: 'Operator',
    })
  })

  test('a forged token and an identity token are no access tokens', async () => {
    const { access_token, id_token } = await tokensFor(auth, auth.browser(), 'operator')
    const forged = `${access_token.slice(0, -6)}AAAAAA`
    expect([(await userinfo(forged)).status, (await userinfo(id_token)).status]).toEqual([401, 401])
  })

  test('only the client a token was given to may look into it', async () => {
    const { access_token } = await tokensFor(auth, auth.browser(), 'operator')
    expect((await introspect(access_token)).body).toMatchObject({
      active: true,
      aud: 'Core',
      client_id: 'Core_App',
    })
    expect((await introspect(access_token, tooling)).body).toEqual({ active: false })
  })

  test('revoking an access token as ABP’s UI does answers JSON, ends that token and leaves the refresh token', async () => {
    const tokens = await tokensFor(auth, auth.browser(), 'operator')
    const fields = { client_id: 'Core_App', token: tokens.access_token, token_type_hint: 'access_token' }
    const headers = { authorization: `Bearer ${tokens.access_token}`, origin: 'http://localhost:4200' }
    const { status, body } = await auth.post('/connect/revocat', fields, headers)
    expect([status, body]).toEqual([200, {}])
    expect((await introspect(tokens.access_token)).body).toEqual({ active: false })
    expect((await userinfo(tokens.access_token)).status).toBe(401)
    expect((await refresh(auth, tokens.refresh_token)).status).toBe(200)
  })

  test('revoking a refresh token ends its access tokens too; another client can not', async () => {
    const tokens = await tokensFor(auth, auth.browser(), 'operator')
    await auth.post('/connect/revocat', { token: tokens.refresh_token, client_id: 'admin' })
    expect((await introspect(tokens.refresh_token)).body.active).toBe(true)
    await auth.post('/connect/revocation', { token: tokens.refresh_token, client_id: 'Core_App' })
    expect((await introspect(tokens.access_token)).body).toEqual({ active: false })
  })

  test('no token stands in the database', async () => {
    const { refresh_token } = await tokensFor(auth, auth.browser(), 'operator')
    const rows = await auth.database.query(
      sql`select from "OpenIddictTokens" t where t::text like ${`%${refresh_token}%`} or "Payload" like '%"jti"%'`,
    )
    expect(rows).toEqual([])
  })
})
