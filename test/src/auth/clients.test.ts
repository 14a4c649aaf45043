import { sql } from '@keel/framework/data'
import { OpenIdErrors } from '@keel/openid/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, startAuthHost } from './auth-host.js'
import { seedClients } from './seed-clients.js'

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
    { Type: 'public', ClientSecret: 'x' },
    OpenIdErrors.PublicClientWithSecret,
  ],
  [
    'a confidential client without one',
    { Type: 'confidential' },
    OpenIdErrors.ConfidentialClientWithoutSecret,
  ],
])('%s is refused, and nothing is written', async (_case, definition, code) => {
  const clientId = `refused-${code}`
  await expect(seed({ ClientId: clientId, ...definition })).rejects.toMatchObject({
    code,
    data: { clientId },
  })
  expect(await rowOf(clientId)).toBeUndefined()
})
