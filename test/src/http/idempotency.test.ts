import { randomUUID } from 'node:crypto'
import { ApiHost } from '@keel/api-host'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { Databases, sql } from '@keel/framework/data'
import { IdempotencyKeys } from '@keel/framework/http'
import { ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import {
  createHubProxy,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub-proxy'
import { CustomerAdmin, SuperUser } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization, hubOf } from '../support/hub-rows.js'
import { templates, testServer } from '../support/test-databases.js'
import type { Answer, Sender } from '../support/wire.js'

const clock = new ManualClock()
/** A host, and a copy of it on the same databases. */
let app: App
let copy: TestHost
let caller: AppCaller
beforeAll(async () => {
  const settings = {
    'Idempotency:MostKeysPerCaller': '30',
    'Idempotency:MostAnswerBytes': '2900',
    'OwnFields:Modules:Hub:Shipment:Margin:Type': 'text',
    'OwnFields:Modules:Hub:Shipment:Margin:Default': 'forty percent',
    'OwnFields:Modules:Hub:Shipment:Margin:Permission': ShipmentPermissions.ViewGoodsValue,
  }
  app = await startApp(ApiHost, settings, clock)
  copy = await startTestHost(ApiHost, {
    server: testServer,
    templates,
    beside: app.host,
    clock,
    settings: { ...settings, 'AuthServer:Authority': app.host.issuer.address },
  })
})
afterAll(async () => {
  await copy?.close()
  await app?.close()
})
beforeEach(async () => {
  caller = await app.as({ roles: [SuperUser] })
})

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
let made = 0
/** A port that no other test creates. */
function newPort(more: object = {}) {
  const number = made++
  const unLocode = `DE${letters[Math.floor(number / 26)]}${letters[number % 26]}9`
  return { unLocode, name: `Port ${number}`, isSeaport: true, isAirport: false, ...more }
}

async function post(sender: Sender, key: string, body: unknown, path = '/api/hub/port'): Promise<Answer> {
  const response = await sender.fetch(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

async function portsOf(unLocode: string): Promise<number> {
  const [row] = await app.host
    .get(Databases)
    .named('Hub')
    .query<{ count: string }>(sql`select count(*) from "HubPorts" where "UnLocode" = ${unLocode}`)
  return Number(row?.count)
}
const rows = () =>
  app.host
    .get(Databases)
    .named('Default')
    .query<Record<string, unknown>>(sql`select * from "KeelIdempotencyKeys"`)

/** The same caller at the copy of the host. */
const atCopy = (): Sender => ({
  fetch: (path, init = {}) =>
    copy.fetch(path, { ...init, headers: { authorization: `Bearer ${caller.token}`, ...init.headers } }),
})

test('a creation with the same key happens once, and gives the same answer at every copy of the host', async () => {
  const [key, port] = [randomUUID(), newPort()]
  const first = await post(caller, key, port)
  expect(first.status).toBe(200)
  for (const sender of [caller, atCopy()])
    expect(await post(sender, key, port)).toMatchObject({ status: 200, text: first.text })
  expect(await portsOf(port.unLocode)).toBe(1)
})

test('the same key with another input or for another operation is refused', async () => {
  const [key, port] = [randomUUID(), newPort()]
  await post(caller, key, port)
  expect(codeOf(await post(caller, key, { ...port, name: 'Other' }))).toEqual([
    422,
    'Keel:IdempotencyKeyReused',
  ])
  const shipment = { shipmentReference: 'I-other' }
  expect(codeOf(await post(caller, key, shipment, '/api/hub/shipment'))).toEqual([
    422,
    'Keel:IdempotencyKeyReused',
  ])
  expect(await portsOf(port.unLocode)).toBe(1)
})

test('of many creations at once with one key one runs, and the others are told so or get its answer', async () => {
  const [key, port] = [randomUUID(), newPort()]
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => post(index % 2 ? caller : atCopy(), key, port)),
  )
  const worked = answers.filter(({ status }) => status === 200)
  expect(new Set(worked.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ status }) => status !== 200).map(codeOf)).toEqual(
    Array(answers.length - worked.length).fill([409, 'Keel:IdempotencyKeyInUse']),
  )
  expect(await portsOf(port.unLocode)).toBe(1)
})

test('a key belongs to its caller: another user, and an API key of the same one, get nothing of it', async () => {
  const [key, port] = ['1', newPort()]
  const first = await post(caller, key, port)
  const other = await app.as({ roles: [SuperUser] })
  // Refused by the rule of the domain: it was carried out for them as for anybody.
  expect(codeOf(await post(other, key, port))).toEqual([403, 'Hub:Port:CodeAlreadyExists'])
  const owner = await app.as({
    permissions: [PortPermissions.View, PortPermissions.Create, ApiKeyPermissions.Create],
  })
  const mine = await post(owner, key, newPort())
  const { key: apiKey } = await newKey(owner)
  const byKey: Sender = {
    fetch: (path, init = {}) =>
      app.host.fetch(path, { ...init, headers: { ...init.headers, 'x-api-key': apiKey } }),
  }
  const third = await post(byKey, key, newPort())
  expect(mine.status).toBe(200)
  expect(third.text).not.toContain(mine.body.id)
  expect((await post(caller, key, port)).text).toBe(first.text)
})

test('who has lost the permission gets no answer again', async () => {
  const permissions = [PortPermissions.View, PortPermissions.Create]
  const person = await app.as({ permissions })
  const [key, port] = [randomUUID(), newPort()]
  expect((await post(person, key, port)).status).toBe(200)
  expect((await post(person, key, port)).status).toBe(200)
  const change = {
    providerName: 'U',
    providerKey: person.userId,
    name: PortPermissions.Create,
    kind: 'Revoked',
  }
  await app.host.get(PermissionGrants).apply([change as never], 'Module')
  expect((await post(person, key, port)).status).toBe(403)
})

test('who has lost the permission to see a field does not see it in the answer that is given again', async () => {
  const { View, Create, ViewGoodsValue } = ShipmentPermissions
  const person = await app.as({
    permissions: [View, Create, ViewGoodsValue, OrganizationPermissions.AccessAll],
  })
  const [key, input] = [randomUUID(), { shipmentReference: 'I-margin' }]
  const again = () => post(person, key, input, '/api/hub/shipment')
  expect((await again()).text).toContain('forty percent')
  const kept = await again()
  expect(kept.text).toContain('forty percent')
  const change = { providerName: 'U', providerKey: person.userId, name: ViewGoodsValue, kind: 'Revoked' }
  await app.host.get(PermissionGrants).apply([change as never], 'Module')
  const { status, text, body } = await again()
  expect([status, body.id, text.includes('forty percent')]).toEqual([200, kept.body.id, false])
})

test('who does not see the row any more gets no answer again, and nobody one of a row that is gone', async () => {
  const organizationId = await addOrganization(app, 'IDEM')
  const member = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, member.userId, organizationId)
  const input = { shipmentReference: 'I-member', addresses: [{ role: 4, organizationId }] }
  const again = (key: string) => post(member, key, input, '/api/hub/shipment')
  const [shipment, port] = [randomUUID(), newPort()]
  const { body, status } = await again(shipment)
  expect([status, (await again(shipment)).body.id]).toEqual([200, body.id])
  const hub = hubOf(app)
  await hub.execute(sql`delete from "HubOrganizationMembers" where "UserId" = ${member.userId}`)
  hub.feed.changed('HubOrganizationMembers')
  expect((await member.fetch(`/api/hub/shipment/${body.id}`)).status).toBe(404)
  expect(codeOf(await again(shipment))).toEqual([409, 'Keel:IdempotentAnswerNotKept'])
  const { body: made } = await post(caller, shipment, port)
  await hub.execute(sql`delete from "HubPorts" where "Id" = ${made.id}`)
  expect(codeOf(await post(caller, shipment, port))).toEqual([409, 'Keel:IdempotentAnswerNotKept'])
})

test('a creation that failed leaves its key free', async () => {
  const [key, port] = [randomUUID(), newPort()]
  const taken = newPort()
  await post(caller, randomUUID(), taken)
  expect((await post(caller, key, taken)).status).toBe(403)
  expect((await post(caller, key, port)).status).toBe(200)
  expect((await post(caller, key, { ...newPort(), name: '' })).status).toBe(400)
  expect((await post(caller, key, port)).status).toBe(200)
})

test('answers with a secret, and long ones, are not kept: a second creation is refused', async () => {
  const input = { name: 'Once' }
  const key = randomUUID()
  const { body } = await post(caller, key, input, '/api/api-key-management/api-keys')
  expect(body.key).toEqual(expect.any(String))
  expect(codeOf(await post(caller, key, input, '/api/api-key-management/api-keys'))).toEqual([
    409,
    'Keel:IdempotentAnswerNotKept',
  ])
  const long = { shipmentReference: 'I-long', cargoDescription: '箱'.repeat(500) }
  const { text } = await post(caller, 'long', long, '/api/hub/shipment')
  expect(Buffer.byteLength(text)).toBeGreaterThan(2900)
  expect(codeOf(await post(caller, 'long', long, '/api/hub/shipment'))).toEqual([
    409,
    'Keel:IdempotentAnswerNotKept',
  ])
  expect(JSON.stringify(await rows())).not.toContain(body.key)
})

test('neither keys nor inputs are stored, and a password is no part of the fingerprint', async () => {
  const admin = await app.admin()
  const user = { userName: 'idem', email: 'idem@example.com', password: '1q2w3E*-first' }
  const first = await post(admin, 'a-key-to-find', user, '/api/identity/users')
  expect(first.status).toBe(200)
  const again = { ...user, password: '1q2w3E*-other' }
  expect((await post(admin, 'a-key-to-find', again, '/api/identity/users')).text).toBe(first.text)
  const stored = JSON.stringify(await rows())
  expect(stored).not.toContain('a-key-to-find')
  expect(stored).not.toContain(user.password)
})

test('a creation that was cut off is told apart from one that runs, and never runs again by itself', async () => {
  const [key, port] = [randomUUID(), newPort()]
  const { body } = await post(caller, key, port)
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`
    update "KeelIdempotencyKeys" set "IsCompleted" = false, "Answer" = null where "Answer" like ${`%${body.id}%`}`)
  expect(codeOf(await post(caller, key, port))).toEqual([409, 'Keel:IdempotencyKeyInUse'])
  clock.advance({ minutes: 11 })
  expect(codeOf(await post(caller, key, port))).toEqual([409, 'Keel:IdempotentOutcomeUnknown'])
})

test('keys are bounded in length and number', async () => {
  expect((await post(caller, 'x'.repeat(256), newPort())).status).toBe(400)
  expect((await post(caller, '', newPort())).status).toBe(400)
  const statuses: number[] = []
  for (let index = 0; index < 31; index++) {
    const answer = await post(caller, `k-${index}`, newPort())
    statuses.push(answer.status)
    if (answer.status === 429) expect(answer.body.error.code).toBe('Keel:TooManyIdempotencyKeys')
  }
  expect(statuses).toEqual([...Array(30).fill(200), 429])
  expect((await post(caller, 'x'.repeat(256), newPort())).status).toBe(400)
})

test('of fifty keys that come at once to two copies of the host, with room for one, one is let in', async () => {
  const before = new Set((await rows()).map(({ Id }) => Id))
  await post(caller, 'the first', newPort())
  const own = (await rows()).find(({ Id }) => !before.has(Id))
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`
    insert into "KeelIdempotencyKeys" ("Id", "CallerId", "Fingerprint", "CreationTime", "IsCompleted")
    select gen_random_uuid(), ${own?.CallerId}::uuid, '', ${own?.CreationTime}::timestamptz, true from generate_series(1, 28)`)
  // All of them are counted in one moment: none gets at the table before others wait for it.
  const gate = new pg.Client(app.host.databaseUrl('Default'))
  await gate.connect()
  await gate.query('begin')
  await gate.query('lock table "KeelIdempotencyKeys"')
  const answers = Array.from({ length: 50 }, (_, index) =>
    post(index % 2 ? caller : atCopy(), `at once ${index}`, newPort()),
  )
  const waiting = `select count(*)::int as count from pg_locks where not granted and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())`
  await expect
    .poll(async () => (await gate.query(waiting)).rows[0].count, { timeout: 20_000 })
    .toBeGreaterThan(4)
  await gate.query('commit')
  await gate.end()
  const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200)
  expect(refused.map(codeOf)).toEqual(Array(49).fill([429, 'Keel:TooManyIdempotencyKeys']))
})

test('a client that repeats a creation whose answer was lost creates one', async () => {
  let sent = 0
  const lossy: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (sent++ === 0) throw new TypeError('the connection broke')
    return response
  }
  const hub = createHubProxy({
    baseUrl: app.host.url,
    accessToken: () => caller.token,
    fetch: lossy,
    idempotencyKey: true,
    retry: { waitMs: () => 5 },
  })
  const port = newPort()
  const created = await hub.ports.create(port)
  expect([sent, created.unLocode, await portsOf(port.unLocode)]).toEqual([2, port.unLocode, 1])
})

test('a day later a key is free again, and its record is deleted', async () => {
  const [key, port] = [randomUUID(), newPort()]
  await post(caller, key, port)
  clock.advance({ hours: 23, minutes: 59 })
  const later = await app.host.as({ subject: caller.userId })
  expect((await post(later, key, port)).status).toBe(200)
  clock.advance({ minutes: 2 })
  expect(codeOf(await post(later, key, port))).toEqual([403, 'Hub:Port:CodeAlreadyExists'])
  await app.host.get(IdempotencyKeys).deleteOld()
  expect(await rows()).toEqual([])
})

test('the document names the header and both refusals of creations, and of nothing else', async () => {
  const document = (await (await app.host.fetch('/swagger/v1/swagger.json')).json()) as {
    paths: Record<string, Record<string, { parameters?: { name: string }[]; responses: object }>>
  }
  const takes = (path: string, verb: string) =>
    document.paths[path]?.[verb]?.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
  expect(Object.keys(document.paths['/api/hub/port']?.post?.responses ?? {})).toEqual(
    expect.arrayContaining(['409', '422']),
  )
  expect([
    takes('/api/hub/port', 'post'),
    takes('/api/hub/port/{id}', 'put'),
    takes('/api/hub/port', 'get'),
  ]).toEqual([true, false, false])
})
