import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startAuthProcess } from '../support/host-process.js'
import { copyDatabases } from '../support/spare-databases.js'
import { type AuthHost, claimsOf, issuer, password, startAuthHost } from './auth-host.js'
import { Browser } from './browser.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest, redeem, refresh, signIn, tokensFor } from './sign-in.js'

describe('two copies behind a balancer that sends each request to the other one', () => {
  let first: AuthHost
  let second: AuthHost
  /** Both as one server. */
  let both: AuthHost

  beforeAll(async () => {
    first = await startAuthHost()
    second = await startAuthHost({ beside: first })
    let turn = 0
    const next = () => [first, second][turn++ % 2] as AuthHost
    both = {
      ...first,
      fetch: (input, init) => next().fetch(input, init),
      post: (path, fields, headers) => next().post(path, fields, headers),
      browser: () => new Browser(issuer, (input, init) => next().fetch(input, init)),
    }
    await seedClients(first, {
      ClientId: 'scanner',
      GrantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
    })
  })
  afterAll(async () => {
    await second?.close()
    await first?.close()
  })

  test('sign people in, give tokens, refresh them and sign out', async () => {
    const browser = both.browser()
    const tokens = await tokensFor(both, browser, 'operator')
    const again = await refresh(both, tokens.refresh_token)
    expect(claimsOf(again.body.access_token).sub).toBe(claimsOf(tokens.id_token).sub)
    const silent = await browser.open(authorizationRequest({ prompt: 'none' }).address)
    expect(silent.callback?.searchParams.get('code')).toEqual(expect.any(String))
    const leaving = { id_token_hint: tokens.id_token, post_logout_redirect_uri: 'http://localhost:4200' }
    await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
    const gone = await browser.open(authorizationRequest({ prompt: 'none' }).address)
    expect(gone.callback?.searchParams.get('error')).toBe('login_required')
  })

  test('let devices in', async () => {
    const { body: begun } = await both.post('/device', { client_id: 'scanner', scope: 'openid Core' })
    const browser = both.browser()
    const typed = await browser.submit(await browser.open('/connect/verify'), { user_code: begun.user_code })
    const login = await browser.submit(typed, { confirm: 'yes' })
    await browser.submit(login, { userName: 'operator', password })
    const asked = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'scanner',
      device_code: begun.device_code,
    }
    expect((await both.post('/connect/token', asked)).status).toBe(200)
  })

  test('know together how often a device asks', async () => {
    const { body: begun } = await both.post('/device', { client_id: 'scanner', scope: 'openid Core' })
    const asked = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'scanner',
      device_code: begun.device_code,
    }
    expect((await first.post('/connect/token', asked)).body.error).toBe('authorization_pending')
    expect((await second.post('/connect/token', asked)).body.error).toBe('slow_down')
  })

  test('redeem a code and a device’s code once, and know a refresh token that was used at the other one', async () => {
    const request = authorizationRequest()
    const arrival = await signIn(both.browser(), request)
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(both, arrival, request)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const { refresh_token: used } = await tokensFor(both, both.browser(), 'customer')
    const tabs = await Promise.all([refresh(first, used), refresh(second, used)])
    expect(tabs.map(({ status }) => status)).toEqual([200, 200])
  })

  test('refuse at the one what was taken back at the other', async () => {
    const { body } = await first.post('/connect/token', {
      grant_type: 'password',
      client_id: 'Core_App',
      username: 'manager',
      password,
      scope: 'openid Core',
    })
    const ask = async () =>
      (await second.fetch('/connect/userinfo', { headers: { authorization: `Bearer ${body.access_token}` } }))
        .status
    expect(await ask()).toBe(200)
    await first.post('/connect/revocat', { client_id: 'Core_App', token: body.access_token })
    await expect.poll(ask, { timeout: 3000, interval: 20 }).toBe(401)
  })
})

test('what has ended is deleted batch by batch, and what has not stays', async () => {
  const auth = await startAuthHost({ settings: { 'Jobs:PollMs': '100' } })
  onTestFinished(() => auth.close())
  const { database } = auth
  const { refresh_token } = await tokensFor(auth, auth.browser(), 'operator')
  await database.execute(sql`
    insert into "OpenIddictTokens" ("Id", "ExpirationDate", "Status", "Type", "ExtraProperties", "ConcurrencyStamp")
    select gen_random_uuid(), now() at time zone 'utc' - interval '1 minute', 'redeemed', 'ended', '{}', 'x' from generate_series(1, 11000)`)
  await database.execute(sql`
    insert into "AuthSessions" ("Id", "Uid", "Payload", "ExpirationTime") values (gen_random_uuid(), 'ended', '{}', now() - interval '1 minute')`)
  await database.execute(sql`
    insert into "AuthInteractions" ("Id", "Payload", "ExpirationTime") values (gen_random_uuid(), '{"ended":1}', now() - interval '1 minute')`)
  await database.execute(sql`
    insert into "AuthRevokedTokens" ("Jti", "ExpirationTime") values ('ended', now() - interval '1 minute'), ('revoked', now() + interval '1 hour')`)
  await database.execute(sql`
    update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'OpenIdServer.CleanUp.deleteEnded'`)
  const left = async () =>
    (
      await database.query<{ n: number }>(sql`
        select (select count(*) from "OpenIddictTokens" where "Type" = 'ended')::int
          + (select count(*) from "AuthSessions" where "Uid" = 'ended')::int
          + (select count(*) from "AuthInteractions" where "Payload" = '{"ended":1}')::int
          + (select count(*) from "AuthRevokedTokens" where "Jti" = 'ended')::int as n`)
    )[0]?.n
  await expect.poll(left, { timeout: 20_000 }).toBe(0)
  expect(await database.query(sql`select from "AuthRevokedTokens" where "Jti" = 'revoked'`)).toHaveLength(1)
  expect((await refresh(auth, refresh_token)).status).toBe(200)
})

test('a copy that is killed in the middle of a sign-in loses nothing: another goes on, and after a restart it does', async () => {
  const databases = await copyDatabases()
  onTestFinished(() => databases.drop())
  const processes: HostProcess[] = []
  onTestFinished(async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    await Promise.all(processes.map(({ exitCode }) => exitCode))
  })
  let current = ''
  const start = async (): Promise<HostProcess> => {
    const started = startAuthProcess({ ...databases.env, AuthServer__Authority: issuer })
    processes.push(started)
    current = await started.url
    return started
  }
  const kill = async ({ child, exitCode }: HostProcess): Promise<void> => {
    child.kill('SIGKILL')
    await exitCode
  }
  const send: typeof fetch = (input, init) => {
    const { pathname, search } = new URL(String(input), issuer)
    return fetch(current + pathname + search, init)
  }
  const post = async (fields: Record<string, string>) => {
    const answer = await send('/connect/token', { method: 'POST', body: new URLSearchParams(fields) })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const browser = new Browser(issuer, send)
  const request = authorizationRequest()

  const first = await start()
  const page = await browser.open(request.address)
  await kill(first)
  const second = await start()
  const { callback } = await browser.submit(page, { userName: 'operator', password })
  const code = callback?.searchParams.get('code') ?? ''
  await kill(second)
  const third = await start()
  const redeemed = await post({
    grant_type: 'authorization_code',
    client_id: 'Core_App',
    redirect_uri: 'http://localhost:4200',
    code,
    code_verifier: request.verifier,
  })
  expect(redeemed.status).toBe(200)
  await kill(third)
  await start()
  const { refresh_token = '' } = redeemed.body
  const refreshed = await post({ grant_type: 'refresh_token', client_id: 'Core_App', refresh_token })
  expect(refreshed.status).toBe(200)
  const silent = await browser.open(authorizationRequest({ prompt: 'none' }).address)
  expect(silent.callback?.searchParams.get('code')).toEqual(expect.any(String))
})
