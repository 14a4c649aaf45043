import { sql } from '@keel/framework/data'
import * as oidc from 'openid-client'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, startAuthHost } from './auth-host.js'
import { authorizationRequest, redeem, refresh, signIn, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost({ settings: { 'AuthServer:AllowPublicIntrospection': 'true' } })
})
afterAll(() => auth.close())

describe('discovery', () => {
  test('every endpoint starts with the issuer, which ends with a slash, whatever the request’s Host says', async () => {
    const document = (await (await auth.fetch('/.well-known/openid-configuration')).json()) as Record<
      string,
      unknown
    >
    const endpoints = Object.fromEntries(
      Object.entries(document).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri'),
    )
    expect(document.issuer).toBe(issuer)
    expect(endpoints).toEqual({
      authorization_endpoint: `${issuer}connect/authorize`,
      token_endpoint: `${issuer}connect/token`,
      userinfo_endpoint: `${issuer}connect/userinfo`,
      end_session_endpoint: `${issuer}connect/endsession`,
      introspection_endpoint: `${issuer}connect/introspect`,
      revocation_endpoint: `${issuer}connect/revocat`,
      device_authorization_endpoint: `${issuer}device`,
      jwks_uri: `${issuer}.well-known/jwks`,
    })
  })

  test('the published keys are public', async () => {
    const { keys } = (await (await auth.fetch('/.well-known/jwks')).json()) as { keys: object[] }
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']])
  })

  test('a page of a redirect address may call it, also with headers of its own', async () => {
    const headers = {
      origin: 'http://localhost:4200',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-requested-with',
    }
    const response = await auth.fetch('/connect/token', { method: 'OPTIONS', headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'http://localhost:4200',
    ])
  })
})

describe('code and PKCE', () => {
  test('a code counts once, also for a request that waits for one which began after it, and what was given then ends', async () => {
    const browser = auth.browser()
    const { refresh_token: earlier } = await tokensFor(auth, browser, 'operator')
    const request = authorizationRequest({ prompt: 'none' })
    const arrival = await browser.open(request.address)
    const other = new pg.Client({ connectionString: auth.host.databaseUrl('Default') })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin')
    const { rows } = await other.query<{ id: string; pid: number }>(`
      select "Id" as id, pg_backend_pid() as pid from "OpenIddictTokens" where "Type" = 'authorization_code'
      order by "CreationDate" desc limit 1 for update`)
    const { id, pid } = rows[0] ?? {}
    const redeemed = redeem(auth, arrival, request)
    const waiting = () =>
      auth.database.query(sql`select from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`)
    await expect.poll(async () => (await waiting()).length, { timeout: 10_000 }).toBe(1)
    await other.query(
      `update "OpenIddictTokens" set "RedemptionDate" = clock_timestamp() at time zone 'utc', "Status" = 'redeemed' where "Id" = $1`,
      [id],
    )
    await other.query('commit')
    expect((await redeemed).body.error).toBe('invalid_grant')
    expect((await refresh(auth, earlier)).body.error).toBe('invalid_grant')
  })

  test('signing in gives a code and the state unchanged, and the code gives tokens for the API', async () => {
    const request = authorizationRequest()
    const { callback } = await signIn(auth.browser(), request)
    expect(callback?.searchParams.get('state')).toBe('nonce;%2Fshipments')
    const { status, body } = await redeem(auth, { callback } as never, request)
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: expect.any(String) })
    expect(claimsOf(body.access_token)).toMatchObject({
      iss: issuer,
      aud: 'Core',
      client_id: 'Core_App',
      scope: expect.stringMatching(/\bCore\b/),
      preferred_username: 'admin',
      email: 'admin@keel.local',
      email_verified: 'True',
      role: 'admin',
    })
    expect(claimsOf(body.id_token)).toMatchObject({ iss: issuer, aud: 'Core_App', nonce: 'nonce' })
  })

  test('openid-client gets through discovery, code, refresh, userinfo, introspection and revocation', async () => {
    const options = {
      execute: [oidc.allowInsecureRequests],
      [oidc.customFetch]: auth.fetch as oidc.CustomFetch,
    }
    const client = await oidc.discovery(new URL(issuer), 'Core_App', undefined, oidc.None(), options)
    const verifier = oidc.randomPKCECodeVerifier()
    const address = oidc.buildAuthorizationUrl(client, {
      redirect_uri: 'http://localhost:4200/',
      scope: 'openid offline_access profile Core',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce: 'n',
      state: 's',
    })
    const { callback } = await signIn(auth.browser(), { address: address.href, verifier }, 'superuser')
    const checks = { pkceCodeVerifier: verifier, expectedNonce: 'n', expectedState: 's' }
    const tokens = await oidc.authorizationCodeGrant(client, callback as URL, checks)
    const refreshed = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
    const user = await oidc.fetchUserInfo(client, refreshed.access_token, tokens.claims()?.sub ?? '')
    const introspection = await oidc.tokenIntrospection(client, refreshed.access_token)
    await oidc.tokenRevocation(client, refreshed.refresh_token ?? '')
    expect([tokens.claims()?.preferred_username, user.given_name, introspection.active]).toEqual([
      'superuser',
      'Sofia',
      true,
    ])
  })

  test('a code that is used twice is refused and takes the tokens it gave with it', async () => {
    const request = authorizationRequest()
    const arrival = await signIn(auth.browser(), request)
    const first = await redeem(auth, arrival, request)
    const second = await redeem(auth, arrival, request)
    expect([first.status, second.status, second.body.error]).toEqual([200, 400, 'invalid_grant'])
    expect((await refresh(auth, first.body.refresh_token)).status).toBe(400)
  })

  test('of several uses of a code at the same time at most one gets tokens', async () => {
    const request = authorizationRequest()
    const arrival = await signIn(auth.browser(), request)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(auth, arrival, request)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a scope that does not exist', { scope: 'openid Core nothing' }, 'invalid_scope'],
    ['without a page although nobody is signed in', { prompt: 'none' }, 'login_required'],
  ])('a request %s goes back with an error', async (_case, changed, error) => {
    const { callback } = await auth.browser().open(authorizationRequest(changed).address)
    expect(callback?.searchParams.get('error')).toBe(error)
  })

  test.each([
    ['a client that does not exist', { client_id: 'ghost' }, 'Unknown application', 'ghost'],
    [
      'an address that is not registered',
      { redirect_uri: 'http://localhost:4200.example.com' },
      'Unexpected return address',
      'http://localhost:4200.example.com',
    ],
  ])('a request of %s ends on a page that names it, and not there', async (_case, changed, title, named) => {
    const { status, html } = await auth.browser().open(authorizationRequest(changed).address)
    const told = [`<h1>${title}</h1>`, `<code>${named}</code>`, '<dt>Reference</dt>']
    expect([status, ...told.map((text) => html.includes(text))]).toEqual([400, true, true, true])
  })

  test('the wrong verifier is refused', async () => {
    const request = authorizationRequest()
    const arrival = await signIn(auth.browser(), request)
    expect((await redeem(auth, arrival, authorizationRequest())).body.error).toBe('invalid_grant')
  })

  test('a confidential client gets identity and access token at once, and a code by form post', async () => {
    const web = {
      client_id: 'web',
      redirect_uri: 'http://localhost:4005/signin-oidc',
      scope: 'openid Core',
      code_challenge: undefined,
      code_challenge_method: undefined,
    }
    const browser = auth.browser()
    const implicit = await signIn(browser, authorizationRequest({ ...web, response_type: 'id_token token' }))
    const fragment = new URLSearchParams(implicit.callback?.hash.slice(1))
    const identity = claimsOf(fragment.get('id_token') ?? '')
    expect([claimsOf(fragment.get('access_token') ?? '').aud, typeof identity.at_hash]).toEqual([
      'Core',
      'string',
    ])
    const hybrid = await browser.open(
      authorizationRequest({ ...web, response_type: 'code id_token', response_mode: 'form_post' }).address,
    )
    const code = /name="code" value="([^"]+)"/.exec(hybrid.html)?.[1] ?? ''
    const secret = { client_secret: 'development-only-web-secret' }
    const { redirect_uri, client_id } = web
    const tokens = await auth.post('/connect/token', {
      grant_type: 'authorization_code',
      redirect_uri,
      client_id,
      code,
      ...secret,
    })
    expect(tokens.status).toBe(200)
  })
})

describe('the session', () => {
  test('who is signed in gets a code without a page, also for a client that asks without one or for consent', async () => {
    const browser = auth.browser()
    await signIn(browser, authorizationRequest())
    for (const changed of [{}, { prompt: 'none' }, { prompt: 'consent' }]) {
      const request = authorizationRequest(changed)
      const arrival = await browser.open(request.address)
      expect((await redeem(auth, arrival, request)).body).toHaveProperty('refresh_token')
    }
  })

  test('a client may demand that the person signs in again', async () => {
    const browser = auth.browser()
    await signIn(browser, authorizationRequest())
    const page = await browser.open(authorizationRequest({ prompt: 'login', login_hint: 'admin' }).address)
    expect(page.html).toContain('value="admin"')
  })

  test('logging out with an identity token of the same user ends it and returns to the client at once', async () => {
    const browser = auth.browser()
    const { id_token } = await tokensFor(auth, browser)
    const parameters = {
      id_token_hint: id_token,
      post_logout_redirect_uri: 'http://localhost:4200',
      culture: 'en',
    }
    const { callback } = await browser.open(`/connect/endsession?${new URLSearchParams(parameters)}`)
    expect(callback?.href).toBe('http://localhost:4200/')
    const silent = await browser.open(authorizationRequest({ prompt: 'none' }).address)
    expect(silent.callback?.searchParams.get('error')).toBe('login_required')
  })

  test.each(['/connect/endsession', '/connect/logout', '/Account/Logout'])(
    '%s asks before it signs out',
    async (path) => {
      const browser = auth.browser()
      await signIn(browser, authorizationRequest())
      const page = await browser.open(path)
      expect(page.html).toContain('Sign out?')
      const stayed = await browser.submit(page, {})
      expect(stayed.html).toContain('You stay signed in')
      const done = await browser.submit(await browser.open(path), { logout: 'yes' })
      expect(done.html).toContain('You are signed out')
    },
  )

  test('an identity token of somebody else signs nobody out', async () => {
    const { id_token } = await tokensFor(auth, auth.browser(), 'pricing')
    const browser = auth.browser()
    await signIn(browser, authorizationRequest(), 'manager')
    const page = await browser.open(`/connect/endsession?${new URLSearchParams({ id_token_hint: id_token })}`)
    expect(page.html).toContain('Sign out?')
  })

  test('logging out never leads to an address that is not registered', async () => {
    const browser = auth.browser()
    const { id_token } = await tokensFor(auth, browser)
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: 'http://example.com' }
    expect((await browser.open(`/connect/endsession?${new URLSearchParams(parameters)}`)).status).toBe(400)
  })
})
