import { AuthHost as AuthHostModule } from '@keel/auth-host'
import { Configuration, createApplication } from '@keel/framework'
import { HttpHost } from '@keel/framework/http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AuthHost, startAuthHost } from './auth-host.js'
import { selfSigned } from './certificates.js'
import { authorizationRequest } from './sign-in.js'

const certificate = selfSigned('production')

/** Keeps the database. */
let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth?.close())

/** Starts the auth server as it is outside Development and answers its address. */
async function startInProduction(settings: Record<string, string>): Promise<string> {
  const configuration = new Configuration('Production').add(
    {
      'ConnectionStrings:Default': auth.host.databaseUrl('Default'),
      'AuthServer:Authority': 'https://login.keel.test',
      'AuthServer:SigningCertificate': certificate,
      'App:SelfUrl': 'http://localhost:4001',
      PORT: '0',
      'Log:Level': 'fatal',
      ...settings,
    },
    'test',
  )
  const application = createApplication(AuthHostModule, configuration)
  onTestFinished(() => application.stop())
  await application.start()
  return application.get(HttpHost).address
}

const discover = (address: string, headers: Record<string, string> = {}) =>
  fetch(`${address}/.well-known/openid-configuration`, { headers })

describe('outside Development', () => {
  test('requests that came without TLS are refused, whatever a stranger’s header says', async () => {
    const address = await startInProduction({})
    const answers = await Promise.all([
      discover(address),
      discover(address, { 'x-forwarded-proto': 'https' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(await answers[0]?.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('App:TrustedProxies'),
    })
    expect((await fetch(`${address}/health/live`)).status).toBe(200)
  })

  test('a trusted proxy is believed that TLS ended there', async () => {
    const address = await startInProduction({ 'App:TrustedProxies': '1' })
    const secure = await discover(address, { 'x-forwarded-proto': 'https' })
    expect(await secure.json()).toMatchObject({ issuer: 'https://login.keel.test/' })
    expect((await discover(address, { 'x-forwarded-proto': 'http' })).status).toBe(400)
    expect((await discover(address)).status).toBe(400)
  })

  test('browsers are told to insist on TLS, at endpoints and pages', async () => {
    const address = await startInProduction({ 'App:TrustedProxies': '1' })
    const { address: path } = authorizationRequest()
    const headers = { 'x-forwarded-proto': 'https' }
    const answers = await Promise.all(
      ['/.well-known/openid-configuration', path, '/Account/Login', '/no/such/page'].map((one) =>
        fetch(address + one, { headers, redirect: 'manual' }),
      ),
    )
    const told = answers.map((answer) => answer.headers.get('strict-transport-security'))
    expect(new Set(told)).toEqual(new Set(['max-age=31536000']))
  })

  test('RequireHttpsMetadata=false takes them, and cookies and addresses are still those of the issuer', async () => {
    const address = await startInProduction({ 'AuthServer:RequireHttpsMetadata': 'false' })
    const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example', host: 'evil.example' }
    const document = (await (await discover(address, headers)).json()) as Record<string, string>
    expect(document.token_endpoint).toBe('https://login.keel.test/connect/token')
    const { address: path } = authorizationRequest()
    const login = await fetch(address + path, { headers, redirect: 'manual' })
    expect(login.headers.getSetCookie().filter((cookie) => cookie.includes('keel.'))).toSatisfy(
      (cookies: string[]) => cookies.length > 0 && cookies.every((cookie) => /; secure/i.test(cookie)),
    )
  })

  test('RequireHttpsMetadata=true that was set by hand holds in Development too', async () => {
    const settings = { 'AuthServer:RequireHttpsMetadata': 'true' }
    await expect(startAuthHost({ settings })).rejects.toThrow(/without TLS/)
    const secure = await startAuthHost({
      settings: {
        ...settings,
        'AuthServer:Authority': 'https://login.keel.test/',
        'App:TrustedProxies': '1',
      },
    })
    onTestFinished(() => secure.close())
    const path = '/.well-known/openid-configuration'
    const answers = await Promise.all([
      secure.fetch(path),
      secure.fetch(path, { headers: { 'x-forwarded-proto': 'https' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
  })

  test.each([
    ['no signing certificate', { 'AuthServer:SigningCertificate': '' }, /AuthServer:SigningCertificate/],
    ['no issuer', { 'AuthServer:Authority': '' }, /AuthServer:authority/i],
    ['an issuer without TLS', { 'AuthServer:Authority': 'http://login.keel.test' }, /without TLS/],
    ['a broken encryption certificate', { 'AuthServer:EncryptionCertificate': 'x' }, /EncryptionCertificate/],
  ])('it does not start with %s', async (_what, settings, text) => {
    await expect(startInProduction(settings)).rejects.toThrow(text)
  })
})

describe('CORS', () => {
  const page = 'http://localhost:4200'
  const preflight = (path: string, origin: string) =>
    auth.fetch(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-requested-with',
      },
    })
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

  test.each([
    '/.well-known/openid-configuration',
    '/.well-known/jwks',
    '/connect/token',
    '/connect/userinfo',
    '/connect/revocat',
    '/connect/introspect',
    '/device',
  ])('pages of a client may ask first whether they may call %s', async (path) => {
    const answer = await preflight(path, page)
    expect([answer.status, allowed(answer)]).toEqual([204, page])
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-requested-with')
  })

  const call = (path: string, origin: string, fields?: Record<string, string>, token?: string) =>
    auth.fetch(path, {
      headers: { origin, ...(token && { authorization: `Bearer ${token}` }) },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    })

  test.each(['null', 'http://evil.example', 'http://localhost:4200.evil.example'])(
    'pages of %s may not call where a client is named',
    async (origin) => {
      const client_id = 'Core_App'
      const fields = {
        grant_type: 'password',
        username: 'admin',
        password: '1q2w3E*',
        scope: 'openid Core',
        client_id,
      }
      const { body } = await auth.post('/connect/token', fields)
      const answers = await Promise.all([
        call('/connect/token', origin, fields),
        call('/connect/revocat', origin, { client_id, token: 'x' }),
        call('/connect/introspect', origin, { client_id, token: 'x' }),
        call('/connect/userinfo', origin, undefined, body.access_token),
      ])
      expect(answers.map((answer) => [answer.ok, allowed(answer)])).toEqual(answers.map(() => [false, null]))
    },
  )

  test('the pages of a client may call, and those of another client only where none is named', async () => {
    const asked = { grant_type: 'refresh_token', client_id: 'admin', refresh_token: 'x' }
    const own = await call('/connect/token', 'http://localhost:4002', asked)
    const others = await call('/connect/token', 'http://localhost:4005', asked)
    const keys = await call('/.well-known/jwks', 'http://localhost:4005')
    expect([own, others, keys].map(allowed)).toEqual(['http://localhost:4002', null, 'http://localhost:4005'])
  })
})
