import { sql } from '@keel/framework/data'
import { StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost } from './auth-host.js'
import { authorizationRequest, redeem, refresh, signIn, tokensFor } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
beforeEach(async () => {
  await auth.database.execute(sql`delete from "AbpSessions"`)
})
afterAll(() => auth.close())

/** Another seeded client of browsers. */
const administration = {
  client_id: 'admin',
  redirect_uri: 'http://localhost:4002/authentication/login-callback',
}
const scope = 'openid offline_access Core'

/** What signing in does to the other sessions of a user. */
async function others(
  behaviour: 'Disabled' | 'LogoutFromSameTypeDevices' | 'LogoutFromAllDevices',
): Promise<void> {
  await auth.host
    .get(StoredSettings)
    .setForEverybody({ 'Abp.Identity.Session.PreventConcurrentLogin': behaviour })
}

const byPassword = async (username = 'operator') =>
  (
    await auth.post('/connect/token', {
      grant_type: 'password',
      client_id: 'Core_App',
      username,
      password,
      scope,
    })
  ).body

/** Whether clients may still go on with these tokens. */
async function goOn(...tokens: readonly { refresh_token: string }[]): Promise<boolean[]> {
  const answers = await Promise.all(tokens.map((token) => refresh(auth, token.refresh_token)))
  return answers.map(({ status }) => status === 200)
}

test('somebody may be signed in as often as they like, unless the settings say otherwise', async () => {
  await others('Disabled')
  expect(
    await goOn(await byPassword(), await byPassword(), await tokensFor(auth, auth.browser(), 'operator')),
  ).toEqual([true, true, true])
})

test('signing in ends the sessions on devices of the same kind, and leaves others', async () => {
  await others('LogoutFromSameTypeDevices')
  const somebodyElse = await byPassword('customer')
  const [web, first] = [await tokensFor(auth, auth.browser(), 'operator'), await byPassword()]
  const second = await byPassword()
  expect(await goOn(web, first, second, somebodyElse)).toEqual([true, false, true, true])
})

test('signing in ends the sessions on all devices, and signs other browsers out', async () => {
  await others('LogoutFromAllDevices')
  const [browser, other] = [auth.browser(), auth.browser()]
  const [web, app] = [await tokensFor(auth, browser, 'operator'), await byPassword()]
  const last = await tokensFor(auth, other, 'operator')
  expect(await goOn(web, app, last)).toEqual([false, false, true])
  const [there, here] = [
    await browser.open(authorizationRequest().address),
    await other.open(authorizationRequest().address),
  ]
  expect([there.callback, here.callback?.searchParams.has('code')]).toEqual([undefined, true])
})

test('clients of one browser stay signed in together', async () => {
  await others('LogoutFromAllDevices')
  const browser = auth.browser()
  const first = await tokensFor(auth, browser, 'operator')
  const request = authorizationRequest(administration)
  const second = await redeem(auth, await signIn(browser, request, 'operator'), request, administration)
  expect(second.status).toBe(200)
  expect(await goOn(first)).toEqual([true])
})

test('of two sign-ins at once one session is left', async () => {
  await others('LogoutFromAllDevices')
  const tokens = await Promise.all([byPassword(), byPassword(), byPassword()])
  expect((await goOn(...tokens)).filter(Boolean)).toEqual([true])
})

test('an administrator who acts as a user ends none of their sessions', async () => {
  await others('LogoutFromAllDevices')
  const own = await byPassword()
  const [{ id = '' } = {}] = await auth.database.query<{ id: string }>(
    sql`select "Id" as id from "AbpUsers" where "UserName" = 'operator'`,
  )
  const acting = await auth.post('/connect/token', {
    grant_type: 'Impersonation',
    client_id: 'Core_App',
    scope,
    access_token: (await byPassword('admin')).access_token,
    UserId: id,
  })
  expect(await goOn(own, acting.body)).toEqual([true, true])
})
