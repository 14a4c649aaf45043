import { clientCredentials, passwordLogin, type Tokens } from '@keel/hub-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, claimsOf, issuer, password, startAuthHost } from './auth-host.js'
import { seedClients } from './seed-clients.js'

const secret = 'development-only-robot-secret'
let auth: AuthHost
beforeAll(async () => {
  auth = await startAuthHost()
  await seedClients(auth, {
    ClientId: 'robot',
    Type: 'confidential',
    ClientSecret: secret,
    GrantTypes: ['client_credentials'],
    Scopes: ['Core'],
  })
})
afterAll(() => auth?.close())

test('a password login signs in once, renews with its refresh token, and signs in again when that is refused', async () => {
  const grants: string[] = []
  const stored: (Tokens | undefined)[] = []
  const login = passwordLogin({
    authority: issuer,
    clientId: 'Core_App',
    scope: 'Core offline_access',
    userName: 'admin',
    password,
    store: { load: () => undefined, save: (tokens) => void stored.push(tokens) },
    fetch: (url, init) => {
      grants.push(new URLSearchParams(String(init?.body)).get('grant_type') ?? '')
      return auth.fetch(url, init)
    },
  })
  const [first, same] = await Promise.all([login.token(), login.token()])
  expect(claimsOf(first ?? '')).toMatchObject({ aud: 'Core', preferred_username: 'admin' })
  expect([same === first, await login.token()]).toEqual([true, first])
  expect(stored[0]?.expiresAt).toBeGreaterThan(Date.now() + 60_000)
  const second = await login.renew(first)
  expect(claimsOf(second ?? '').sub).toBe(claimsOf(first ?? '').sub)
  await login.set({ accessToken: 'ended', expiresAt: 0, refreshToken: 'ended' })
  expect(claimsOf((await login.token()) ?? '').preferred_username).toBe('admin')
  expect(grants).toEqual(['password', 'refresh_token', 'refresh_token', 'password'])
})

test('a refused password is an error with the code of OAuth, and is not sent again', async () => {
  let sent = 0
  const login = passwordLogin({
    authority: issuer,
    clientId: 'Core_App',
    userName: 'admin',
    password: 'wrong',
    fetch: (url, init) => {
      sent++
      return auth.fetch(url, init)
    },
  })
  await expect(login.token()).rejects.toMatchObject({
    name: 'UnauthenticatedError',
    code: 'invalid_grant',
    status: 400,
  })
  expect(sent).toBe(1)
})

test('client credentials give a program a token of its own', async () => {
  const login = clientCredentials({
    authority: issuer,
    clientId: 'robot',
    clientSecret: secret,
    scope: 'Core',
    fetch: auth.fetch,
  })
  expect(claimsOf((await login.token()) ?? '')).toMatchObject({ client_id: 'robot', aud: 'Core' })
})
