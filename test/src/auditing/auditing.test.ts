import { ExpiredLogDeleter } from '@keel/audit-logging'
import { AuditLoggingPermissions, AuditLogsAppService, EntityChangeType } from '@keel/audit-logging/contracts'
import { Databases, sql } from '@keel/framework/data'
import type { ShipmentDto } from '@keel/hub/contracts'
import { Operator } from '@keel/identity/contracts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { logOf, logsOf, newCorrelationId, tracked } from './audit-logs.js'

const shipment = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let operator: AppCaller
let reader: AppCaller

beforeAll(async () => {
  app = await startApp()
  operator = await app.as({ roles: [Operator], permissions: ['Shipment.Delete'] })
  reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
})
afterAll(() => app?.close())

interface Sent {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
  readonly correlationId: string
}

/** A request of somebody, by default the operator, under a correlation id of its own. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  who: Pick<AppCaller, 'fetch'> = operator,
): Promise<Sent> {
  const correlationId = newCorrelationId()
  const response = await who.fetch(
    path,
    tracked(correlationId, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
  )
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : undefined, correlationId }
}

async function newShipment(reference: string): Promise<ShipmentDto & Sent> {
  const sent = await send('POST', shipment, { shipmentReference: reference, totalPackages: 3 })
  return { ...sent.body, ...sent }
}

describe('a request that changes something', () => {
  test('is kept with who sent it from where, what it called and how it went', async () => {
    const correlationId = newCorrelationId()
    await operator.fetch(
      `${shipment}?note=something`,
      tracked(correlationId, {
        method: 'POST',
        body: JSON.stringify({ shipmentReference: 'A-kept' }),
        headers: { 'user-agent': 'Audit test' },
      }),
    )
    const log = await logOf(reader, correlationId)
    expect(log).toMatchObject({
      userId: operator.userId,
      userName: expect.stringMatching(/^user-/),
      applicationName: 'ApiHost',
      httpMethod: 'POST',
      url: shipment,
      httpStatusCode: 200,
      clientIpAddress: expect.stringMatching(/127\.0\.0\.1|::1/),
      browserInfo: 'Audit test',
      correlationId,
      exceptions: null,
      extraProperties: {},
    })
    expect(log.actions).toEqual([
      expect.objectContaining({
        auditLogId: log.id,
        serviceName: 'Hub.ShipmentAppService',
        methodName: 'create',
        parameters: '{"input":{"shipmentReference":"A-kept"}}',
      }),
    ])
    expect(Math.abs(Date.now() - log.executionTime.getTime())).toBeLessThan(60_000)
    expect(log.executionDuration).toBeGreaterThanOrEqual(log.actions[0]?.executionDuration ?? -1)
  })

  test('is kept with the rows it added, by what differs from an empty row', async () => {
    const { id, correlationId } = await newShipment('A-created')
    const { entityChanges } = await logOf(reader, correlationId)
    expect(entityChanges).toHaveLength(1)
    expect(entityChanges[0]).toMatchObject({
      changeType: EntityChangeType.Created,
      entityId: id,
      entityTypeFullName: 'Keel.Hub.Shipment',
    })
    const values = entityChanges[0]?.propertyChanges.map(
      ({ propertyName, propertyTypeFullName, originalValue, newValue }) => [
        propertyName,
        propertyTypeFullName,
        originalValue,
        newValue,
      ],
    )
    expect(values).toEqual([
      ['ShipmentReference', 'System.String', null, '"A-created"'],
      ['TotalPackages', 'System.Int32', null, '3'],
    ])
  })

  test('is kept with the values before and after', async () => {
    const { id, body } = await newShipment('A-updated')
    const changed = await send('PUT', `${shipment}/${id}`, {
      ...body,
      totalPackages: 4,
      cargoDescription: 'Tulips',
    })
    const { entityChanges, httpMethod } = await logOf(reader, changed.correlationId)
    const [change] = entityChanges
    expect([httpMethod, change?.changeType, change?.entityId]).toEqual(['PUT', EntityChangeType.Updated, id])
    const values = change?.propertyChanges.map(({ propertyName, originalValue, newValue }) => [
      propertyName,
      originalValue,
      newValue,
    ])
    expect(values?.sort()).toEqual([
      ['CargoDescription', null, '"Tulips"'],
      ['TotalPackages', '3', '4'],
    ])
  })

  test('is kept with the rows it deleted', async () => {
    const { id } = await newShipment('A-deleted')
    const { correlationId, status } = await send('DELETE', `${shipment}/${id}`)
    const { entityChanges, actions, httpStatusCode } = await logOf(reader, correlationId)
    expect([status, httpStatusCode, actions[0]?.parameters]).toEqual([204, 204, `{"id":"${id}"}`])
    expect(entityChanges).toMatchObject([{ changeType: EntityChangeType.Deleted, entityId: id }])
  })

  test('that changed nothing has no entity change', async () => {
    const { id, body } = await newShipment('A-same')
    const { correlationId } = await send('PUT', `${shipment}/${id}`, body)
    expect((await logOf(reader, correlationId)).entityChanges).toEqual([])
  })
})

describe('a request that fails', () => {
  test.each([
    ['against its contract', 400, 'POST', shipment, { totalPackages: -1 }],
    ['on nothing', 404, 'DELETE', `${shipment}/${nowhere}`, undefined],
    ['against a rule', 403, 'POST', shipment, { shipmentReference: 'A-twice' }],
  ])('%s is kept with its error and without entity changes', async (_case, status, method, path, body) => {
    await send('POST', shipment, { shipmentReference: 'A-twice' })
    const sent = await send(method, path, body)
    const { httpStatusCode, exceptions, entityChanges, actions } = await logOf(reader, sent.correlationId)
    expect([sent.status, httpStatusCode, entityChanges, actions.length]).toEqual([status, status, [], 1])
    const [told] = JSON.parse(exceptions ?? '[]')
    expect(told).toMatchObject({ code: sent.body.error.code, message: sent.body.error.message })
  })

  test('because somebody else was faster leaves no entity change', async () => {
    const { id, body } = await newShipment('A-stale')
    await send('PUT', `${shipment}/${id}`, { ...body, totalPackages: 5 })
    const late = await send('PUT', `${shipment}/${id}`, { ...body, totalPackages: 6 })
    const { httpStatusCode, entityChanges } = await logOf(reader, late.correlationId)
    expect([late.status, httpStatusCode, entityChanges]).toEqual([409, 409, []])
  })

  test('for want of a permission is kept', async () => {
    const { correlationId } = await send('POST', shipment, {}, await app.as({}))
    const { httpStatusCode, exceptions } = await logOf(reader, correlationId)
    expect([httpStatusCode, JSON.parse(exceptions ?? '[]')[0]?.code]).toEqual([
      403,
      'Volo.Authorization:010002',
    ])
  })

  test('is kept when it only reads, too', async () => {
    const { correlationId } = await send('GET', `${shipment}/${nowhere}`)
    const { httpMethod, httpStatusCode, exceptions } = await logOf(reader, correlationId)
    expect([httpMethod, httpStatusCode, exceptions === null]).toEqual(['GET', 404, false])
  })
})

test('a request with an API key is kept with the key and its user, and the key itself nowhere', async () => {
  const owner = await app.as({ roles: [Operator], permissions: ['ApiKeys.Create'] })
  const creation = newCorrelationId()
  const created = await owner.fetch(
    '/api/api-key-management/api-keys',
    tracked(creation, { method: 'POST', body: JSON.stringify({ name: 'Audited' }) }),
  )
  const { id, key } = (await created.json()) as { id: string; key: string }
  const sent = await send('POST', shipment, { shipmentReference: 'A-key' }, withKey(app.host, key))
  const [made, used] = [await logOf(reader, creation), await logOf(reader, sent.correlationId)]
  expect([used.userId, used.extraProperties]).toEqual([owner.userId, { ApiKeyId: id }])
  expect(JSON.stringify([made, used])).not.toContain(key)
})

test('reads that go well and strangers who get nowhere leave nothing', async () => {
  const read = await send('GET', shipment)
  const stranger = await send('POST', shipment, { shipmentReference: 'A-stranger' }, app.host)
  const last = await newShipment('A-last')
  await logOf(reader, last.correlationId)
  expect([read.status, stranger.status]).toEqual([200, 401])
  const logs = reader.service(AuditLogsAppService)
  const found = await Promise.all(
    [read, stranger].map(async ({ correlationId }) => (await logs.getList({ correlationId })).totalCount),
  )
  expect(found).toEqual([0, 0])
})

test('texts of all languages are kept as they are', async () => {
  const cargoDescription = `Tüll, 绢, 😀, ${'ä'.repeat(120)}`
  const { correlationId } = await send('POST', shipment, { shipmentReference: 'A-texts', cargoDescription })
  const { actions, entityChanges } = await logOf(reader, correlationId)
  const values = entityChanges[0]?.propertyChanges.map(({ newValue }) => newValue)
  expect(JSON.parse(actions[0]?.parameters ?? '').input.cargoDescription).toBe(cargoDescription)
  expect(values).toContain(JSON.stringify(cargoDescription))
})

test('long parameters and values are shortened', async () => {
  const description = 'x'.repeat(501)
  const { correlationId, status } = await send('POST', shipment, {
    shipmentReference: 'A-long',
    cargoDescription: description,
    addresses: Array.from({ length: 60 }, () => ({ name: 'y'.repeat(100) })),
  })
  const { actions } = await logOf(reader, correlationId)
  expect([status, actions[0]?.parameters?.length, actions[0]?.parameters?.endsWith('…')]).toEqual([
    400,
    2000,
    true,
  ])
})

describe('a host', () => {
  /** An API host with other settings, and its people. */
  async function startWith(settings: Record<string, string>) {
    const other = await startApp(undefined, settings)
    return {
      other,
      who: await other.as({ roles: [Operator] }),
      auditor: await other.as({ permissions: [AuditLoggingPermissions.AuditLogs] }),
    }
  }

  test('keeps reads when it is told to', async () => {
    const { other, who, auditor } = await startWith({ 'Auditing:IsEnabledForGetRequests': 'true' })
    try {
      const { correlationId } = await send('GET', `${shipment}?filter=secret`, undefined, who)
      const { httpMethod, url, actions } = await logOf(auditor, correlationId)
      expect([httpMethod, url, actions[0]?.methodName]).toEqual(['GET', shipment, 'getList'])
    } finally {
      await other.close()
    }
  })

  test('keeps nothing when it is told to', async () => {
    const { other, who } = await startWith({ 'Auditing:IsEnabled': 'false' })
    const { status } = await send('POST', shipment, { shipmentReference: 'A-unseen' }, who)
    const url = other.host.databaseUrl('Default')
    await other.host.application.stop()
    expect([status, await countLogs(url)]).toEqual([200, 0])
    await other.close()
  })

  test('keeps nothing of the paths that it is to ignore, and everything of others', async () => {
    const { other, who, auditor } = await startWith({ 'Auditing:IgnoredUrls:0': shipment })
    try {
      const ignored = await send('POST', shipment, { shipmentReference: 'A-ignored' }, who)
      const failed = await send('POST', `${shipment}?x=1`, { shipmentReference: 'A-ignored' }, who)
      const kept = await send('POST', shipment.toUpperCase(), { shipmentReference: 'A-kept' }, who)
      expect([ignored.status, failed.status, kept.status]).toEqual([200, 403, 200])
      expect((await logOf(auditor, kept.correlationId)).entityChanges).toHaveLength(1)
      for (const { correlationId } of [ignored, failed])
        expect(await logsOf(auditor, correlationId, 0)).toEqual([])
    } finally {
      await other.close()
    }
  })

  testOfOneProcess('writes its last logs before it ends', async () => {
    const { other, who } = await startWith({})
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send('POST', shipment, { shipmentReference: `A-${index}` }, who),
      ),
    )
    const url = other.host.databaseUrl('Default')
    await other.host.application.stop()
    expect(await countLogs(url)).toBe(20)
    await other.close()
  })

  test('answers as ever when the audit log can not be written, and goes on when it can', async () => {
    const { other, who, auditor } = await startWith({})
    const database = other.host.get(Databases).named('Default')
    try {
      await database.execute(sql`alter table "AbpAuditLogs" rename to "Elsewhere"`)
      const broken = await send('POST', shipment, { shipmentReference: 'A-broken' }, who)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await database.execute(sql`alter table "Elsewhere" rename to "AbpAuditLogs"`)
      const mended = await send('POST', shipment, { shipmentReference: 'A-mended' }, who)
      expect([broken.status, mended.status]).toEqual([200, 200])
      await logsOf(auditor, mended.correlationId, 1)
    } finally {
      await other.close()
    }
  })
})

test('nobody reads the log while its feature is off', async () => {
  const other = await startApp(undefined, { 'Features:AuditLogging.Enable': 'false' })
  try {
    const auditor = await other.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
    const { status, body } = await send('GET', '/api/audit-logging/audit-logs', undefined, auditor)
    expect([status, body.error.code]).toEqual([403, 'Volo.Authorization:010002'])
  } finally {
    await other.close()
  }
})

test.each([
  ['go when a setting says so', 'true', '30', 1],
  ['go only after their time', 'true', '90', 2],
  ['stay unless a setting says so', 'false', '30', 2],
])('old audit logs %s', async (_case, isEnabled, days, left) => {
  const other = await startApp(undefined, {
    'Auditing:IsEnabled': 'false',
    'Settings:Abp.AuditLogging.IsExpiredDeleterEnabled': isEnabled,
    'Settings:Abp.AuditLogging.ExpiredDeleterPeriod': days,
  })
  try {
    await other.host
      .get(Databases)
      .named('Default')
      .execute(sql`
      with logs as (
        insert into "AbpAuditLogs" ("Id", "ExecutionTime", "ExecutionDuration", "ExtraProperties", "ConcurrencyStamp")
        select gen_random_uuid(), (now() at time zone 'utc') - make_interval(days => days), 1, '{}', 'stamp' from unnest(array[10, 60]) as days
        returning "Id"),
      actions as (
        insert into "AbpAuditLogActions" ("Id", "AuditLogId", "ExecutionTime", "ExecutionDuration") select gen_random_uuid(), "Id", now(), 1 from logs),
      changes as (
        insert into "AbpEntityChanges" ("Id", "AuditLogId", "ChangeTime", "ChangeType", "EntityTypeFullName")
        select gen_random_uuid(), "Id", now(), 0, 'Thing' from logs returning "Id")
      insert into "AbpEntityPropertyChanges" ("Id", "EntityChangeId", "PropertyName", "PropertyTypeFullName")
      select gen_random_uuid(), "Id", 'Name', 'System.String' from changes`)
    await other.host.get(ExpiredLogDeleter).run()
    const rows = await other.host
      .get(Databases)
      .named('Default')
      .query(sql`
      select (select count(*)::int from "AbpAuditLogs") as logs, (select count(*)::int from "AbpAuditLogActions") as actions,
        (select count(*)::int from "AbpEntityChanges") as changes, (select count(*)::int from "AbpEntityPropertyChanges") as properties`)
    expect(rows).toEqual([{ logs: left, actions: left, changes: left, properties: left }])
  } finally {
    await other.close()
  }
})

test('a database that takes its time with the log costs nobody an answer', async () => {
  const blocker = new pg.Client({ connectionString: app.host.databaseUrl('Default') })
  await blocker.connect()
  await blocker.query('begin; lock table "AbpAuditLogs" in exclusive mode')
  const sent = [await newShipment('A-slow-1'), await newShipment('A-slow-2'), await newShipment('A-slow-3')]
  const ids = sent.map(({ correlationId }) => correlationId)
  const { rows } = await blocker.query(
    'select count(*)::int as n from "AbpAuditLogs" where "CorrelationId" = any($1)',
    [ids],
  )
  await blocker.query('commit')
  await blocker.end()
  expect([sent.map(({ status }) => status), rows]).toEqual([[200, 200, 200], [{ n: 0 }]])
  for (const id of ids) await logsOf(reader, id, 1)
})

async function countLogs(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select count(*)::int as n from "AbpAuditLogs"')
  await client.end()
  return rows[0].n
}
