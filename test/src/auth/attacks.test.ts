import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, startAuthHost, tooling, webApp } from './auth-host.js'
import { relyingParty } from './relying-party.js'
import { authorizationRequest, redeem, refresh, signIn, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth?.close())

const web = { client_id: 'web', redirect_uri: 'http://localhost:4005/signin-oidc' } as const
const webSecret = { client_secret: 'development-only-web-secret' }
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a code', () => {
  test.each([
    ['with another redirect address', { redirect_uri: 'http://localhost:4200/' }],
    ['without its redirect address', { redirect_uri: '' }],
    ['without a verifier', { code_verifier: '' }],
    ['by another public client', { client_id: 'admin' }],
    ['by another confidential client', { ...web, ...webSecret }],
    ['by its client with a secret, which it has not', webSecret],
  ])('is not redeemed %s', async (_what, changed) => {
    const request = authorizationRequest()
    const arrival = await signIn(auth.browser(), request)
    const { status, body } = await redeem(auth, arrival, request, changed)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body).not.toHaveProperty('access_token')
  })

  test('that a stranger got for themselves is worth nothing in another’s session', async () => {
    const stranger = await signIn(auth.browser(), authorizationRequest({ state: 'victim' }), 'customer')
    // The victim's application redeems what came with its own verifier.
    const answer = await redeem(auth, stranger, authorizationRequest())
    expect(answer.body.error).toBe('invalid_grant')
  })

  test('that a stranger got for themselves fails the nonce where there is no PKCE', async () => {
    const stranger = authorizationRequest({ ...web, ...withoutPkce, nonce: 'theirs' })
    const { callback } = await signIn(auth.browser(), stranger, 'customer')
    const victim = await relyingParty(auth, 'web', webSecret.client_secret)
    const checks = { expectedNonce: 'mine', expectedState: 'nonce;%2Fshipments' }
    await expect(oidc.authorizationCodeGrant(victim, callback as URL, checks)).rejects.toThrow()
  })

  test('without a challenge takes no verifier, so that PKCE can not be taken off a request', async () => {
    const request = authorizationRequest({ ...web, ...withoutPkce })
    const arrival = await signIn(auth.browser(), request)
    const { body } = await redeem(auth, arrival, request, { ...web, ...webSecret })
    expect(body.error).toBe('invalid_grant')
  })

  test.each([
    ['a plain challenge, the default', { code_challenge_method: undefined }],
    ['a challenge that is too short', { code_challenge: 'short' }],
    ['a method that does not exist', { code_challenge_method: 'S512' }],
  ])('is not given for %s', async (_what, changed) => {
    const { callback } = await auth.browser().open(authorizationRequest(changed).address)
    expect([callback?.searchParams.get('error'), callback?.searchParams.get('code')]).toEqual([
      'invalid_request',
      null,
    ])
  })
})

describe('a mix-up', () => {
  test('every answer names its issuer, errors too', async () => {
    const good = await signIn(auth.browser(), authorizationRequest())
    const bad = await auth.browser().open(authorizationRequest({ scope: 'openid nothing' }).address)
    const implicit = await signIn(
      auth.browser(),
      authorizationRequest({ ...web, ...withoutPkce, response_type: 'id_token token' }),
    )
    const named = [good, bad].map(({ callback }) => callback?.searchParams.get('iss'))
    // There it is the identity token that says so (RFC 9207, section 2).
    const identity = claimsOf(new URLSearchParams(implicit.callback?.hash.slice(1)).get('id_token') ?? '')
    expect([...named, identity.iss]).toEqual([issuer, issuer, issuer])
  })

  test('an answer of another issuer is refused by a client that looks', async () => {
    const app = await relyingParty(auth, 'Core_App')
    const { callback } = await signIn(auth.browser(), authorizationRequest())
    callback?.searchParams.set('iss', 'https://evil.example/')
    const redeemed = oidc.authorizationCodeGrant(app, callback as URL, { pkceCodeVerifier: 'x'.repeat(43) })
    await expect(redeemed).rejects.toMatchObject({ cause: { message: expect.stringContaining('"iss"') } })
  })
})

describe('a token', () => {
  interface Tokens {
    readonly access_token: string
    readonly id_token: string
    readonly refresh_token: string
  }
  let tokens: Tokens
  let key: JWK

  beforeAll(async () => {
    tokens = await tokensFor(auth, auth.browser(), 'operator')
    const { keys } = (await (await auth.fetch('/.well-known/jwks')).json()) as { keys: [JWK] }
    key = keys[0]
  })

  const userinfo = async (token: string): Promise<number> =>
    (await auth.fetch('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } })).status
  const isActive = async (token: string): Promise<unknown> =>
    (await auth.post('/connect/introspect', { token, client_id: 'Core_App' })).body.active

  const administrator = () => ({
    ...claimsOf(tokens.access_token),
    preferred_username: 'admin',
    role: 'admin',
  })

  const forgeries: Record<string, () => Promise<string> | string> = {
    'with changed claims': () => {
      const [header, , signature] = tokens.access_token.split('.')
      return `${header}.${base64(administrator())}.${signature}`
    },
    'with a changed signature': () => {
      const [header, claims, signature = ''] = tokens.access_token.split('.')
      return `${header}.${claims}.${signature.slice(0, 20)}${signature[20] === 'A' ? 'B' : 'A'}${signature.slice(21)}`
    },
    'without a signature': () => `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(administrator())}.`,
    'signed with the public key as a secret': () => {
      const pem = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      })
      return new SignJWT(administrator())
        .setProtectedHeader({ alg: 'HS256', kid: key.kid as string, typ: 'at+jwt' })
        .sign(Buffer.from(pem))
    },
    'signed with another key of the same name': async () => {
      const { privateKey } = await generateKeyPair('RS256')
      return new SignJWT(administrator())
        .setProtectedHeader({ alg: 'RS256', kid: key.kid as string, typ: 'at+jwt' })
        .sign(privateKey)
    },
    'with a key of its own in the header': async () => {
      const { privateKey, publicKey } = await generateKeyPair('RS256')
      const jwk = await exportJWK(publicKey)
      return new SignJWT(administrator())
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', jwk })
        .sign(privateKey)
    },
    'that is an identity token': () => tokens.id_token,
    'that is a refresh token': () => tokens.refresh_token,
  }

  test.each(Object.keys(forgeries).map((name) => [name]))('%s is no access token', async (name) => {
    const forged = await (forgeries[name] as () => Promise<string> | string)()
    expect(await userinfo(forged)).toBe(401)
    if (forged !== tokens.refresh_token) expect(await isActive(forged)).toBe(false)
    expect(await userinfo(tokens.access_token)).toBe(200)
  })

  test.each([
    ['an access token', () => tokens.access_token],
    ['an identity token', () => tokens.id_token],
    ['nonsense', () => 'nonsense'],
  ])('%s refreshes nothing', async (_what, token) => {
    expect((await refresh(auth, token())).body.error).toBe('invalid_grant')
  })

  test.each([
    ['that is an access token', () => tokens.access_token],
    [
      'with another user',
      () => {
        const [header, , signature] = tokens.id_token.split('.')
        return `${header}.${base64({ ...claimsOf(tokens.id_token), sub: 'x' })}.${signature}`
      },
    ],
    ['without a signature', () => `${base64({ alg: 'none' })}.${base64(claimsOf(tokens.id_token))}.`],
  ])('a hint %s signs nobody out and leads nowhere', async (_what, hint) => {
    const browser = auth.browser()
    await signIn(browser, authorizationRequest(), 'operator')
    const parameters = { id_token_hint: hint(), post_logout_redirect_uri: webApp.redirect_uri }
    const page = await browser.open(`/connect/endsession?${new URLSearchParams(parameters)}`)
    expect([page.callback, page.status]).toEqual([undefined, 400])
    const silent = await browser.open(authorizationRequest({ prompt: 'none' }).address)
    expect(silent.callback?.searchParams.get('code')).toEqual(expect.any(String))
  })

  test('in the address of a request is not looked at: addresses are logged', async () => {
    const answer = await auth.fetch(`/connect/userinfo?access_token=${tokens.access_token}`)
    expect(answer.status).toBe(400)
  })
})

describe('a client', () => {
  const asked = { grant_type: 'client_credentials', scope: 'Core' }
  const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`

  test.each<[string, Record<string, string>, Record<string, string>, number]>([
    [
      'that names itself twice, differently',
      { ...asked, client_id: 'web' },
      { authorization: basic(tooling.client_id, tooling.client_secret) },
      400,
    ],
    [
      'with two ways to send its secret at once',
      { ...asked, ...tooling },
      { authorization: basic(tooling.client_id, tooling.client_secret) },
      400,
    ],
    ['with the secret of another', { ...asked, client_id: 'tooling', ...webSecret }, {}, 401],
    [
      'with its hash for a secret',
      { ...asked, client_id: 'tooling', client_secret: 'AQAAAAIAAYag' },
      {},
      401,
    ],
    [
      'that is public, with a secret',
      { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'admin', client_secret: 'x' },
      {},
      401,
    ],
  ])('%s is refused', async (_what, fields, headers, status) => {
    expect((await auth.post('/connect/token', fields, headers)).status).toBe(status)
  })

  test('gets no token by GET, and none for a parameter that is there twice', async () => {
    const parameters = new URLSearchParams({ ...asked, ...tooling })
    const byGet = await auth.fetch(`/connect/token?${parameters}`)
    const twice = await auth.fetch('/connect/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${parameters}&scope=openid`,
    })
    expect([byGet.status, twice.status]).toEqual([404, 400])
  })

  test.each([
    [
      'request',
      `${base64({ alg: 'none' })}.${base64({ redirect_uri: 'https://evil.example/' })}.`,
      'request_not_supported',
    ],
    ['request_uri', 'https://evil.example/request', 'request_uri_not_supported'],
    ['registration', '{"redirect_uris":["https://evil.example/"]}', 'registration_not_supported'],
  ])('can not change its request by %s', async (name, value, error) => {
    const { callback } = await auth.browser().open(authorizationRequest({ [name]: value }).address)
    expect([callback?.origin, callback?.searchParams.get('error')]).toEqual(['http://localhost:4200', error])
  })

  test('that nobody knows may not look into tokens', async () => {
    const { body } = await auth.post('/connect/introspect', { token: 'x', client_id: 'ghost' })
    expect(body.error).toBe('invalid_client')
  })
})
