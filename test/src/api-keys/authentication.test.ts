import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { Databases, sql } from '@keel/framework/data'
import { hashPassword, newApiKey } from '@keel/framework/security'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { send } from '../support/wire.js'
import { newKey, ports, withKey } from './keys.js'

let app: App
let owner: AppCaller
let key: string
let keyId: string

beforeAll(async () => {
  app = await startApp(undefined, { 'App:CorsOrigins': 'http://localhost:4200' })
  owner = await newOwner()
  ;({ key, id: keyId } = await newKey(owner))
})
afterAll(() => app?.close())

const newOwner = () =>
  app.as({ permissions: [PortPermissions.View, ApiKeyPermissions.Create, ApiKeyPermissions.Edit] })
const identity = () => app.host.get(Databases).named('Default')

/** Status and challenge of the ports for request headers. */
async function ask(headers: Record<string, string>, path = ports, of: Pick<App, 'host'> = app) {
  const response = await of.host.fetch(path, { headers })
  await response.body?.cancel()
  return { status: response.status, challenge: response.headers.get('www-authenticate') }
}

const accepted = { status: 200, challenge: null }
const refused = { status: 401, challenge: 'ApiKey error="invalid_key"' }
const refusedSoon = (of: string) =>
  expect.poll(() => ask({ 'x-api-key': of }), { timeout: 10_000, interval: 10 }).toEqual(refused)

describe('an API key', () => {
  test.each(['X-Api-Key', 'x-api-key', 'Api-Key'])('is let in by the header %s', async (header) => {
    expect(await ask({ [header]: key })).toEqual(accepted)
  })

  test.each(['apiKey', 'api_key', 'APIKEY'])('is let in by the query’s %s in Development', async (name) => {
    expect(await ask({}, `${ports}&${name}=${key}`)).toEqual(accepted)
  })

  test('may do what its owner may', async () => {
    const { status, body } = await send(withKey(app.host, key), 'GET', '/api/hub/shipment')
    expect({ status, data: body.error.data }).toEqual({
      status: 403,
      data: { PolicyName: ShipmentPermissions.View },
    })
  })

  test('acts as its owner for what asks who calls', async () => {
    const { body } = await send(withKey(app.host, key), 'GET', '/api/abp/application-configuration')
    expect(body.currentUser).toMatchObject({ isAuthenticated: true, id: owner.userId, sessionId: null })
  })

  test('wins over a bearer token beside it', async () => {
    const other = await app.as({})
    expect(await ask({ 'x-api-key': key, authorization: `Bearer ${other.token}` })).toEqual(accepted)
    const { key: weak } = await newKey(await app.as({ permissions: [ApiKeyPermissions.Create] }))
    const admin = await app.admin()
    expect((await ask({ 'x-api-key': weak, authorization: `Bearer ${admin.token}` })).status).toBe(403)
  })

  test('that is wrong is refused although the bearer token beside it is right', async () => {
    expect(await ask({ 'x-api-key': 'wrong', authorization: `Bearer ${owner.token}` })).toEqual(refused)
  })

  test('that is wrong leaves open what is open to everybody', async () => {
    const { status, body } = await send(
      withKey(app.host, 'wrong'),
      'GET',
      '/api/abp/application-configuration',
    )
    expect({ status, isAuthenticated: body.currentUser.isAuthenticated }).toEqual({
      status: 200,
      isAuthenticated: false,
    })
  })

  test('that is empty counts as none', async () => {
    expect(await ask({ 'x-api-key': '' })).toEqual({ status: 401, challenge: 'Bearer' })
    expect((await ask({ 'x-api-key': '', authorization: `Bearer ${owner.token}` })).status).toBe(200)
  })

  test('in both headers counts as the one in X-Api-Key says', async () => {
    expect(await ask({ 'x-api-key': 'wrong', 'api-key': key })).toEqual(refused)
    expect(await ask({ 'x-api-key': key, 'api-key': 'wrong' })).toEqual(accepted)
  })
})

describe('a key is refused', () => {
  const otherLetter = (text: string, index: number) =>
    text.slice(0, index) + (text[index] === 'x' ? 'y' : 'x') + text.slice(index + 1)

  test.each([
    ['that is mistyped in its prefix', () => otherLetter(key, 10)],
    ['that is mistyped in its secret', () => otherLetter(key, 30)],
    ['that is cut', () => key.slice(0, -1)],
    ['without its prefix', () => key.slice(16)],
    ['that is well made, but of nobody', () => Object.values(newApiKey()).join('')],
    [
      'with the prefix of another and a well made secret',
      () => Object.values(newApiKey(key.slice(0, 16))).join(''),
    ],
    ['that is its hash', () => hashPassword(key, 1)],
    ['that is very long', () => 'x'.repeat(8000)],
  ])('%s', async (_what, made) => {
    expect(await ask({ 'x-api-key': await made() })).toEqual(refused)
  })

  test('as soon as it is inactive, and let in again when it is active', async () => {
    const { id, key: own } = await newKey(owner)
    expect(await ask({ 'x-api-key': own })).toEqual(accepted)
    await owner.service(ApiKeyAppService).update(id, { isActive: false })
    expect(await ask({ 'x-api-key': own })).toEqual(refused)
    await owner.service(ApiKeyAppService).update(id, { isActive: true })
    expect(await ask({ 'x-api-key': own })).toEqual(accepted)
  })

  test.each([
    ['inactive', sql`"IsActive" = false`],
    ['deleted', sql`"IsDeleted" = true`],
    ['locked out', sql`"LockoutEnabled" = true, "LockoutEnd" = now() + interval '1 hour'`],
  ])('when its owner is %s', async (_what, change) => {
    const somebody = await newOwner()
    const { key: own } = await newKey(somebody)
    expect(await ask({ 'x-api-key': own })).toEqual(accepted)
    await identity().execute(sql`update "AbpUsers" set ${change} where "Id" = ${somebody.userId}`)
    await refusedSoon(own)
  })

  test('when its row is gone', async () => {
    const { key: own, id } = await newKey(owner)
    expect(await ask({ 'x-api-key': own })).toEqual(accepted)
    await identity().execute(sql`delete from "AppApiKeys" where "Id" = ${id}`)
    await refusedSoon(own)
  })
})

test('a key whose hash was iterated as often as a password’s is let in', async () => {
  const { prefix, rawKey } = newApiKey()
  const hash = await hashPassword(prefix + rawKey)
  await identity().execute(
    sql`update "AppApiKeys" set "Prefix" = ${prefix}, "Hash" = ${hash} where "Id" = ${keyId}`,
  )
  expect(await ask({ 'x-api-key': prefix + rawKey })).toEqual(accepted)
  await refusedSoon(key)
})

test('a page of another origin may send either header', async () => {
  const response = await app.host.fetch(ports, {
    method: 'OPTIONS',
    headers: {
      origin: 'http://localhost:4200',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key,api-key',
    },
  })
  expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'x-api-key,api-key',
  ])
})
