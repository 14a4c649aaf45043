import { createHash } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { UserDirectory, UserLogins } from '@keel/identity/contracts'
import { ExternalProviders } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, issuer, password, startAuthHost } from './auth-host.js'
import { authorizationRequest } from './sign-in.js'

let auth: AuthHost
/** The same server as the world sees it: behind a proxy that ends TLS. */
let secure: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
  secure = await startAuthHost({
    beside: auth,
    settings: { 'AuthServer:Authority': 'https://login.keel.test/' },
  })
  await auth.host.get(ExternalProviders).replace([
    {
      name: 'OpenIdConnect.contoso',
      enabled: true,
      properties: { Authority: 'https://localhost:9', ClientId: 'keel' },
      secretProperties: { ClientSecret: 'secret' },
    },
  ])
})
afterAll(async () => {
  await secure.close()
  await auth.close()
})

/** The server's own; the language is for scripts of ABP's UI to read too. */
const cookiesOf = (response: Response) => {
  const lines = response.headers.getSetCookie().filter((line) => !line.startsWith('.AspNetCore.Culture='))
  return lines.map((line) => {
    const [pair = '', ...attributes] = line.split('; ')
    const flags = attributes
      .map((attribute) => attribute.toLowerCase())
      .filter((flag) => !/^expires|^max-age/.test(flag))
    return [pair.split('=')[0], flags.sort().join(' ')]
  })
}

test('every cookie is out of the reach of scripts and of other sites, and goes over TLS alone where there is TLS', async () => {
  const { address } = authorizationRequest()
  const plain = await auth.fetch(address, { redirect: 'manual' })
  const encrypted = await secure.fetch(address, { redirect: 'manual' })
  const page = await secure.fetch('/Account/Login')
  const all = [...cookiesOf(plain), ...cookiesOf(encrypted), ...cookiesOf(page)]
  expect(all.length).toBeGreaterThan(4)
  for (const [name, flags] of all) expect(`${name} ${flags}`).toMatch(/httponly .*samesite=lax/)
  for (const [name, flags] of [...cookiesOf(encrypted), ...cookiesOf(page)])
    expect(`${name} ${flags}`).toMatch(/^__Host-.* path=\/ .*secure$|^__Secure-.*secure$/)
})

test('the form that takes an answer to a client may run its own script, and no other', async () => {
  const { address } = authorizationRequest({ prompt: 'none', response_mode: 'form_post' })
  const answer = await auth.fetch(address)
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(await answer.text()) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  expect(answer.headers.get('content-security-policy')).toContain(`script-src 'none' 'sha256-${hash}'`)
})

test('no link of a page leads to another site, whatever path was asked for', async () => {
  const site = auth.host.url.replace(/\/$/, '')
  for (const path of [
    '//evil.example/x',
    '//evil.example',
    '///evil.example/x?y=1',
    '/./%2e%2e//evil.example',
  ]) {
    const page = await rawGet(site, path)
    const links = [...page.matchAll(/ (?:href|action|src)="([^"]*)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(2)
    expect([path, links.filter((link) => !/^(\/(?!\/)|data:|#)/.test(link))]).toEqual([path, []])
  }
})

test('a request that names another server in its first line gets a document of this one', async () => {
  const document = JSON.parse(
    await rawGet(auth.host.url, 'http://evil.example/.well-known/openid-configuration'),
  ) as Record<string, unknown>
  expect([document['authorization_endpoint'], JSON.stringify(document).includes('evil')]).toEqual([
    `${issuer}connect/authorize`,
    false,
  ])
})

/** The body of a page, asked for by a path as it is: `fetch` would tidy it up. */
function rawGet(site: string, path: string): Promise<string> {
  const { hostname, port } = new URL(site)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, headers: { accept: 'text/html' }, agent: false }
    http
      .get(options, (answer) => new Response(Readable.toWeb(answer) as never).text().then(resolve, reject))
      .on('error', reject)
  })
}

test('a session that somebody planted in a browser is not the one that is signed in', async () => {
  const attacker = auth.browser()
  const begun = await attacker.open(authorizationRequest().address)
  const planted = attacker.cookieHeader('/')
  await attacker.submit(begun, { userName: 'operator', password })
  const after = attacker.cookieHeader('/')
  const sessionIn = (cookies: string) => /keel\.session=([^;]+)/.exec(cookies)?.[1]
  expect(sessionIn(after)).toBeDefined()
  expect(sessionIn(after)).not.toBe(sessionIn(planted))
  const stranger = await auth.fetch(authorizationRequest({ prompt: 'none' }).address, {
    redirect: 'manual',
    headers: { cookie: planted },
  })
  expect(stranger.headers.get('location')).toContain('error=login_required')
})

describe('a form that this server did not show in this browser', () => {
  test.each([
    ['the login form', '/Account/Login', { userName: 'admin', password }],
    ['the start of a sign-in elsewhere', '/Account/ExternalLogin', { provider: 'OpenIdConnect.contoso' }],
    [
      'the link with an account elsewhere',
      '/Account/ExternalLogin',
      { action: 'link', userName: 'admin', password },
    ],
    [
      'a new account',
      '/Account/ExternalLogin',
      { action: 'register', newUserName: 'x', email: 'x@example.com' },
    ],
    ['the removal of an account elsewhere', '/Account/ExternalLogins', { provider: 'Google', key: 'csrf' }],
    ['an account elsewhere to add', '/Account/ExternalLogins', { provider: 'OpenIdConnect.contoso' }],
  ])('does nothing: %s', async (_case, path, fields) => {
    const browser = auth.browser()
    const page = await browser.open('/Account/Login')
    await browser.submit(page, { userName: 'pricing', password })
    const pricing = await auth.host.get(UserDirectory).findByUserName('pricing')
    const logins = auth.host.get(UserLogins)
    if (!(await logins.findUser('Google', 'csrf')))
      await logins.add(pricing?.id ?? '', {
        loginProvider: 'Google',
        providerKey: 'csrf',
        providerDisplayName: null,
      })
    const answer = await auth.fetch(path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields as unknown as Record<string, string>),
      headers: { cookie: browser.cookieHeader('/') },
    })
    expect([400, 303]).toContain(answer.status)
    expect(answer.headers.get('location') ?? '/').toMatch(/^\//)
    expect(cookiesOf(answer).map(([name]) => name)).not.toContain('keel.session')
    expect(await logins.findUser('Google', 'csrf')).toBe(pricing?.id)
    expect(await auth.host.get(UserDirectory).findByUserName('x')).toBeUndefined()
  })
})

test.each([
  '/',
  '/Account/Login',
  '/Account/ExternalLogins',
  '/Account/ExternalLogin',
  '/signin-oidc/contoso',
  '/nowhere',
])('no page can be framed or cached, or tells where somebody came from: %s', async (path) => {
  const { headers } = await auth.fetch(path, { headers: { accept: 'text/html' } })
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(
    ['x-frame-options', 'referrer-policy', 'x-content-type-options'].map((name) => headers.get(name)),
  ).toEqual(['DENY', 'no-referrer', 'nosniff'])
  expect(headers.get('cache-control')).toContain('no-store')
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/./%2f/evil.example',
  '/%09/evil.example',
  'javascript:alert(1)',
  '/.//evil.example',
])('signing in leads nobody to %s', async (returnUrl) => {
  const browser = auth.browser()
  const page = await browser.open(`/Account/Login?ReturnUrl=${encodeURIComponent(returnUrl)}`)
  const { callback } = await browser.submit(page, { userName: 'customer', password })
  expect(callback).toBeUndefined()
})

describe('ABP’s sign-in by cookie', () => {
  const login = (body: unknown, headers: Record<string, string> = {}) =>
    auth.fetch('/api/account/login', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const cookieOf = (response: Response) =>
    response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  const isSignedIn = async (cookie: string) => {
    const { address } = authorizationRequest({ prompt: 'none' })
    const answer = await auth.fetch(address, { redirect: 'manual', headers: { cookie } })
    return answer.headers.get('location')?.includes('code=') ?? false
  }

  test('signs in and out', async () => {
    const answer = await login({ userNameOrEmailAddress: 'manager', password, rememberMe: true })
    expect([answer.status, await answer.json()]).toEqual([200, { result: 1, description: 'Success' }])
    const cookie = cookieOf(answer)
    expect(await isSignedIn(cookie)).toBe(true)
    const out = await auth.fetch('/api/account/logout', { headers: { cookie } })
    expect([out.status, await isSignedIn(cookie)]).toEqual([204, false])
  })

  test('says what is wrong as ABP does, and signs nobody in', async () => {
    const wrong = await login({ userNameOrEmailAddress: 'manager', password: 'wrong' })
    expect([wrong.status, await wrong.json()]).toEqual([
      200,
      { result: 2, description: 'InvalidUserNameOrPassword' },
    ])
    expect(await isSignedIn(cookieOf(wrong))).toBe(false)
    const empty = await login({})
    expect([empty.status, empty.headers.get('_AbpErrorFormat')]).toEqual([400, 'true'])
    expect(
      (
        (await empty.json()) as { error: { validationErrors: { members: string[] }[] } }
      ).error.validationErrors.map(({ members }) => members),
    ).toEqual([['userNameOrEmailAddress'], ['password']])
  })

  test('is no way in for pages elsewhere', async () => {
    const input = { userNameOrEmailAddress: 'manager', password }
    const answers = [
      await login(input, { 'sec-fetch-site': 'cross-site' }),
      await login(JSON.stringify(input), { 'content-type': 'text/plain' }),
      await login(new URLSearchParams(input).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 415, 415])
    const cookie = cookieOf(await login(input))
    const out = await auth.fetch('/api/account/logout', {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect([out.status, await isSignedIn(cookie)]).toEqual([403, true])
  })
})

test('a form larger than any of ours is refused as OAuth refuses, wherever clients send one', async () => {
  for (const path of ['/connect/token', '/connect/introspect', '/connect/revocat']) {
    const response = await auth.fetch(path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'Core_App', token: 'x'.repeat(60_000) }),
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'failed to parse the request body' },
    ])
  }
})
