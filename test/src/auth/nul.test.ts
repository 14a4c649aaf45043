import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost, tooling, webApp } from './auth-host.js'
import { authorizationRequest, tokensFor } from './sign-in.js'

// PostgreSQL refuses texts with the character NUL. Each of these must be refused before a statement is made of it.
const nul = 'a\0b'
const app = { client_id: webApp.client_id }

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth.close())

const addresses = [
  '/%00',
  '/nowhere?x=a%00b',
  '/connect/authorize?client_id=a%00b',
  ...Object.keys({
    scope: 0,
    state: 0,
    redirect_uri: 0,
    login_hint: 0,
    prompt: 0,
    culture: 0,
    resource: 0,
  }).map((name) => authorizationRequest({ [name]: nul }).address),
  '/connect/authorize/a%00b',
  '/connect/endsession?client_id=a%00b',
  '/connect/logout?id_token_hint=a%00b',
  '/connect/endsession?post_logout_redirect_uri=a%00b',
  '/connect/endsession/success?client_id=a%00b',
  '/connect/userinfo?access_token=a%00b',
  '/connect/verify?user_code=a%00b',
  '/.well-known/openid-configuration?x=a%00b',
  '/Account/Login?returnUrl=a%00b',
  '/Account/Login?LinkUserId=a%00b&LinkToken=a%00b',
  '/Account/Login/a%00b',
  '/Account/Register?returnUrl=a%00b',
  '/Account/ResetPassword?userId=a%00b&resetToken=a%00b',
  '/Account/EmailConfirmation?userId=a%00b&confirmationToken=a%00b',
  '/Account/SecurityLogs?page=a%00b',
  '/signin-google?code=a%00b&state=a%00b',
  '/signin-oidc/contoso?code=a%00b&state=a%00b',
]

test.each(addresses)('GET %s is 400', async (address) => {
  const answers = await Promise.all(
    ['text/html', 'application/json'].map((accept) =>
      auth.fetch(address, { redirect: 'manual', headers: { accept } }),
    ),
  )
  expect(answers.map(({ status, headers }) => [status, headers.get('content-type')?.split(';')[0]])).toEqual([
    [400, 'text/html'],
    [400, 'application/json'],
  ])
})

const forms: readonly (readonly [path: string, valid: Record<string, string>, fields: readonly string[]])[] =
  [
    [
      '/connect/token',
      { ...app, grant_type: 'password', username: 'operator', password, scope: 'Core' },
      [
        'client_id',
        'grant_type',
        'username',
        'password',
        'scope',
        'TwoFactorCode',
        'RecoveryCode',
        'resource',
      ],
    ],
    ['/connect/token', { ...tooling, grant_type: 'client_credentials' }, ['client_id', 'client_secret']],
    ['/connect/token', { ...app, grant_type: 'refresh_token' }, ['refresh_token']],
    [
      '/connect/token',
      { ...app, grant_type: 'authorization_code' },
      ['code', 'code_verifier', 'redirect_uri'],
    ],
    ['/connect/token', { ...app, grant_type: 'LinkLogin' }, ['access_token', 'LinkUserId', 'LinkTenantId']],
    [
      '/connect/token',
      { ...app, grant_type: 'Impersonation' },
      ['UserId', 'TenantUserName', 'UserDelegationId'],
    ],
    ['/connect/introspect', { ...tooling, token: 'x' }, ['client_id', 'token', 'token_type_hint']],
    ['/connect/revocat', { ...app, token: 'x' }, ['client_id', 'token', 'token_type_hint']],
    ['/connect/userinfo', {}, ['access_token']],
    ['/device', { ...app, scope: 'Core' }, ['client_id', 'scope']],
    ['/connect/endsession', {}, ['client_id', 'id_token_hint', 'state']],
    ['/connect/endsession/confirm', {}, ['xsrf', 'logout']],
    ['/connect/authorize', { ...app, response_type: 'code' }, ['client_id', 'scope', 'state']],
    ['/Account/Login', {}, ['userName', 'password', 'token', 'secondFactorToken', 'renewalToken', 'unknown']],
    ['/Account/Register', {}, ['userName', 'email']],
    ['/Account/ForgotPassword', {}, ['email']],
    ['/Account/ExternalLogin', {}, ['provider']],
  ]

test.each(forms.flatMap(([path, valid, fields]) => fields.map((field) => [path, field, valid] as const)))(
  'POST %s with it in %s is 400',
  async (path, field, valid) => {
    const body = new URLSearchParams({ ...valid, [field]: nul })
    expect((await auth.fetch(path, { method: 'POST', body, redirect: 'manual' })).status).toBe(400)
  },
)

test('the forms of signed-in people and of a sign-in under way are refused like others', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  expect((await browser.submit(page, { userName: nul, password })).status).toBe(400)
  await tokensFor(auth, browser, 'operator')
  const profile = await browser.open('/Account/Manage')
  expect((await browser.submit(profile, { name: nul }, 'name="surname"')).status).toBe(400)
})

test('ABP’s login by JSON names the member', async () => {
  for (const member of ['userNameOrEmailAddress', 'password']) {
    const input = { userNameOrEmailAddress: 'operator', password, rememberMe: false, [member]: nul }
    const answer = await auth.fetch('/api/account/login', {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json' },
    })
    const { error } = (await answer.json()) as { error: { validationErrors: { members: string[] }[] } }
    expect([answer.status, error.validationErrors[0]?.members]).toEqual([400, [member]])
  }
})

test('a code of a device with it, from a browser that the form was not shown in, is asked for anew', async () => {
  const body = new URLSearchParams({ user_code: nul })
  const answer = await auth.fetch('/connect/verify', { method: 'POST', body, redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/\/connect\/verify$/),
  ])
})

test('a client id in the header is refused like others', async () => {
  const authorization = `Basic ${Buffer.from('a%00b:secret').toString('base64')}`
  const { status, body } = await auth.post(
    '/connect/token',
    { grant_type: 'client_credentials' },
    { authorization },
  )
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})

test('an address to return to that has it in a second encoding is no fault of ours', async () => {
  const browser = auth.browser()
  const again = encodeURIComponent('/connect/authorize?client_id=a%00b')
  const page = await browser.open(`/Account/Login?returnUrl=${again}`)
  expect(page.status).toBe(200)
  expect((await browser.submit(page, { userName: 'operator', password })).status).toBe(400)
})
