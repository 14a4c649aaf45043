import { sql } from '@keel/framework/data'
import { UserDirectory } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost, tooling } from './auth-host.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest } from './sign-in.js'

const settings = {
  'SignInLimits:FailuresPerAddress': '8',
  'SignInLimits:FailuresPerName': '4',
  'AuthServer:ErrorsPerMinute': '6',
  'App:TrustedProxies': '1',
  'SignInLimits:RegistrationsPerAddress': '3',
  'SignInLimits:DeviceCodesPerAddress': '3',
  'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true',
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

let auth: AuthHost
/** A second copy of the server on the same database. */
let other: AuthHost

beforeAll(async () => {
  auth = await startAuthHost({ settings })
  other = await startAuthHost({ settings, beside: auth })
})
afterAll(async () => {
  await other.close()
  await auth.close()
})

function byPassword(host: AuthHost, address: string, username: string, secret = password) {
  const fields = { grant_type: 'password', client_id: 'Core_App', scope: 'Core', username, password: secret }
  return host.post('/connect/token', fields, { 'x-forwarded-for': address })
}

test('an address that gave too many wrong passwords waits, at every copy of the server and for every name, and others do not', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 9; attempt++)
    statuses.push(
      (await byPassword(attempt % 2 ? auth : other, '203.0.113.1', `guess-${attempt}`, 'x')).status,
    )
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 400, 400, 429])
  const refused = await byPassword(auth, '203.0.113.1', 'admin')
  expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600)
  expect((await byPassword(auth, '203.0.113.2', 'admin')).status).toBe(200)
})

test('the login page says so too', async () => {
  for (let attempt = 0; attempt < 8; attempt++) await byPassword(auth, '203.0.113.3', `other-${attempt}`, 'x')
  const headers = { 'x-forwarded-for': '203.0.113.3' }
  const shown = await auth.fetch('/Account/Login', { headers })
  const token = /name="token" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
  const cookie = shown.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const body = new URLSearchParams({ token, userName: 'admin', password })
  const answer = await auth.fetch('/Account/Login', { method: 'POST', body, headers: { ...headers, cookie } })
  expect([answer.status, Number(answer.headers.get('retry-after')) > 600]).toEqual([429, true])
})

test('a whole network of IPv6 is one address', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 9; attempt++)
    statuses.push((await byPassword(auth, `2001:db8:0:1::${attempt + 1}`, `six-${attempt}`, 'x')).status)
  expect(statuses.at(-1)).toBe(429)
  expect((await byPassword(auth, '2001:db8:0:2::1', 'admin')).status).toBe(200)
})

test('a name that too many wrong passwords were given for waits, wherever they come from, also one that is never locked out', async () => {
  await auth.database.execute(
    sql`update "AbpUsers" set "LockoutEnabled" = false where "UserName" = 'manager'`,
  )
  const statuses: number[] = []
  for (let attempt = 0; attempt < 5; attempt++)
    statuses.push((await byPassword(auth, `198.51.100.${attempt}`, 'Manager ', 'x')).status)
  expect(statuses).toEqual([400, 400, 400, 400, 429])
  expect((await byPassword(other, '198.51.100.99', 'manager')).status).toBe(429)
})

test('clients that try codes, refresh tokens and secrets wait, and others do not', async () => {
  const attempts: Record<string, string>[] = [
    { grant_type: 'refresh_token', client_id: 'Core_App', refresh_token: 'guess' },
    { grant_type: 'client_credentials', ...tooling, client_secret: 'guess' },
    { grant_type: 'authorization_code', client_id: 'Core_App', code: 'guess', code_verifier: 'guess' },
  ]
  const send = (fields: Record<string, string>, address: string) =>
    auth.post('/connect/token', fields, { 'x-forwarded-for': address })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt++)
    statuses.push((await send(attempts[attempt % 3] ?? {}, '192.0.2.1')).status)
  expect(statuses).toEqual([400, 401, 400, 400, 401, 400])
  const refused = await send({ grant_type: 'client_credentials', ...tooling, scope: 'Core' }, '192.0.2.1')
  expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(
    (await send({ grant_type: 'client_credentials', ...tooling, scope: 'Core' }, '192.0.2.2')).status,
  ).toBe(200)
})

test('a site that passes on codes which are none is not stopped by them, nor are others at its address', async () => {
  const send = (fields: Record<string, string>) =>
    auth.post('/connect/token', { ...fields, ...tooling }, { 'x-forwarded-for': '192.0.2.11' })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 10; attempt++)
    statuses.push((await send({ grant_type: 'refresh_token', refresh_token: `rubbish-${attempt}` })).status)
  expect(new Set(statuses)).toEqual(new Set([400]))
  expect((await send({ grant_type: 'client_credentials', scope: 'Core' })).status).toBe(200)
  expect((await byPassword(auth, '192.0.2.11', 'operator')).status).toBe(200)
})

test('devices that wait for their user do not use up the errors of their address', async () => {
  await seedClients(auth, { ClientId: 'dock', GrantTypes: [deviceGrant] })
  const from = { 'x-forwarded-for': '192.0.2.12' }
  const { body } = await auth.post('/device', { client_id: 'dock', scope: 'Core' }, from)
  const ask = () =>
    auth.post(
      '/connect/token',
      { grant_type: deviceGrant, client_id: 'dock', device_code: body.device_code },
      from,
    )
  const errors: string[] = []
  for (let attempt = 0; attempt < 8; attempt++) errors.push((await ask()).body.error)
  expect(new Set(errors)).toEqual(new Set(['authorization_pending', 'slow_down']))
})

test('secrets of clients are not tried at the device endpoint without end', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 7; attempt++) {
    const fields = { client_id: tooling.client_id, client_secret: `guess-${attempt}`, scope: 'Core' }
    statuses.push((await auth.post('/device', fields, { 'x-forwarded-for': '192.0.2.13' })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429])
})

test('an address that tried too many user codes of devices waits at every copy, and others do not', async () => {
  const type = async (host: AuthHost, address: string, user_code: string) => {
    const browser = host.browser({ 'x-forwarded-for': address })
    return browser.submit(await browser.open('/connect/verify'), { user_code })
  }
  await seedClients(auth, { ClientId: 'dock', GrantTypes: [deviceGrant] })
  const begun = await auth.post('/device', { client_id: 'dock', scope: 'Core' })
  const code: string = begun.body.user_code
  // Right codes and empty ones are no guesses.
  for (const typed of [code, code, '', code]) await type(auth, '192.0.2.21', typed)
  const guesses = [await type(auth, '192.0.2.21', 'BBBB-BBBB'), await type(other, '192.0.2.21', 'BBBB-BBBC')]
  guesses.push(await type(auth, '192.0.2.21', 'BBBB-BBBD'), await type(other, '192.0.2.21', code))
  expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400, 429])
  expect(guesses[3]?.html).toContain('15 min.')
  expect((await type(auth, '192.0.2.22', code)).status).toBe(200)
})

test('a path in capitals, or with a slash behind it, has the limits of its endpoint', async () => {
  const spellings = ['/connect/token/', '/CONNECT/token', '/Connect/Token/']
  const statuses: number[] = []
  for (let attempt = 0; attempt < 7; attempt++) {
    const fields = { grant_type: 'refresh_token', client_id: 'Core_App', refresh_token: 'guess' }
    const path = spellings[attempt % 3] ?? ''
    statuses.push((await auth.post(path, fields, { 'x-forwarded-for': '192.0.2.14' })).status)
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429])
  const browser = auth.browser({ 'x-forwarded-for': '192.0.2.23' })
  const typed: number[] = []
  for (const [path, user_code] of [
    ['/connect/verify/', 'BBBB-BBBB'],
    ['/CONNECT/VERIFY', 'BBBB-BBBC'],
    ['/connect/Verify/', 'BBBB-BBBD'],
    ['/connect/verify/', 'BBBB-BBBF'],
  ] as const) {
    const page = await browser.open('/connect/verify')
    const html = page.html.replaceAll(/action="[^"]*"/g, `action="${path}"`)
    typed.push((await browser.submit({ ...page, html }, { user_code })).status)
  }
  expect(typed).toEqual([400, 400, 400, 429])
})

test('an address that tried codes of second factors for many users waits, and others do not', async () => {
  const users = auth.host.get(UserDirectory)
  const stolen = 'Abc-Crane5'
  for (const number of [1, 2, 3]) {
    const userName = `factor${number}`
    const email = `${userName}@example.com`
    const { id } = await users.create({ userName, email, password: stolen, isEmailConfirmed: true })
    await users.setTwoFactorEnabled(id, true)
  }
  const guess = async (userName: string, address: string) => {
    const client = { grant_type: 'password', client_id: 'Core_App', scope: 'Core' }
    const proof = { TwoFactorProvider: 'Email', TwoFactorCode: '000000' }
    const from = { 'x-forwarded-for': address }
    const fields = { ...client, ...proof, username: userName, password: stolen }
    return (await auth.post('/connect/token', fields, from)).status
  }
  const statuses: number[] = []
  for (const number of [1, 2, 3, 1, 2, 3, 1, 2, 3])
    statuses.push(await guess(`factor${number}`, '192.0.2.41'))
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 400, 400, 429])
  expect(await guess('factor3', '192.0.2.42')).toBe(400)
})

test('an address that tried many names to register with waits, and others do not', async () => {
  const register = async (address: string, userName: string) => {
    const browser = auth.browser({ 'x-forwarded-for': address })
    const emailAddress = `${userName}@example.com`
    const filled = { userName, emailAddress, newPassword: 'Abc-Crane5', confirmation: 'Abc-Crane5' }
    return (await browser.submit(await browser.open('/Account/Register'), filled)).status
  }
  const statuses: number[] = []
  for (const userName of ['admin', 'manager', 'new-one', 'new-two'])
    statuses.push(await register('192.0.2.31', userName))
  expect(statuses).toEqual([400, 400, 200, 429])
  expect(await register('192.0.2.32', 'new-two')).toBe(200)
})

test('a form that is not complete tells which names are taken only so often, too', async () => {
  const browser = auth.browser({ 'x-forwarded-for': '192.0.2.33' })
  const told: (number | boolean)[][] = []
  for (const userName of ['admin', 'manager', 'operator', 'pricing']) {
    const page = await browser.submit(await browser.open('/Account/Register'), { userName, emailAddress: '' })
    told.push([page.status, page.html.includes('id="userName-fault"')])
  }
  expect(told).toEqual([
    [400, true],
    [400, true],
    [400, true],
    [429, false],
  ])
})

test('a lock-out does not tell whether there is such a user', async () => {
  const roomy = await startAuthHost()
  const pages: string[] = []
  for (const userName of ['operator', 'nobody-at-all']) {
    const browser = roomy.browser()
    let page = await browser.open(authorizationRequest({ state: 'same', nonce: 'same' }).address)
    const shown: string[] = []
    for (let attempt = 0; attempt < 6; attempt++) {
      const asked = await browser.open(`/Account/Login`)
      page = await browser.submit(asked, { userName, password: 'wrong' })
      shown.push(
        `${page.status} ${page.html.replaceAll(userName, 'NAME').replace(/value="[\w-]{43}"|<code>\w+<\/code>/g, '')}`,
      )
    }
    pages.push(shown.join('\n'))
  }
  expect(pages[1]).toBe(pages[0])
  expect(pages[0]).toContain('15 minutes')
  await roomy.close()
})
