import { sql } from '@keel/framework/data'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, password, startAuthHost } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'
import { relyingParty } from './relying-party.js'
import { seedClients } from './seed-clients.js'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

let auth: AuthHost
let scanner: oidc.Configuration

beforeAll(async () => {
  auth = await startAuthHost()
  await seedClients(auth, {
    ClientId: 'scanner',
    DisplayName: 'Dock scanner',
    GrantTypes: [deviceGrant, 'refresh_token'],
  })
  scanner = await relyingParty(auth, 'scanner')
})
afterAll(() => auth?.close())

const begin = (scope = 'openid offline_access Core') => oidc.initiateDeviceAuthorization(scanner, { scope })

/** Asks for the tokens without the pause of a real device. */
const poll = (begun: oidc.DeviceAuthorizationResponse) =>
  oidc.pollDeviceAuthorizationGrant(scanner, { ...begun, interval: 0.05 })

const ask = (deviceCode: string) =>
  auth.post('/connect/token', { grant_type: deviceGrant, client_id: 'scanner', device_code: deviceCode })

/** Types the code, confirms it and signs in. */
async function letIn(browser: Browser, userCode: string, userName = 'operator'): Promise<Arrival> {
  const typed = await browser.submit(await browser.open('/connect/verify'), { user_code: userCode })
  const login = await browser.submit(typed, { confirm: 'yes' })
  return login.html.includes('name="password"') ? browser.submit(login, { userName, password }) : login
}

test('a device gets tokens once somebody typed its code, confirmed it and signed in', async () => {
  const begun = await begin()
  expect(begun).toMatchObject({
    verification_uri: `${issuer}connect/verify`,
    verification_uri_complete: `${issuer}connect/verify?user_code=${begun.user_code}`,
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    expires_in: 600,
    interval: 5,
  })
  expect((await ask(begun.device_code)).body.error).toBe('authorization_pending')
  const done = await letIn(auth.browser(), begun.user_code)
  const tokens = await poll(begun)
  expect(done.html).toContain('The device is signed in')
  expect(claimsOf(tokens.access_token)).toMatchObject({
    aud: 'Core',
    client_id: 'scanner',
    preferred_username: 'operator',
  })
  expect(tokens.claims()?.aud).toBe('scanner')
  const again = await oidc.refreshTokenGrant(scanner, tokens.refresh_token ?? '')
  expect(claimsOf(again.access_token).sub).toBe(tokens.claims()?.sub)
})

test('a device that asks too often is told to slow down, by five seconds more each time, and gets its tokens once it was let in', async () => {
  const { device_code, user_code } = await begin()
  const answers: unknown[] = []
  for (const secondsLater of [0, 0, 8, 14.5, 14.5]) {
    // As if so many seconds had gone by since the last question.
    await auth.database.execute(sql`
      update "OpenIddictTokens" set "Properties" = jsonb_set("Properties"::jsonb, '{AskedAt}', to_jsonb(("Properties"::jsonb ->> 'AskedAt')::float8 - ${secondsLater}::float8))::text
      where "ReferenceId" is not null and "Properties" is not null and "Type" = 'device_code'`)
    answers.push((await ask(device_code)).body.error)
  }
  expect(answers).toEqual([
    'authorization_pending',
    // Five seconds each, then ten, then fifteen.
    'slow_down',
    'slow_down',
    'authorization_pending',
    'authorization_pending',
  ])
  await letIn(auth.browser(), user_code)
  expect((await ask(device_code)).status).toBe(200)
})

test('the link of a device has its code typed in, and still asks to confirm, with the client’s name', async () => {
  const begun = await begin()
  const browser = auth.browser()
  const page = await browser.open(`/connect/verify?user_code=${begun.user_code}`)
  expect(page.html).toContain(`value="${begun.user_code}"`)
  const confirm = await browser.submit(page, { user_code: begun.user_code })
  expect([confirm.html.includes('Dock scanner'), confirm.html.includes(begun.user_code)]).toEqual([
    true,
    true,
  ])
})

test('small letters and spaces do for a code, and who is signed in need not sign in again', async () => {
  const browser = auth.browser()
  await letIn(browser, (await begin()).user_code)
  const begun = await begin()
  const done = await letIn(browser, ` ${begun.user_code.toLowerCase().replace('-', ' ')} `)
  expect(done.html).toContain('The device is signed in')
  expect((await ask(begun.device_code)).status).toBe(200)
})

test('a device that is not let in is told so', async () => {
  const begun = await begin()
  const browser = auth.browser()
  const typed = await browser.submit(await browser.open('/connect/verify'), { user_code: begun.user_code })
  const refused = await browser.submit(typed, { abort: 'yes' })
  expect(refused.html).toContain('The device was not let in')
  expect((await ask(begun.device_code)).body.error).toBe('access_denied')
})

test.each([
  ['that does not exist', async () => 'BBBB-BBBB', 'There is no such code'],
  ['that is missing', async () => '', 'There is no such code'],
  [
    'that was used',
    async () => {
      const { user_code } = await begin()
      await letIn(auth.browser(), user_code)
      return user_code
    },
    'used already',
  ],
  [
    'that has ended',
    async () => {
      const { user_code } = await begin()
      await auth.database.execute(sql`
        update "OpenIddictTokens" set "Payload" = jsonb_set("Payload"::jsonb, '{exp}', '1')::text where "Type" = 'device_code' and "Status" = 'valid'`)
      return user_code
    },
    'has expired',
  ],
])('a code %s leads back to the form', async (_what, code, message) => {
  const browser = auth.browser()
  const answer = await browser.submit(await browser.open('/connect/verify'), { user_code: await code() })
  expect([answer.status, answer.html.includes(message)]).toEqual([400, true])
})

test('a form of another site lets nothing in', async () => {
  const { user_code, device_code } = await begin()
  const browser = auth.browser()
  const page = await browser.open('/connect/verify')
  await browser.submit(page, { user_code, confirm: 'yes', xsrf: 'forged' })
  expect((await ask(device_code)).body.error).toBe('authorization_pending')
})

test('a device code gives tokens once, to its client alone', async () => {
  const { device_code, user_code } = await begin()
  await letIn(auth.browser(), user_code)
  const other = { grant_type: deviceGrant, client_id: 'Core_App', device_code }
  expect((await auth.post('/connect/token', other)).status).toBe(400)
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(device_code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('neither code of a device stands in the database, and what does is no code', async () => {
  const { device_code, user_code } = await begin()
  const [row] = await auth.database.query<{ id: string; whole: string }>(sql`
    select t."Id" as id, t::text as whole from "OpenIddictTokens" t where "Type" = 'device_code' order by "CreationDate" desc limit 1`)
  expect(row?.whole).not.toMatch(new RegExp(`${device_code}|${user_code.replace('-', '-?')}`))
  expect((await ask(`row~${row?.id}`)).body.error).toBe('invalid_grant')
})

test.each([
  ['a client without the flow', { client_id: 'admin', scope: 'Core' }, 'invalid_request'],
  ['an unknown scope', { client_id: 'scanner', scope: 'Core nothing' }, 'invalid_scope'],
  ['an unknown client', { client_id: 'ghost', scope: 'Core' }, 'invalid_client'],
])('%s is refused', async (_what, fields, error) => {
  expect((await auth.post('/device', fields)).body.error).toBe(error)
})
