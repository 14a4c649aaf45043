import { createPublicKey, type JsonWebKey, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiHost } from '@keel/api-host'
import { Databases } from '@keel/framework/data'
import { Principals } from '@keel/framework/security'
import { PortPermissions } from '@keel/hub/contracts'
import { DefaultCustomer, SuperUser } from '@keel/identity/contracts'
import { decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type App, type Caller, startApp } from '../support/app.js'
import { hasCopies } from '../support/copies.js'
import { testOfOneProcess } from '../support/one-process.js'

const ports = '/api/hub/port?maxResultCount=1'

let app: App
/** A host whose auth server says what a test wants. */
let other: App
let issuer: Issuer
/** A connection beside the host: what it changes is heard, not known. */
let database: pg.Client

beforeAll(async () => {
  issuer = await startIssuer()
  ;[app, other] = await Promise.all([
    startApp(undefined, { 'App:SendExceptionDetails': 'false' }),
    startApp(ApiHost, { 'AuthServer:Authority': issuer.address }),
  ])
  database = new pg.Client(app.host.databaseUrl('Default'))
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await Promise.all([app?.close(), other?.close()])
  await issuer?.stop()
})

/** Status and challenge of the ports for a token. */
async function ask(token: string, of: App = app): Promise<{ status: number; challenge: string | null }> {
  const response = await of.host.fetch(ports, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  return { status: response.status, challenge: response.headers.get('www-authenticate') }
}
const statusFor = async (token: string, of?: App): Promise<number> => (await ask(token, of)).status
const accepted = { status: 200, challenge: null }
const refused = { status: 401, challenge: 'Bearer error="invalid_token"' }

/** The token of a new user with these rights. */
const tokenOf = async (caller: Caller): Promise<{ token: string; userId: string }> => app.as(caller)
const reader = (): Promise<{ token: string; userId: string }> =>
  tokenOf({ permissions: [PortPermissions.View] })

/** Expects a status for a token within a second: changes are told by PostgreSQL and heard a moment later. */
const soon = (token: string) => expect.poll(() => statusOfAll(token), { timeout: 1000, interval: 10 })

/** What every copy answers; undefined while they don't agree. */
async function statusOfAll(token: string): Promise<number | undefined> {
  const status = await statusFor(token)
  return !hasCopies || status === (await statusFor(token)) ? status : undefined
}

/** The claims of a valid token of a user. */
const claimsFor = (userId: string) => ({
  iss: `${app.host.issuer.address}/`,
  aud: 'Core',
  sub: userId,
  client_id: 'Core_App',
  exp: Math.floor(Date.now() / 1000) + 600,
})
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

async function publishedKey(): Promise<JWK> {
  const { keys } = (await (await fetch(`${app.host.issuer.address}/.well-known/jwks`)).json()) as {
    keys: JWK[]
  }
  return keys[0] as JWK
}

test('a valid token is let in', async () => {
  const { token } = await reader()
  expect(await ask(token)).toEqual(accepted)
})

test('the scheme is read in any case', async () => {
  const { token } = await reader()
  const response = await app.host.fetch(ports, { headers: { authorization: `bEaReR ${token}` } })
  expect(response.status).toBe(200)
})

test('without a token the challenge names no error', async () => {
  const response = await app.host.fetch(ports)
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
})

test('a refusal carries ABP’s envelope', async () => {
  const response = await app.host.fetch(ports, { headers: { authorization: 'Bearer nonsense' } })
  expect(response.headers.get('_abperrorformat')).toBe('true')
  expect(await response.json()).toEqual({
    error: {
      code: 'Volo.Authorization:010001',
      message: 'Authentication is required to access this resource.',
      details: null,
      data: null,
      validationErrors: null,
    },
  })
})

test.each([
  ['of another issuer', { issuer: 'https://evil.example/' }],
  ['for another audience', { audience: 'Other' }],
  ['that expired', { expiresIn: -60 }],
])('a token %s is refused', async (_what, options) => {
  const { userId } = await reader()
  expect(await ask(await app.host.issuer.token({ subject: userId, ...options }))).toEqual(refused)
})

test.each([
  ['nonsense', 'nonsense'],
  ['three parts of nonsense', 'a.b.c'],
  ['nothing', ''],
  ['two words', 'a b'],
  ['a long text', 'x'.repeat(8000)],
])('%s in place of a token is refused', async (_what, token) => {
  expect(await ask(token)).toEqual(refused)
})

test('another scheme is refused', async () => {
  const response = await app.host.fetch(ports, {
    headers: { authorization: `Basic ${btoa('admin:1q2w3E*')}` },
  })
  expect(response.status).toBe(401)
})

test('a token without signature is refused', async () => {
  const { userId } = await reader()
  expect(await ask(`${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(claimsFor(userId))}.`)).toEqual(
    refused,
  )
})

test('a token that is signed with the public key as a secret is refused', async () => {
  const { userId } = await reader()
  const jwk = await publishedKey()
  const pem = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const token = await new SignJWT(claimsFor(userId))
    .setProtectedHeader({ alg: 'HS256', kid: jwk.kid as string, typ: 'at+jwt' })
    .sign(Buffer.from(pem))
  expect(await ask(token)).toEqual(refused)
})

test.each([
  ['that nobody published', async () => randomUUID()],
  ['that bears the name of a published one', async () => (await publishedKey()).kid as string],
])('a token of a key %s is refused', async (_what, kidOf) => {
  const { userId } = await reader()
  const { privateKey } = await generateKeyPair('RS256')
  const token = await new SignJWT(claimsFor(userId))
    .setProtectedHeader({ alg: 'RS256', kid: await kidOf(), typ: 'at+jwt' })
    .sign(privateKey)
  expect(await ask(token)).toEqual(refused)
})

test('a token whose claims were changed is refused', async () => {
  const { token } = await reader()
  const administrator = await app.admin()
  const [header, , signature] = token.split('.')
  expect(await ask(`${header}.${base64(claimsFor(administrator.userId))}.${signature}`)).toEqual(refused)
})

test.each(['sub', 'exp', 'aud', 'iss'])('a token without %s is refused', async (claim) => {
  const claims = await administratorClaims()
  expect(await ask(await issuer.sign({ ...claims, [claim]: undefined }), other)).toEqual(refused)
})

test('a token that is signed by a new key is let in without a restart, and so is one of the old key', async () => {
  const { userId, token: old } = await reader()
  expect(await statusFor(old)).toBe(200)
  await app.host.issuer.rotate()
  const token = await app.host.issuer.token({ subject: userId })
  // The keys are fetched at most once a second, whatever strangers send.
  await expect.poll(() => statusFor(token), { timeout: 3000, interval: 100 }).toBe(200)
  expect(await statusFor(await app.host.issuer.token({ subject: userId }))).toBe(200)
  expect(await statusFor(old)).toBe(200)
})

test('the subject is read in any case', async () => {
  const { userId } = await reader()
  expect(await statusFor(await app.host.issuer.token({ subject: userId.toUpperCase() }))).toBe(200)
})

test('while the auth server is down, tokens that are known go on', async () => {
  const token = await issuer.sign(await administratorClaims())
  expect(await ask(token, other)).toEqual(accepted)
  issuer.isDown = true
  onTestFinished(() => {
    issuer.isDown = false
  })
  expect(await ask(token, other)).toEqual(accepted)
})

test('a host that could not ask for keys yet tells tokens to wait, serves those who need none, and recovers', async () => {
  const silent = await startIssuer()
  silent.isDown = true
  const own = await startApp(ApiHost, { 'AuthServer:Authority': silent.address })
  onTestFinished(async () => {
    await own.close()
    await silent.stop()
  })
  const token = await silent.sign({ ...claimsFor((await own.admin()).userId), iss: silent.address })
  const first = await own.host.fetch(ports, { headers: { authorization: `Bearer ${token}` } })
  expect([first.status, first.headers.get('retry-after'), await first.json()]).toMatchObject([
    503,
    '5',
    { error: { message: 'The authentication server does not answer, so that tokens can not be checked.' } },
  ])
  expect((await own.host.fetch('/health/ready')).status).toBe(200)

  silent.isDown = false
  // Keys that are answered with an error are the auth server's fault, not the token's.
  for (const status of [500, 404]) {
    silent.keysStatus = status
    expect(await statusFor(token, own)).toBe(503)
  }
  silent.keysStatus = 200
  await expect.poll(() => statusFor(token, own), { timeout: 3000, interval: 100 }).toBe(200)
})

test('an address that the auth server sends us on to is not asked for keys', async () => {
  const moved = await startIssuer()
  moved.isMoved = true
  const own = await startApp(ApiHost, { 'AuthServer:Authority': moved.address })
  onTestFinished(async () => {
    await own.close()
    await moved.stop()
  })
  const token = await moved.sign({ ...claimsFor((await own.admin()).userId), iss: moved.address })
  expect(await statusFor(token, own)).toBe(503)
  moved.isMoved = false
  expect(await statusFor(token, own)).toBe(200)
})

test('a grant that is added counts at the next request, and one that is revoked no more', async () => {
  const { userId, token } = await tokenOf({})
  expect(await statusFor(token)).toBe(403)
  await grant('U', userId, PortPermissions.View)
  await soon(token).toBe(200)
  await database.query('delete from "AbpPermissionGrants" where "ProviderKey" = $1', [userId])
  await soon(token).toBe(403)
})

test('a role that is added counts at the next request, and one that is removed no more', async () => {
  const { userId, token } = await tokenOf({})
  expect(await statusFor(token)).toBe(403)
  await database.query(
    'insert into "AbpUserRoles" ("UserId", "RoleId") select $1, "Id" from "AbpRoles" where "Name" = $2',
    [userId, DefaultCustomer.name],
  )
  await soon(token).toBe(200)
  await database.query('delete from "AbpUserRoles" where "UserId" = $1', [userId])
  await soon(token).toBe(403)
})

test('a SuperUser holds what DefaultCustomer holds', async () => {
  const { token } = await tokenOf({ roles: [SuperUser] })
  expect(await statusFor(token)).toBe(200)
})

test.each([
  ['deactivated', 'set "IsActive" = false', 'set "IsActive" = true'],
  ['deleted', 'set "IsDeleted" = true', 'set "IsDeleted" = false'],
  [
    'locked out',
    `set "LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour'`,
    'set "LockoutEnd" = null',
  ],
])(
  'a user who is %s is nobody from the next request on, until that is undone',
  async (_what, change, undo) => {
    const { userId, token } = await reader()
    expect(await statusFor(token)).toBe(200)
    await database.query(`update "AbpUsers" ${change} where "Id" = $1`, [userId])
    await soon(token).toBe(401)
    expect(await ask(token)).toEqual(refused)
    await database.query(`update "AbpUsers" ${undo} where "Id" = $1`, [userId])
    await soon(token).toBe(200)
  },
)

test('a user who never was is nobody', async () => {
  expect(await ask(await app.host.issuer.token({ subject: randomUUID() }))).toEqual(refused)
})

test('a grant of a permission that nobody defines is no grant', async () => {
  const { userId } = await tokenOf({})
  await grant('U', userId, 'Nobody.Defines')
  await grant('U', userId, PortPermissions.View)
  const claims = { sub: userId, exp: 0 }
  const principals = app.host.get(Principals)
  await expect
    .poll(async () => [...(await principals.of(claims)).permissions], { timeout: 1000 })
    .toEqual([PortPermissions.View])
})

test('a client that acts for itself holds its own grants alone', async () => {
  const clientId = `tool-${randomUUID().slice(0, 8)}`
  const token = await app.host.issuer.token({ subject: clientId, clientId })
  expect(await statusFor(token)).toBe(403)
  await grant('U', clientId, PortPermissions.View)
  await grant('R', clientId, PortPermissions.View)
  await app.host.get(Databases).named('Default').feed.catchUp()
  expect(await statusFor(token)).toBe(403)
  await grant('C', clientId, PortPermissions.View)
  await soon(token).toBe(200)
})

test('a client’s grants are not those of the users who sign in through it', async () => {
  const clientId = `tool-${randomUUID().slice(0, 8)}`
  await grant('C', clientId, PortPermissions.View)
  const { userId } = await tokenOf({})
  expect(await statusFor(await app.host.issuer.token({ subject: userId, clientId }))).toBe(403)
})

test('a token of a session is refused at the next request once the session has ended', async () => {
  const { userId } = await tokenOf({ permissions: [PortPermissions.View] })
  const sessionId = randomUUID()
  const token = await app.host.issuer.token({ subject: userId, sessionId })
  expect(await statusFor(token)).toBe(401)
  const other = randomUUID()
  await database.query(
    `insert into "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn") values ($1, $2, 'OAuth', $3, now())`,
    [randomUUID(), other, userId],
  )
  const live = await app.host.issuer.token({ subject: userId, sessionId: other })
  expect(await statusFor(live)).toBe(200)
  await database.query('delete from "AbpSessions" where "SessionId" = $1', [other])
  await vi.waitUntil(async () => (await statusFor(live)) === 401)
  // A token without a session, as a tool has, goes on.
  expect(await statusFor(await app.host.issuer.token({ subject: userId }))).toBe(200)
})

test('a token that was taken back is refused at the next request, and no other of its user', async () => {
  const { userId } = await reader()
  const [taken, other] = await Promise.all([
    app.host.issuer.token({ subject: userId }),
    app.host.issuer.token({ subject: userId }),
  ])
  expect([await statusFor(taken), await statusFor(other)]).toEqual([200, 200])
  await takeBack(taken, '1 hour')
  await soon(taken).toBe(401)
  expect([await ask(taken), await ask(other)]).toEqual([refused, accepted])
  // A second one is read beside those that are known.
  await takeBack(other, '1 hour')
  await soon(other).toBe(401)
  expect(await ask(taken)).toEqual(refused)
})

test('an identity token is no access token, even of a client that is called as the API', async () => {
  const claims = await administratorClaims()
  expect(await ask(await issuer.sign(claims, 'JWT'), other)).toEqual(refused)
  expect(await ask(await issuer.sign(claims), other)).toEqual(accepted)
})

// Its ears are stopped, and those of a copy would not be.
testOfOneProcess(
  'while changes are not heard, rights that were read a second ago are read anew',
  async () => {
    const own = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
    onTestFinished(() => own.close())
    const { userId, token } = await own.as({ permissions: [PortPermissions.View] })
    expect(await statusFor(token, own)).toBe(200)
    const { feed } = own.host.get(Databases).named('Default')
    await feed.stop()
    const untilOutdated = () => expect.poll(() => feed.isCurrent).toBe(false)
    await untilOutdated()
    const beside = new pg.Client(own.host.databaseUrl('Default'))
    await beside.connect()
    onTestFinished(() => beside.end())
    await beside.query('delete from "AbpPermissionGrants" where "ProviderKey" = $1', [userId])
    expect(await statusFor(token, own)).toBe(403)
    await takeBack(token, '1 hour', beside)
    await untilOutdated()
    expect(await statusFor(token, own)).toBe(401)
  },
)

async function takeBack(token: string, life: string, client = database): Promise<void> {
  await client.query(
    'insert into "AuthRevokedTokens" ("Jti", "ExpirationTime") values ($1, now() + $2::interval)',
    [decodeJwt(token).jti, life],
  )
}

async function grant(provider: string, key: string, permission: string): Promise<void> {
  await database.query(
    'insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey") values ($1, $2, $3, $4)',
    [randomUUID(), permission, provider, key],
  )
}

async function administratorClaims(): Promise<Record<string, unknown>> {
  return { ...claimsFor((await other.admin()).userId), iss: issuer.address }
}

interface Issuer {
  readonly address: string
  /** Whether it hangs up on everybody. */
  isDown: boolean
  /** Whether it sends who asks what it is on to another address. */
  isMoved: boolean
  /** What it answers who asks for its keys. */
  keysStatus: number
  sign(claims: Record<string, unknown>, typ?: string): Promise<string>
  stop(): Promise<void>
}

/** An auth server whose tokens may say anything, and whose keys may be out of reach. */
async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'only', use: 'sig', alg: 'RS256' }
  const server = http.createServer((request, response) => {
    if (made.isDown) return request.socket.destroy()
    if (made.isMoved && request.url?.startsWith('/.well-known'))
      return response.writeHead(302, { location: `/elsewhere${request.url}` }).end()
    const isKeys = request.url?.endsWith('/keys')
    response.statusCode = isKeys ? made.keysStatus : 200
    response.end(
      JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: made.address, jwks_uri: `${made.address}/keys` }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const made: Issuer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isDown: false,
    isMoved: false,
    keysStatus: 200,
    sign: (claims, typ = 'at+jwt') =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'only', typ }).sign(privateKey),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return made
}
