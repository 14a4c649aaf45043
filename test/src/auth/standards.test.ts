import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, claimsOf, password, startAuthHost, tooling, webApp } from './auth-host.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest, refresh, signIn, tokensFor } from './sign-in.js'

/** The client id that access tokens are for: a resource server that introspects them (RFC 7662). */
const resourceServer = { client_id: 'Core', client_secret: 'a-secret-of-the-tests' }
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const grantTypes = [
  'authorization_code',
  'password',
  'client_credentials',
  'refresh_token',
  'LinkLogin',
  'Impersonation',
  deviceGrant,
]

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
  await seedClients(
    auth,
    {
      ClientId: resourceServer.client_id,
      Type: 'confidential',
      ClientSecret: resourceServer.client_secret,
      GrantTypes: [],
      Scopes: [],
    },
    { ClientId: 'device', GrantTypes: [deviceGrant, 'refresh_token'], Scopes: ['Core'] },
  )
})
afterAll(() => auth.close())

function introspect(token: string, client: Record<string, string>) {
  return auth.post('/connect/introspect', { token, ...client })
}

describe('an identity token at a refresh', () => {
  test('comes whenever openid was granted, although the request asks for other scopes', async () => {
    const first = await tokensFor(auth, auth.browser(), 'operator', 'openid offline_access profile Core')
    const { status, body } = await refresh(auth, first.refresh_token, { scope: 'offline_access Core' })
    expect(status).toBe(200)
    const [before, after] = [claimsOf(first.id_token), claimsOf(body.id_token)]
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'nonce', 'sid'])
      expect([name, after[name]]).toEqual([name, before[name]])
    // The scopes that were not asked for stay out of both tokens.
    expect(after).not.toHaveProperty('preferred_username')
    expect(claimsOf(body.access_token).scope.split(' ').sort()).toEqual(['Core', 'offline_access'])
  })

  test('does not come where openid was never granted', async () => {
    const { body } = await auth.post('/connect/token', {
      grant_type: 'password',
      client_id: webApp.client_id,
      username: 'operator',
      password,
      scope: 'offline_access Core',
    })
    const again = await refresh(auth, body.refresh_token, { scope: 'Core' })
    expect([again.status, again.body.id_token]).toEqual([200, undefined])
  })

  test('that came so signs its user out at once', async () => {
    const browser = auth.browser()
    const { refresh_token } = await tokensFor(auth, browser, 'operator')
    const { body } = await refresh(auth, refresh_token, { scope: 'offline_access Core' })
    const leaving = { id_token_hint: body.id_token, post_logout_redirect_uri: webApp.redirect_uri }
    const { callback } = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
    expect(callback?.href).toBe('http://localhost:4200/')
  })
})

describe('signing out without a usable hint', () => {
  const tampered = (token: string) => token.replace(/\.[^.]*$/, (signature) => `.AAAA${signature.slice(5)}`)
  const hints: readonly [string, (token: string) => Record<string, string>][] = [
    ['none', () => ({})],
    ['a tampered one', (token) => ({ id_token_hint: tampered(token) })],
    ['one that is no token', () => ({ id_token_hint: 'garbage' })],
    ['an empty one', () => ({ id_token_hint: '' })],
    [
      'one of an unknown client',
      (token) => {
        const [head = '', , signature = ''] = token.split('.')
        const payload = Buffer.from(JSON.stringify({ sub: 'x', aud: 'a\0b' })).toString('base64url')
        return { id_token_hint: [head, payload, signature].join('.') }
      },
    ],
  ]

  test.each(hints)(
    '%s: the registered address of the client is returned to after a question',
    async (_name, hintOf) => {
      const browser = auth.browser()
      const { id_token } = await tokensFor(auth, browser, 'operator')
      const leaving = {
        ...hintOf(id_token),
        client_id: webApp.client_id,
        post_logout_redirect_uri: webApp.redirect_uri,
        state: 'bye',
      }
      const page = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
      expect([page.status, page.html.includes('Sign out?')]).toEqual([200, true])
      const { callback } = await browser.submit(page, { logout: 'yes' })
      expect(callback?.href).toBe('http://localhost:4200/?state=bye')
      const silent = await browser.open(authorizationRequest({ prompt: 'none' }).address)
      expect(silent.callback?.searchParams.get('error')).toBe('login_required')
    },
  )

  test.each(hints)(
    '%s: without a client a registered address is returned to after a question',
    async (_name, hintOf) => {
      const browser = auth.browser()
      const { id_token } = await tokensFor(auth, browser, 'operator')
      const leaving = { ...hintOf(id_token), post_logout_redirect_uri: webApp.redirect_uri, state: 'bye' }
      const page = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
      expect([page.status, page.html.includes('Sign out?')]).toEqual([200, true])
      const { callback } = await browser.submit(page, { logout: 'yes' })
      expect(callback?.href).toBe('http://localhost:4200/?state=bye')
    },
  )

  test.each([
    'http://evil.example/',
    'http://localhost:4200/deeper',
    'not an address',
    // Of a client that may not send people here to sign out.
    'http://localhost:4300/',
  ])('without a client nobody is sent to %s', async (address) => {
    await seedClients(auth, {
      ClientId: 'quiet',
      GrantTypes: ['client_credentials'],
      Type: 'confidential',
      ClientSecret: 'secret of quiet',
      PostLogoutRedirectUris: ['http://localhost:4300/'],
    })
    const browser = auth.browser()
    await signIn(browser, authorizationRequest())
    const leaving = { post_logout_redirect_uri: address }
    const page = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
    expect([page.status, page.html.includes('Sign out?')]).toEqual([200, true])
    expect((await browser.submit(page, { logout: 'yes' })).html).toContain('You are signed out')
  })

  test('an address that the client did not register is refused', async () => {
    const browser = auth.browser()
    await signIn(browser, authorizationRequest())
    const leaving = { client_id: webApp.client_id, post_logout_redirect_uri: 'http://evil.example/' }
    const page = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
    expect([page.status, page.callback]).toEqual([400, undefined])
  })

  test('a valid hint of another client than the one named is refused', async () => {
    const browser = auth.browser()
    const { id_token } = await tokensFor(auth, browser, 'operator')
    const leaving = { client_id: 'admin', id_token_hint: id_token }
    expect((await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)).status).toBe(400)
  })
})

test('userinfo and introspection tell what was verified as booleans, the access token as ABP’s texts', async () => {
  const { access_token } = await tokensFor(auth, auth.browser(), 'operator', 'openid email phone Core')
  const userinfo = await auth.fetch('/connect/userinfo', {
    headers: { authorization: `Bearer ${access_token}` },
  })
  const [said, looked] = [await userinfo.json(), (await introspect(access_token, resourceServer)).body]
  expect(said).toMatchObject({ email: 'operator@keel.local', email_verified: true })
  expect(looked).toMatchObject({ active: true, email_verified: true })
  expect(claimsOf(access_token).email_verified).toBe('True')
})

describe('introspection', () => {
  test('is refused to a public client, which can not prove that it is one', async () => {
    const { access_token } = await tokensFor(auth, auth.browser(), 'operator')
    const client = { client_id: webApp.client_id }
    const answers = [await introspect(access_token, client), await introspect('garbage', client)]
    expect(answers.map(({ status, body }) => [status, body.error, 'active' in body])).toEqual([
      [401, 'invalid_client', false],
      [401, 'invalid_client', false],
    ])
  })

  test('is not offered to public clients in the discovery document', async () => {
    const discovery = await auth.fetch('/.well-known/openid-configuration')
    const { introspection_endpoint_auth_methods_supported: methods } = (await discovery.json()) as Record<
      string,
      unknown
    >
    expect(methods).toEqual(['client_secret_basic', 'client_secret_post'])
  })
})

describe('a client that was seeded with no grant types and no scopes', () => {
  test('introspects, and gets nothing else', async () => {
    const { access_token } = await tokensFor(auth, auth.browser(), 'operator')
    expect((await introspect(access_token, resourceServer)).body.active).toBe(true)
    const answers = await Promise.all(
      grantTypes.map((grant_type) =>
        auth.post('/connect/token', { grant_type, ...resourceServer, scope: 'Core' }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(answers.map(({ body }) => body.error)).toEqual(answers.map(() => 'invalid_request'))
  })
})

describe('a resource that is no API of ours is invalid_target', () => {
  const unknown = ['https://api.example.com/', 'urn:api:Other', 'Other', 'https://api.example.com/#part']

  test.each(unknown)('%s at the authorization endpoint', async (resource) => {
    const browser = auth.browser()
    const { address } = authorizationRequest()
    const { callback } = await browser.open(`${address}&${new URLSearchParams({ resource })}`)
    expect(callback?.searchParams.get('error')).toBe('invalid_target')
  })

  test.each(unknown)('%s at every grant of the token endpoint and for devices', async (resource) => {
    const { refresh_token, access_token } = await tokensFor(auth, auth.browser(), 'operator')
    const app = { client_id: webApp.client_id }
    const requests: Record<string, string>[] = [
      { grant_type: 'password', ...app, username: 'operator', password, scope: 'Core' },
      { grant_type: 'client_credentials', ...tooling, scope: 'Core' },
      { grant_type: 'refresh_token', ...app, refresh_token },
      { grant_type: 'LinkLogin', ...app, access_token, LinkUserId: 'x' },
      { grant_type: 'Impersonation', ...app, access_token, UserId: 'x' },
    ]
    const answers = [
      ...(await Promise.all(requests.map((fields) => auth.post('/connect/token', { ...fields, resource })))),
      await auth.post('/device', { client_id: 'device', scope: 'Core', resource }),
    ]
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      answers.map(() => [400, 'invalid_target']),
    )
  })

  test('at the exchange of a code', async () => {
    const request = authorizationRequest()
    const arrival = await signIn(auth.browser(), request)
    const { body } = await auth.post('/connect/token', {
      grant_type: 'authorization_code',
      ...webApp,
      code: arrival.callback?.searchParams.get('code') ?? '',
      code_verifier: request.verifier,
      resource: 'https://api.example.com/',
    })
    expect(body.error).toBe('invalid_target')
  })

  test('and ours by its name does not get around the check of scopes', async () => {
    const { status, body } = await auth.post('/connect/token', {
      grant_type: 'client_credentials',
      ...tooling,
      scope: 'Core nonsense',
      resource: 'urn:api:Core',
    })
    expect([status, body.error]).toEqual([400, 'invalid_scope'])
    const { callback } = await auth
      .browser()
      .open(`${authorizationRequest({ scope: 'openid nonsense' }).address}&resource=urn:api:Core`)
    expect(callback?.searchParams.get('error')).toBe('invalid_scope')
  })
})
