import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, password, startAuthHost, tooling } from './auth-host.js'
import type { Arrival } from './browser.js'
import { relyingParty } from './relying-party.js'
import { seedClients } from './seed-clients.js'
import { signIn } from './sign-in.js'

/** Every flow as `openid-client` runs it, a library that is certified as a relying party: it checks each answer by the specifications. */

const webSecret = 'development-only-web-secret'
const webCallback = 'http://localhost:4005/signin-oidc'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost({ settings: { 'AuthServer:AllowPublicIntrospection': 'true' } })
  await seedClients(auth, {
    ClientId: 'odd client:+/',
    Type: 'confidential',
    ClientSecret: 'a:b c+d/e%f&g=h"',
    GrantTypes: ['client_credentials'],
  })
})
afterAll(() => auth?.close())

/** Signs in at the address of an authorization request and answers where the browser ends. */
const visit = (address: URL, userName = 'operator'): Promise<Arrival> =>
  signIn(auth.browser(), { address: address.href, verifier: '' }, userName)

const callbackOf = ({ callback }: Arrival): URL => callback as URL

/** The form that a page posts to a client's address, as the request that arrives there. */
function postedBy({ html }: Arrival): Request {
  const address = /action="([^"]+)"/.exec(html)?.[1] ?? ''
  const fields = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  )
  return new Request(address, { method: 'POST', body: new URLSearchParams(fields) })
}

describe('authorization code', () => {
  test.each([
    ['a secret in the form', oidc.ClientSecretPost(webSecret)],
    ['a secret in the header', oidc.ClientSecretBasic(webSecret)],
  ])('with PKCE and %s', async (_what, clientAuth) => {
    const web = await relyingParty(auth, 'web', webSecret, clientAuth)
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const address = oidc.buildAuthorizationUrl(web, {
      redirect_uri: webCallback,
      scope: 'openid profile Core',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: 'state',
    })
    const checks = { pkceCodeVerifier, expectedState: 'state' }
    const tokens = await oidc.authorizationCodeGrant(web, callbackOf(await visit(address)), checks)
    expect([tokens.claims()?.aud, claimsOf(tokens.access_token).aud]).toEqual(['web', 'Core'])
    expect(tokens.refresh_token).toBeUndefined()
  })

  test('of a confidential client without PKCE, which the nonce protects', async () => {
    const web = await relyingParty(auth, 'web', webSecret)
    const address = oidc.buildAuthorizationUrl(web, {
      redirect_uri: webCallback,
      scope: 'openid',
      nonce: 'nonce',
    })
    const arrival = await visit(address)
    const tokens = await oidc.authorizationCodeGrant(web, callbackOf(arrival), { expectedNonce: 'nonce' })
    expect(tokens.claims()?.nonce).toBe('nonce')
  })

  test('with refresh, userinfo, introspection, revocation and sign-out', async () => {
    const app = await relyingParty(auth, 'Core_App')
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const address = oidc.buildAuthorizationUrl(app, {
      redirect_uri: 'http://localhost:4200/',
      scope: 'openid offline_access profile email roles Core',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: 'nonce',
      max_age: '3600',
    })
    const browser = auth.browser()
    const { callback } = await signIn(browser, { address: address.href, verifier: '' }, 'operator')
    const checks = { pkceCodeVerifier, expectedNonce: 'nonce', maxAge: 3600 }
    const tokens = await oidc.authorizationCodeGrant(app, callback as URL, checks)
    const refreshed = await oidc.refreshTokenGrant(app, tokens.refresh_token ?? '')
    const subject = tokens.claims()?.sub ?? ''
    const user = await oidc.fetchUserInfo(app, refreshed.access_token, subject)
    expect(user).toMatchObject({ sub: subject, email: 'operator@keel.local', role: 'Operator' })
    expect(await oidc.tokenIntrospection(app, refreshed.access_token)).toMatchObject({
      active: true,
      sub: subject,
    })
    await oidc.tokenRevocation(app, refreshed.access_token)
    expect(await oidc.tokenIntrospection(app, refreshed.access_token)).toEqual({ active: false })
    await oidc.tokenRevocation(app, refreshed.refresh_token ?? '')
    await expect(oidc.refreshTokenGrant(app, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const leaving = oidc.buildEndSessionUrl(app, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://localhost:4200/',
      state: 'bye',
    })
    expect((await browser.open(leaving.href)).callback?.href).toBe('http://localhost:4200/?state=bye')
  })
})

describe('implicit and hybrid', () => {
  test('an identity token alone', async () => {
    const web = await relyingParty(auth, 'web', webSecret)
    oidc.useIdTokenResponseType(web)
    const address = oidc.buildAuthorizationUrl(web, {
      redirect_uri: webCallback,
      scope: 'openid profile',
      nonce: 'nonce',
      state: 'state',
    })
    const callback = callbackOf(await visit(address))
    const claims = await oidc.implicitAuthentication(web, callback, 'nonce', { expectedState: 'state' })
    expect(claims).toMatchObject({ aud: 'web', iss: issuer, preferred_username: 'operator' })
  })

  test('identity token and code, as a form that is posted to the client', async () => {
    const web = await relyingParty(auth, 'web', webSecret)
    oidc.useCodeIdTokenResponseType(web)
    const address = oidc.buildAuthorizationUrl(web, {
      redirect_uri: webCallback,
      scope: 'openid Core',
      nonce: 'nonce',
      state: 'state',
      response_mode: 'form_post',
    })
    const checks = { expectedNonce: 'nonce', expectedState: 'state' }
    const tokens = await oidc.authorizationCodeGrant(web, postedBy(await visit(address)), checks)
    expect(claimsOf(tokens.access_token).aud).toBe('Core')
  })

  test('code and identity token in the fragment, bound to each other', async () => {
    const web = await relyingParty(auth, 'web', webSecret)
    oidc.useCodeIdTokenResponseType(web)
    const address = oidc.buildAuthorizationUrl(web, {
      redirect_uri: webCallback,
      scope: 'openid',
      nonce: 'nonce',
      state: 'state',
    })
    const arrival = await visit(address)
    const identity = claimsOf(new URLSearchParams(arrival.callback?.hash.slice(1)).get('id_token') ?? '')
    expect(identity).toMatchObject({ c_hash: expect.any(String) })
    const checks = { expectedNonce: 'nonce', expectedState: 'state' }
    expect((await oidc.authorizationCodeGrant(web, callbackOf(arrival), checks)).claims()?.aud).toBe('web')
  })
})

describe('without a browser', () => {
  test('password', async () => {
    const app = await relyingParty(auth, 'Core_App')
    const fields = { username: 'operator', password, scope: 'openid offline_access Core' }
    const tokens = await oidc.genericGrantRequest(app, 'password', fields)
    expect([tokens.expires_in, tokens.token_type, claimsOf(tokens.access_token).aud]).toEqual([
      3600,
      'bearer',
      'Core',
    ])
    const refreshed = await oidc.refreshTokenGrant(app, tokens.refresh_token ?? '', { scope: 'Core' })
    expect(claimsOf(refreshed.access_token)).toMatchObject({ aud: 'Core', scope: 'Core' })
  })

  test.each([
    ['form', oidc.ClientSecretPost],
    ['header', oidc.ClientSecretBasic],
  ] as const)('client credentials, with id and secret of any characters in the %s', async (_where, by) => {
    const secret = 'a:b c+d/e%f&g=h"'
    const odd = await relyingParty(auth, 'odd client:+/', secret, by(secret))
    const tokens = await oidc.clientCredentialsGrant(odd, { scope: 'Core' })
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: 'odd client:+/', aud: 'Core' })
    expect(await oidc.tokenIntrospection(odd, tokens.access_token)).toMatchObject({
      active: true,
      token_type: 'Bearer',
    })
  })

  test('client credentials for less than everything', async () => {
    const tools = await relyingParty(auth, tooling.client_id, tooling.client_secret)
    const tokens = await oidc.clientCredentialsGrant(tools, { scope: 'Core' })
    expect([tokens.scope, tokens.refresh_token, tokens.id_token]).toEqual(['Core', undefined, undefined])
  })
})

test('the discovery document tells what there is, and nothing that there is not', async () => {
  const document = (await relyingParty(auth, 'Core_App')).serverMetadata()
  expect(document).toMatchObject({
    issuer,
    authorization_response_iss_parameter_supported: true,
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
    response_modes_supported: ['form_post', 'fragment', 'query'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    request_uri_parameter_supported: false,
  })
  expect([...(document.grant_types_supported ?? [])].sort()).toEqual([
    'Impersonation',
    'LinkLogin',
    'authorization_code',
    'client_credentials',
    'implicit',
    'password',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])
  expect([...(document.response_types_supported ?? [])].sort()).toEqual([
    'code',
    'code id_token',
    'code id_token token',
    'code token',
    'id_token',
    'id_token token',
  ])
  expect(document.scopes_supported).toEqual(
    expect.arrayContaining([
      'openid',
      'offline_access',
      'address',
      'email',
      'phone',
      'profile',
      'roles',
      'Core',
    ]),
  )
  expect(document.request_parameter_supported ?? false).toBe(false)
  expect(document).not.toHaveProperty('registration_endpoint')
  expect(document).not.toHaveProperty('pushed_authorization_request_endpoint')
})
