import { sql } from '@keel/framework/data'
import { Sessions } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AuthHost, claimsOf, password, startAuthHost } from './auth-host.js'
import { authorizationRequest, refresh, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth.close())

interface SessionRow {
  readonly device: string
  readonly clientId: string
  readonly userName: string
  readonly ipAddresses: string | null
  readonly lastAccessed: Date | null
}

async function sessionOf(accessToken: string): Promise<SessionRow | undefined> {
  const [row] = await auth.database.query<SessionRow>(sql`
    select s."Device" as device, s."ClientId" as "clientId", u."UserName" as "userName", s."IpAddresses" as "ipAddresses",
      s."LastAccessed" as "lastAccessed"
    from "AbpSessions" s join "AbpUsers" u on u."Id" = s."UserId"
    where s."SessionId" = ${claimsOf(accessToken).session_id}`)
  return row
}

const byPassword = (username = 'operator') =>
  auth.post('/connect/token', {
    grant_type: 'password',
    client_id: 'Core_App',
    username,
    password,
    scope: 'openid offline_access Core',
  })

test('signing in by password begins a session that the token names', async () => {
  const { body } = await byPassword()
  expect(await sessionOf(body.access_token)).toEqual({
    device: 'OAuth',
    clientId: 'Core_App',
    userName: 'operator',
    ipAddresses: expect.stringMatching(/127\.0\.0\.1|::1/),
    lastAccessed: null,
  })
})

test('signing in with a browser begins a session', async () => {
  const tokens = await tokensFor(auth, auth.browser(), 'customer')
  expect(await sessionOf(tokens.access_token)).toMatchObject({ device: 'Web', userName: 'customer' })
})

test('a refresh goes on with the session and notes its use', async () => {
  const { body } = await byPassword()
  const again = await refresh(auth, body.refresh_token)
  expect(claimsOf(again.body.access_token).session_id).toBe(claimsOf(body.access_token).session_id)
  await expect.poll(async () => (await sessionOf(body.access_token))?.lastAccessed).toEqual(expect.any(Date))
})

test('a session that was ended can not be refreshed, and another one can', async () => {
  const [one, other] = [await byPassword('manager'), await byPassword('manager')]
  await auth.host.get(Sessions).end(claimsOf(one.body.access_token).session_id)
  const answers = await Promise.all([one, other].map(({ body }) => refresh(auth, body.refresh_token)))
  expect(answers.map(({ status }) => status)).toEqual([400, 200])
  expect(answers[0]?.body.error).toBe('invalid_grant')
})

test('a token of an ended session tells nothing of its user any more', async () => {
  const { body } = await byPassword('pricing')
  const ask = () =>
    auth.fetch('/connect/userinfo', { headers: { authorization: `Bearer ${body.access_token}` } })
  const before = (await ask()).status
  await auth.host.get(Sessions).end(claimsOf(body.access_token).session_id)
  expect([before, (await ask()).status]).toEqual([200, 401])
})

test('a client’s own token belongs to no session', async () => {
  const { body } = await auth.post('/connect/token', {
    grant_type: 'client_credentials',
    client_id: 'tooling',
    client_secret: 'development-only-tooling-secret',
    scope: 'Core',
  })
  expect(claimsOf(body.access_token)).not.toHaveProperty('session_id')
})

test('a session beyond the limit of a user ends the one that was used longest ago', async () => {
  const limited = await startAuthHost({ settings: { 'Settings:Identity.MaxSessionsPerUser': '2' } })
  onTestFinished(() => limited.close())
  const signIn = async () =>
    (
      await limited.post('/connect/token', {
        grant_type: 'password',
        client_id: 'Core_App',
        username: 'operator',
        password,
        scope: 'openid offline_access Core',
      })
    ).body.refresh_token
  const [first, second] = [await signIn(), await signIn()]
  const renewed = (await refresh(limited, first)).body.refresh_token
  await expect
    .poll(async () => {
      const [row] = await limited.database.query<{ used: number }>(
        sql`select count("LastAccessed")::int as used from "AbpSessions"`,
      )
      return row?.used
    })
    .toBe(1)
  await signIn()
  const answers = await Promise.all([renewed, second].map((token) => refresh(limited, token)))
  expect(answers.map(({ status }) => status)).toEqual([200, 400])
})

test('where sessions have a limit, no use of browser or refresh token goes beyond it', async () => {
  const limited = await startAuthHost({ settings: { 'AuthServer:MaxSessionDays': '1' } })
  onTestFinished(() => limited.close())
  const secondsLeft = async (table: 'OpenIddictTokens' | 'AuthSessions') => {
    const [row] = await limited.database.query<{ seconds: number }>(
      table === 'AuthSessions'
        ? sql`select max(extract(epoch from "ExpirationTime" - now()))::int as seconds from "AuthSessions" where "Subject" is not null`
        : sql`select extract(epoch from "ExpirationDate" - now() at time zone 'utc')::int as seconds from "OpenIddictTokens"
            where "Type" = 'refresh_token' order by "CreationDate" desc limit 1`,
    )
    return row?.seconds ?? 0
  }
  const day = 24 * 3600
  const browser = limited.browser()
  const tokens = await tokensFor(limited, browser, 'customer')
  const atFirst = [await secondsLeft('OpenIddictTokens'), await secondsLeft('AuthSessions')]
  for (const seconds of atFirst) expect([seconds > day - 120, seconds <= day]).toEqual([true, true])
  // As if the sign-in had been almost a day ago.
  // The server counts whole seconds that are over.
  const earlier = sql`to_jsonb(floor(extract(epoch from now()))::int - 86340)`
  await limited.database.execute(sql`
    update "OpenIddictTokens" set "Payload" = jsonb_set(jsonb_set("Payload"::jsonb, '{authTime}', ${earlier}), '{iiat}', ${earlier})::text
    where "Type" = 'refresh_token'`)
  await limited.database.execute(sql`
    update "AuthSessions" set "Payload" = jsonb_set("Payload"::jsonb, '{loginTs}', ${earlier})::text where "Subject" is not null`)
  const again = await refresh(limited, tokens.refresh_token)
  expect(again.status).toBe(200)
  await browser.open(authorizationRequest().address)
  const atLast = [await secondsLeft('OpenIddictTokens'), await secondsLeft('AuthSessions')]
  for (const seconds of atLast) expect([seconds > 0, seconds <= 60]).toEqual([true, true])
})
