import { sql } from '@keel/framework/data'
import { Sessions } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AuthHost, claimsOf, password, startAuthHost, type TokenAnswer } from './auth-host.js'
import { refresh } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth.close())

const scope = 'openid offline_access Core'

async function tokensOf(username: string, client_id = 'Core_App') {
  const { body } = await auth.post('/connect/token', {
    grant_type: 'password',
    client_id,
    username,
    password,
    scope,
  })
  return body
}

function impersonate(accessToken: string, fields: Record<string, string>): Promise<TokenAnswer> {
  return auth.post('/connect/token', {
    grant_type: 'Impersonation',
    client_id: 'Core_App',
    scope,
    access_token: accessToken,
    ...fields,
  })
}

const goBack = (accessToken: string) => impersonate(accessToken, {})

async function idOf(userName: string): Promise<string> {
  const [row] = await auth.database.query<{ id: string }>(
    sql`select "Id" as id from "AbpUsers" where "UserName" = ${userName}`,
  )
  return row?.id ?? ''
}

/** What the security log says of these actions, with whose log it is in. */
async function logged(action: string) {
  return auth.database.query<{ userName: string; extra: string; identity: string; clientId: string }>(sql`
    select "UserName" as "userName", "ExtraProperties" as extra, "Identity" as identity, "ClientId" as "clientId"
    from "AbpSecurityLogs" where "Action" = ${action} order by "CreationTime", "Id"`)
}

test('an administrator acts as a user, names both in every token, also after a refresh, and goes back', async () => {
  const [adminId, operatorId] = [await idOf('admin'), await idOf('operator')]
  const own = await tokensOf('admin')
  const acting = await impersonate(own.access_token, { UserId: operatorId })
  expect(acting.status).toBe(200)
  const expected = {
    sub: operatorId,
    aud: 'Core',
    preferred_username: 'operator',
    role: 'Operator',
    impersonator_userid: adminId,
    impersonator_username: 'admin',
  }
  expect(claimsOf(acting.body.access_token)).toMatchObject(expected)
  const again = await refresh(auth, acting.body.refresh_token)
  expect(claimsOf(again.body.access_token)).toMatchObject(expected)
  const back = await goBack(again.body.access_token)
  const claims = claimsOf(back.body.access_token)
  expect([claims.sub, claims.preferred_username]).toEqual([adminId, 'admin'])
  expect(claims).not.toHaveProperty('impersonator_userid')
  expect((await refresh(auth, again.body.refresh_token)).body.error).toBe('invalid_grant')
  expect(await logged('ImpersonateUser')).toEqual([
    {
      userName: 'admin',
      identity: 'OpenIddict',
      clientId: 'Core_App',
      extra: JSON.stringify({ ImpersonatedUserId: operatorId, ImpersonatedUserName: 'operator' }),
    },
    {
      userName: 'operator',
      identity: 'OpenIddict',
      clientId: 'Core_App',
      extra: JSON.stringify({ ImpersonatorUserId: adminId, ImpersonatorUserName: 'admin' }),
    },
  ])
  expect((await logged('BackToImpersonator')).map(({ userName }) => userName)).toEqual(['admin', 'operator'])
})

test('somebody without the permission acts as nobody', async () => {
  const { access_token } = await tokensOf('superuser')
  const answer = await impersonate(access_token, { UserId: await idOf('customer') })
  expect([answer.status, answer.body]).toEqual([
    400,
    {
      error: 'access_denied',
      error_description: 'The permission AbpIdentity.Users.Impersonation is required.',
      grant_type: 'Impersonation',
    },
  ])
})

test('who acts as somebody does not act as a third', async () => {
  const own = await tokensOf('admin')
  const acting = await impersonate(own.access_token, { UserId: await idOf('superuser') })
  const nested = await impersonate(acting.body.access_token, { UserId: await idOf('customer') })
  expect(nested.body).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('Nested'),
  })
})

test('who acts as somebody does not go on as an account that is linked with theirs', async () => {
  const own = await tokensOf('admin')
  const acting = await impersonate(own.access_token, { UserId: await idOf('manager') })
  await link('manager', 'pricing')
  const answer = await linkLogin(acting.body.access_token, await idOf('pricing'))
  expect(answer.body.error).toBe('access_denied')
})

test.each([
  ['a user that does not exist', async () => ({ UserId: '00000000-0000-0000-0000-000000000000' })],
  ['no id', async () => ({ UserId: "' or 1=1" })],
  ['oneself', async () => ({ UserId: await idOf('admin') })],
  ['a tenant', async () => ({ TenantId: '00000000-0000-0000-0000-000000000001', TenantUserName: 'admin' })],
  [
    'a delegation that does not exist',
    async () => ({ UserDelegationId: '00000000-0000-0000-0000-000000000001' }),
  ],
  ['nobody, when nobody acts', async () => ({})],
])('acting as %s is refused', async (_case, fields) => {
  const { access_token } = await tokensOf('admin')
  const { status, body } = await impersonate(access_token, await fields())
  expect([status, body.error, body.grant_type]).toEqual([400, 'invalid_request', 'Impersonation'])
})

/** A delegation in the table; times as seconds from now. */
async function delegate(source: string, target: string, from: number, until: number): Promise<string> {
  const [row] = await auth.database.query<{ id: string }>(sql`
    insert into "AbpUserDelegations" ("Id", "SourceUserId", "TargetUserId", "StartTime", "EndTime")
    values (gen_random_uuid(), ${await idOf(source)}, ${await idOf(target)},
      now() at time zone 'utc' + make_interval(secs => ${from}), now() at time zone 'utc' + make_interval(secs => ${until}))
    returning "Id" as id`)
  return row?.id ?? ''
}

test('somebody acts for who delegated to them, without any permission, and goes back', async () => {
  const own = await tokensOf('operator')
  const id = await delegate('pricingmanager', 'operator', -60, 300)
  const acting = await impersonate(own.access_token, { UserDelegationId: id })
  const claims = claimsOf(acting.body.access_token)
  expect(claims).toMatchObject({
    preferred_username: 'pricingmanager',
    impersonator_username: 'operator',
  })
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(300)
  const back = await goBack(acting.body.access_token)
  expect(claimsOf(back.body.access_token).preferred_username).toBe('operator')
  expect((await logged('DelegatedImpersonate')).map(({ userName }) => userName)).toEqual([
    'operator',
    'pricingmanager',
  ])
})

test('acting for somebody ends with the delegation', async () => {
  const own = await tokensOf('operator')
  const id = await delegate('pricing', 'operator', -60, 300)
  const acting = await impersonate(own.access_token, { UserDelegationId: id })
  const first = await refresh(auth, acting.body.refresh_token)
  expect(first.status).toBe(200)
  await auth.database.execute(sql`
    update "OpenIddictAuthorizations" set "Properties" = regexp_replace("Properties", '"until":\\d+', '"until":1')
    where "Id" = ${claimsOf(first.body.access_token).oi_au_id}`)
  expect((await refresh(auth, first.body.refresh_token)).body.error).toBe('invalid_grant')
})

test.each([
  ['that has ended', () => delegate('manager', 'operator', -120, -60)],
  ['that has not begun', () => delegate('manager', 'operator', 60, 120)],
  ['to somebody else', () => delegate('manager', 'customer', -60, 60)],
  ['of one’s own', () => delegate('operator', 'manager', -60, 60)],
  ['that is no id', async () => "' or 1=1"],
])('nobody acts by a delegation %s', async (_case, made) => {
  const { access_token } = await tokensOf('operator')
  const { status, body } = await impersonate(access_token, { UserDelegationId: await made() })
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})

test('nobody acts as somebody inactive or locked out', async () => {
  const { access_token } = await tokensOf('admin')
  const userId = await idOf('customeradmin')
  await auth.database.execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${userId}`)
  const inactive = await impersonate(access_token, { UserId: userId })
  await auth.database.execute(
    sql`update "AbpUsers" set "IsActive" = true, "LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour' where "Id" = ${userId}`,
  )
  const locked = await impersonate(access_token, { UserId: userId })
  expect([inactive.body.error, locked.body.error]).toEqual(['invalid_request', 'invalid_request'])
})

test('acting ends with the session that the administrator came from', async () => {
  const own = await tokensOf('admin')
  const acting = await impersonate(own.access_token, { UserId: await idOf('pricing') })
  await auth.host.get(Sessions).end(claimsOf(own.access_token).session_id)
  const answers = [
    await refresh(auth, acting.body.refresh_token),
    await goBack(acting.body.access_token),
    await impersonate(own.access_token, { UserId: await idOf('pricing') }),
  ]
  expect(answers.map(({ body }) => body.error)).toEqual([
    'invalid_grant',
    'invalid_access_token',
    'invalid_access_token',
  ])
})

test.each([
  ['no token', ''],
  ['a made-up token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
  ['the text that ABP’s client sends of nobody', 'null'],
])('acting with %s is refused', async (_case, token) => {
  const { status, body } = await impersonate(token, { UserId: await idOf('customer') })
  expect([status, body.error]).toEqual([400, 'invalid_access_token'])
})

test('a token of another client is worth nothing here', async () => {
  const { body } = await auth.post('/connect/token', {
    grant_type: 'client_credentials',
    client_id: 'tooling',
    client_secret: 'development-only-tooling-secret',
    scope: 'Core',
  })
  expect((await impersonate(body.access_token, { UserId: await idOf('customer') })).body.error).toBe(
    'invalid_access_token',
  )
})

test('a client without the grant type is refused', async () => {
  const { access_token } = await tokensOf('admin')
  const answer = await auth.post('/connect/token', {
    grant_type: 'Impersonation',
    client_id: 'admin',
    access_token,
    UserId: await idOf('customer'),
  })
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
})

async function link(one: string, other: string): Promise<void> {
  await auth.database.execute(sql`
    insert into "AbpLinkUsers" ("Id", "SourceUserId", "TargetUserId") values (gen_random_uuid(), ${await idOf(one)}, ${await idOf(other)})
    on conflict do nothing`)
}

function linkLogin(accessToken: string, userId: string, more: Record<string, string> = {}) {
  return auth.post('/connect/token', {
    grant_type: 'LinkLogin',
    client_id: 'Core_App',
    scope,
    access_token: accessToken,
    LinkUserId: userId,
    ...more,
  })
}

test('somebody goes on as an account that is linked with theirs, also over another one', async () => {
  await link('operator', 'superuser')
  await link('pricingmanager', 'superuser')
  const own = await tokensOf('operator')
  const answer = await linkLogin(own.access_token, await idOf('pricingmanager'))
  expect(claimsOf(answer.body.access_token)).toMatchObject({
    preferred_username: 'pricingmanager',
    role: 'PricingManager',
  })
  expect((await refresh(auth, answer.body.refresh_token)).status).toBe(200)
  expect((await refresh(auth, own.refresh_token)).status).toBe(200)
})

test.each([
  ['an account that is not linked', async () => [await idOf('customer'), {}] as const],
  [
    'an account of a tenant',
    async () => [await idOf('superuser'), { LinkTenantId: await idOf('admin') }] as const,
  ],
  ['no account', async () => ['x', {}] as const],
])('nobody goes on as %s', async (_case, target) => {
  await link('operator', 'superuser')
  const own = await tokensOf('operator')
  const [userId, more] = await target()
  const { status, body } = await linkLogin(own.access_token, userId, more)
  expect([status, body.error]).toEqual([400, 'invalid_link_user_id'])
})

test('going on as a linked account takes a token that is valid', async () => {
  const { status, body } = await linkLogin('null', await idOf('superuser'))
  expect([status, body.error]).toEqual([400, 'invalid_access_token'])
})

/** Grants permissions to a user for one test. */
async function granting(userId: string, names: readonly string[], work: () => Promise<void>): Promise<void> {
  for (const name of names) {
    await auth.database.execute(sql`
      insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey")
      values (gen_random_uuid(), ${name}, 'U', ${userId})`)
  }
  await work().finally(() =>
    auth.database.execute(
      sql`delete from "AbpPermissionGrants" where "ProviderName" = 'U' and "ProviderKey" = ${userId}`,
    ),
  )
}

test('nobody acts as a user who holds more, and the refusal does not say what', async () => {
  const [adminId, operatorId] = [await idOf('admin'), await idOf('operator')]
  await granting(operatorId, ['AbpIdentity.Users.Impersonation', 'InternalAdmin'], async () => {
    const { access_token } = await tokensOf('operator')
    const refused = await impersonate(access_token, { UserId: adminId })
    expect([refused.status, refused.body.error, refused.body.error_description]).toEqual([
      400,
      'access_denied',
      'You can only act as somebody who holds no more rights than you do.',
    ])
    expect((await impersonate(access_token, { UserId: await idOf('customer') })).status).toBe(200)
  })
})

test('nobody acts as another user without seeing the data of all organizations, as the auth server does not know whose they see', async () => {
  const operatorId = await idOf('operator')
  await granting(operatorId, ['AbpIdentity.Users.Impersonation'], async () => {
    const { access_token } = await tokensOf('operator')
    const refused = await impersonate(access_token, { UserId: await idOf('customer') })
    expect([refused.status, refused.body.error, refused.body.error_description]).toEqual([
      400,
      'access_denied',
      'Only administrators, who see the data of all users, act as another user.',
    ])
  })
})

test('acting ends with the right to it: when the user holds more than the impersonator, and when the permission is taken', async () => {
  const [operatorId, customerId] = [await idOf('operator'), await idOf('customer')]
  let last: TokenAnswer | undefined
  await granting(operatorId, ['AbpIdentity.Users.Impersonation', 'InternalAdmin'], async () => {
    const own = await tokensOf('operator')
    const acting = await impersonate(own.access_token, { UserId: customerId })
    await granting(customerId, ['AbpIdentity.Users.Delete'], async () => {
      expect((await refresh(auth, acting.body.refresh_token)).body.error).toBe('invalid_grant')
    })
    last = await refresh(auth, acting.body.refresh_token)
    expect(last.status).toBe(200)
  })
  expect((await refresh(auth, last?.body.refresh_token)).body.error).toBe('invalid_grant')
})

test('tokens that were had with others tell when the person signed in, and lead beyond the limit of sessions as little', async () => {
  const limited = await startAuthHost({ settings: { 'AuthServer:MaxSessionDays': '1' } })
  onTestFinished(() => limited.close())
  const ask = (fields: Record<string, string>) =>
    limited.post('/connect/token', { client_id: 'Core_App', scope, ...fields })
  const [adminId = '', operatorId = ''] = await Promise.all(
    ['admin', 'operator'].map(async (name) => {
      const [row] = await limited.database.query<{ id: string }>(
        sql`select "Id" as id from "AbpUsers" where "UserName" = ${name}`,
      )
      return row?.id
    }),
  )
  await limited.database.execute(sql`
    insert into "AbpLinkUsers" ("Id", "SourceUserId", "TargetUserId") values (gen_random_uuid(), ${adminId}, ${operatorId})`)
  /** As if everybody had signed in so many seconds ago. */
  const signInsWere = (seconds: number) =>
    limited.database.execute(sql`
      update "OpenIddictAuthorizations" set "Properties" = jsonb_set("Properties"::jsonb, '{authTime}',
        to_jsonb(floor(extract(epoch from now()))::int - ${seconds}::int))::text where "Status" = 'valid'`)
  const own = await ask({ grant_type: 'password', username: 'admin', password })
  const anHour = 3600
  await signInsWere(anHour)
  const impersonation = { grant_type: 'Impersonation' }
  const acting = await ask({
    ...impersonation,
    access_token: own.body.access_token,
    UserId: operatorId,
  })
  const back = await ask({ ...impersonation, access_token: acting.body.access_token })
  const linked = await ask({
    grant_type: 'LinkLogin',
    access_token: own.body.access_token,
    LinkUserId: operatorId,
  })
  expect([acting, back, linked].map(({ status }) => status)).toEqual([200, 200, 200])
  const refreshTokens = await limited.database.query<{ ago: number; left: number }>(sql`
    select extract(epoch from now())::int - ("Payload"::jsonb->>'authTime')::int as ago,
      extract(epoch from "ExpirationDate" - now() at time zone 'utc')::int as left
    from "OpenIddictTokens" where "Type" = 'refresh_token' order by "CreationDate" offset 1`)
  expect(refreshTokens).toHaveLength(3)
  for (const { ago, left } of refreshTokens)
    expect([Math.floor(ago / 60), Math.ceil(left / 60)]).toEqual([60, 23 * 60])
  await signInsWere(24 * 3600)
  const others: readonly Record<string, string>[] = [
    { ...impersonation, UserId: operatorId },
    { grant_type: 'LinkLogin', LinkUserId: operatorId },
  ]
  for (const fields of others) {
    const late = await ask({ ...fields, access_token: back.body.access_token })
    expect([late.status, late.body.error]).toEqual([400, 'invalid_access_token'])
  }
})
