import { sql } from '@keel/framework/data'
import { OpenIdErrors } from '@keel/openid/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, claimsOf, startAuthHost } from './auth-host.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest, redeem, signIn } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth.close())

const seed = (...definitions: Record<string, unknown>[]) => seedClients(auth, ...definitions)

async function rowOf(clientId: string): Promise<Record<string, unknown> | undefined> {
  return (
    await auth.database.query(
      sql`select *, xmin::text as version from "OpenIddictApplications" where "ClientId" = ${clientId}`,
    )
  )[0]
}

test('a client is added with the defaults, left alone while its addresses and permissions stay, and changed when they do not', async () => {
  await seed({ ClientId: 'bruno', RedirectUris: ['http://localhost:7777'] })
  const added = await rowOf('bruno')
  expect(added).toMatchObject({
    ClientType: 'public',
    ConsentType: 'implicit',
    ClientSecret: null,
    RedirectUris: '["http://localhost:7777"]',
  })
  await seed({ ClientId: 'bruno', DisplayName: 'Another name', RedirectUris: ['http://localhost:7777'] })
  expect(await rowOf('bruno')).toEqual(added)
  await seed({ ClientId: 'bruno', RedirectUris: ['http://localhost:8888'] })
  expect(await rowOf('bruno')).toMatchObject({ Id: added?.Id, RedirectUris: '["http://localhost:8888"]' })
})

test('the four clients of the interface document are there', async () => {
  const rows = await auth.database.query<{
    id: string
    type: string
    permissions: string
    addresses: string
  }>(sql`
    select "ClientId" as id, "ClientType" as type, "Permissions" as permissions, "RedirectUris" as addresses
    from "OpenIddictApplications" where "ClientId" in ('Core_App', 'admin', 'api', 'web') order by "ClientId" collate "C"`)
  const scopes = ['address', 'email', 'phone', 'profile', 'roles', 'Core']
  const clients = rows.map(({ id, type, permissions, addresses }) => {
    const all = JSON.parse(permissions) as string[]
    const those = (prefix: string) =>
      all.filter((permission) => permission.startsWith(prefix)).map((text) => text.slice(prefix.length))
    expect(those('scp:')).toEqual(scopes)
    return [
      id,
      type,
      those('gt:'),
      (JSON.parse(addresses) as string[]).map((address) => new URL(address).pathname),
    ]
  })
  expect(clients).toEqual([
    [
      'Core_App',
      'public',
      ['authorization_code', 'password', 'client_credentials', 'refresh_token', 'LinkLogin', 'Impersonation'],
      ['/', '/'],
    ],
    ['admin', 'public', ['authorization_code', 'refresh_token'], ['/authentication/login-callback']],
    ['api', 'public', ['authorization_code'], ['/swagger/oauth2-redirect.html']],
    ['web', 'confidential', ['authorization_code', 'implicit'], ['/signin-oidc']],
  ])
})

test('a secret is stored as a hash, and one that changes in the definition leaves the client alone', async () => {
  const definition = { ClientId: 'hashed', Type: 'confidential', GrantTypes: ['client_credentials'] }
  await seed({ ...definition, ClientSecret: 'the first secret' })
  const added = await rowOf('hashed')
  expect(JSON.stringify(added)).not.toContain('the first secret')
  await seed({ ...definition, ClientSecret: 'the second secret' })
  expect(await rowOf('hashed')).toEqual(added)
  const asked = { grant_type: 'client_credentials', client_id: 'hashed', scope: 'Core' }
  expect((await auth.post('/connect/token', { ...asked, client_secret: 'the first secret' })).status).toBe(
    200,
  )
})

test('the order of a definition’s lists does not matter', async () => {
  const addresses = ['http://localhost:6001', 'http://localhost:6002']
  await seed({ ClientId: 'ordered', RedirectUris: addresses, Scopes: ['email', 'Core'] })
  const added = await rowOf('ordered')
  await seed({ ClientId: 'ordered', RedirectUris: addresses.toReversed(), Scopes: ['Core', 'email'] })
  expect(await rowOf('ordered')).toEqual(added)
})

test('a changed client counts at once', async () => {
  const asked = {
    grant_type: 'password',
    client_id: 'fast',
    username: 'admin',
    password: '1q2w3E*',
    scope: 'Core',
  }
  await seed({ ClientId: 'fast', GrantTypes: ['authorization_code'] })
  expect((await auth.post('/connect/token', asked)).status).toBe(400)
  await seed({ ClientId: 'fast', GrantTypes: ['password'] })
  await expect
    .poll(async () => (await auth.post('/connect/token', asked)).status, { timeout: 2000 })
    .toBe(200)
})

test.each([
  [
    'a public client with a secret',
    [{ Type: 'public', ClientSecret: 'x' }],
    OpenIdErrors.PublicClientWithSecret,
  ],
  [
    'a confidential client without one',
    [{ Type: 'confidential' }],
    OpenIdErrors.ConfidentialClientWithoutSecret,
  ],
  ['an id that two clients have', [{}, {}], OpenIdErrors.ClientIdAlreadyExists],
])(
  '%s is refused, and neither it nor the clients beside it are written',
  async (_case, definitions, code) => {
    const clientId = `refused-${code}`
    const all = definitions.map((definition) => ({ ClientId: clientId, ...definition }))
    await expect(seed({ ClientId: `${clientId}-neighbour` }, ...all)).rejects.toMatchObject({
      code,
      data: { clientId },
    })
    expect(await Promise.all([rowOf(clientId), rowOf(`${clientId}-neighbour`)])).toEqual([
      undefined,
      undefined,
    ])
  },
)

test.each([
  ['a script', 'javascript:alert(1)'],
  ['a fragment', 'https://app.example.com/#x'],
  ['a mark below the wrong domain', 'https://{0}.com/x'],
])('a redirect address with %s is refused', async (_what, address) => {
  await expect(seed({ ClientId: 'odd', RedirectUris: [address] })).rejects.toThrow(address)
  expect(await rowOf('odd')).toBeUndefined()
})

describe('a redirect address with a mark', () => {
  const pattern = 'https://{0}.example.com/signin-oidc'
  const client = { client_id: 'tenants', redirect_uri: 'https://acme.example.com/signin-oidc' }
  let withPatterns: AuthHost

  beforeAll(async () => {
    await seed({ ClientId: 'tenants', RedirectUris: [pattern] })
    withPatterns = await startAuthHost({ beside: auth, settings: { 'AuthServer:WildcardRedirects': 'true' } })
  })
  afterAll(() => withPatterns?.close())

  test('stands for nothing, not even itself, unless it is switched on', async () => {
    for (const redirect_uri of [client.redirect_uri, pattern]) {
      const { address } = authorizationRequest({ ...client, redirect_uri })
      expect((await auth.browser().open(address)).status).toBe(400)
    }
  })

  test('stands for the names below its domain where it is switched on: sign-in, tokens, sign-out and calls of their pages', async () => {
    const browser = withPatterns.browser()
    const request = authorizationRequest(client)
    const arrival = await signIn(browser, request)
    expect(arrival.callback?.origin).toBe('https://acme.example.com')
    const { body } = await redeem(withPatterns, arrival, request, client)
    expect(claimsOf(body.access_token).client_id).toBe('tenants')
    const origin = 'https://acme.example.com'
    const called = await withPatterns.post(
      '/connect/token',
      { grant_type: 'refresh_token', client_id: 'tenants', refresh_token: body.refresh_token },
      { origin },
    )
    expect([called.status, called.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const leaving = { id_token_hint: body.id_token, post_logout_redirect_uri: client.redirect_uri }
    const { callback } = await browser.open(`/connect/endsession?${new URLSearchParams(leaving)}`)
    expect(callback?.href).toBe(client.redirect_uri)
  })

  test.each([
    'https://evil.com/.example.com/signin-oidc',
    'https://evil.com%2f.example.com/signin-oidc',
    'https://acme@evil.example.com/signin-oidc',
    'https://a.b.example.com/signin-oidc',
    'https://example.com/signin-oidc',
    'https://ACME.example.com/signin-oidc',
    'https://acme.example.com:444/signin-oidc',
    'https://acme.example.com/signin-oidc#x',
    'https://acme.example.com\\@evil.com/signin-oidc',
    'http://acme.example.com/signin-oidc',
    pattern,
  ])('does not stand for %s', async (redirect_uri) => {
    const { address } = authorizationRequest({ ...client, redirect_uri })
    const arrival = await withPatterns.browser().open(address)
    expect([arrival.status, arrival.callback]).toEqual([400, undefined])
  })

  test('binds a code to the very address it was given to', async () => {
    const request = authorizationRequest(client)
    const arrival = await signIn(withPatterns.browser(), request)
    const other = { ...client, redirect_uri: 'https://other.example.com/signin-oidc' }
    expect((await redeem(withPatterns, arrival, request, other)).body.error).toBe('invalid_grant')
  })
})
