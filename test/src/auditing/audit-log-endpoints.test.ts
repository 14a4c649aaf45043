import { ExpiredLogDeleter } from '@keel/audit-logging'
import {
  type AuditLogDto,
  AuditLoggingPermissions,
  AuditLogsAppService,
  EntityChangeType,
  type GetAuditLogListDto,
  type GetEntityChangesDto,
} from '@keel/audit-logging/contracts'
import { Databases, sql } from '@keel/framework/data'
import { readSpreadsheet } from '@keel/framework/spreadsheets'
import { ShipmentAppService } from '@keel/hub/contracts'
import { Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { faultyMembers, send } from '../support/wire.js'
import { logsOf, tracked } from './audit-logs.js'

const root = '/api/audit-logging/audit-logs'
const shipmentType = 'Keel.Hub.Shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let reader: AppCaller
let operator: AppCaller
let logs: AuditLogsAppService
let shipmentId: string
/** The logs of a shipment that was added, changed and refused, oldest first. */
let written: readonly AuditLogDto[]
let today: string

beforeAll(async () => {
  app = await startApp()
  operator = await app.as({ roles: [Operator] })
  reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
  logs = reader.service(AuditLogsAppService)
  const post = (body: unknown) =>
    operator.fetch(
      '/api/hub/shipment',
      tracked('endpoint-tests', { method: 'POST', body: JSON.stringify(body) }),
    )
  const created = (await (await post({ shipmentReference: 'E-1' })).json()) as { id: string }
  shipmentId = created.id
  await operator.service(ShipmentAppService).update(shipmentId, { ...created, totalPackages: 7 } as never)
  await post({ shipmentReference: 'E-1' })
  await logsOf(reader, 'endpoint-tests', 2)
  const name = await userName()
  // Each process writes its own logs, and the change of the second one carries no id to wait for.
  written = await vi.waitFor(async () => {
    const { items } = await logs.getList({ userName: name })
    expect(items).toHaveLength(3)
    return [...items].reverse()
  }, 10_000)
  today = new Date().toISOString().slice(0, 10)
})
afterAll(() => app?.close())

async function userName(): Promise<string> {
  return (await logs.getList({ correlationId: 'endpoint-tests' })).items[0]?.userName ?? ''
}

describe('the list of audit logs', () => {
  test('has the newest first, without what belongs to them', () => {
    expect(
      written.map(({ httpMethod, httpStatusCode, actions, entityChanges }) => [
        httpMethod,
        httpStatusCode,
        actions,
        entityChanges,
      ]),
    ).toEqual([
      ['POST', 200, [], []],
      ['PUT', 200, [], []],
      ['POST', 403, [], []],
    ])
  })

  test.each<
    [string, (mine: GetAuditLogListDto) => Partial<Parameters<AuditLogsAppService['getList']>[0]>, number]
  >([
    ['method', () => ({ httpMethod: 'put' }), 1],
    ['status', () => ({ httpStatusCode: 403 }), 1],
    ['part of the address', () => ({ url: 'HUB/ship' }), 3],
    ['part of the address that is a wildcard', () => ({ url: 'h_b' }), 0],
    ['failures', () => ({ hasException: true }), 1],
    ['successes', () => ({ hasException: false }), 2],
    ['application', () => ({ applicationName: 'ApiHost' }), 3],
    ['another application', () => ({ applicationName: 'AuthHost' }), 0],
    ['client', () => ({ clientId: 'nobody' }), 0],
    ['correlation id', () => ({ correlationId: 'endpoint-tests' }), 2],
    ['shortest duration', () => ({ minExecutionDuration: 600_000 }), 0],
    ['longest duration', () => ({ maxExecutionDuration: 600_000 }), 3],
    ['time', () => ({ startTime: written[1]?.executionTime, endTime: written[1]?.executionTime }), 1],
    ['address of the caller', () => ({ clientIpAddress: '192.0.2.1' }), 0],
  ])('is filtered by %s', async (_name, filter, count) => {
    const input = { userName: written[0]?.userName ?? '', ...filter({} as GetAuditLogListDto) }
    const { totalCount, items } = await logs.getList(input)
    expect([totalCount, items.length]).toEqual([count, count])
  })

  test('is sorted and paged', async () => {
    const page = await logs.getList({
      userName: written[0]?.userName ?? '',
      sorting: 'httpStatusCode desc, executionTime asc',
      skipCount: 1,
      maxResultCount: 1,
    })
    expect([page.totalCount, page.items.map(({ id }) => id)]).toEqual([3, [written[0]?.id]])
  })

  test.each(['sorting=nothing%20asc', 'maxResultCount=1001', 'startTime=yesterday', 'hasException=perhaps'])(
    'refuses ?%s',
    async (query) => {
      const answer = await send(reader, 'GET', `${root}?${query}`)
      expect([answer.status, faultyMembers(answer)]).toEqual([400, [query.split('=')[0]]])
    },
  )
})

test('an audit log is answered with all the members that ABP’s has', async () => {
  const { body } = await send(reader, 'GET', `${root}/${written[1]?.id}`)
  expect(Object.keys(body).sort().join(' ')).toBe(
    'actions applicationName browserInfo clientId clientIpAddress clientName comments correlationId entityChanges exceptions executionDuration executionTime extraProperties httpMethod httpStatusCode id impersonatorTenantId impersonatorTenantName impersonatorUserId impersonatorUserName tenantId tenantName url userId userName',
  )
  expect([Object.keys(body.actions[0]).sort(), Object.keys(body.entityChanges[0]).sort()]).toEqual([
    'auditLogId executionDuration executionTime extraProperties id methodName parameters serviceName tenantId'.split(
      ' ',
    ),
    'auditLogId changeTime changeType entityId entityTypeFullName extraProperties id propertyChanges tenantId'.split(
      ' ',
    ),
  ])
  expect(body.entityChanges[0].propertyChanges).toEqual([
    {
      id: expect.any(String),
      tenantId: null,
      entityChangeId: body.entityChanges[0].id,
      newValue: '7',
      originalValue: null,
      propertyName: 'TotalPackages',
      propertyTypeFullName: 'System.Int32',
    },
  ])
})

describe('entity changes', () => {
  test.each<[string, () => Partial<Parameters<AuditLogsAppService['getEntityChanges']>[0]>, number]>([
    ['entity', () => ({ entityId: shipmentId, entityTypeFullName: shipmentType }), 2],
    ['kind', () => ({ entityId: shipmentId, entityChangeType: EntityChangeType.Updated }), 1],
    ['audit log', () => ({ auditLogId: written[0]?.id }), 1],
    ['time', () => ({ entityId: shipmentId, startDate: '2020-01-01', endDate: '2020-12-31' }), 0],
    ['another type', () => ({ entityId: shipmentId, entityTypeFullName: 'Keel.Hub.Port' }), 0],
  ])('are listed by %s', async (_name, filter, count) => {
    const { totalCount, items } = await logs.getEntityChanges(filter() as GetEntityChangesDto)
    expect([totalCount, items.length]).toEqual([count, count])
  })

  test('are told with who made them, the newest first', async () => {
    const changes = await logs.getEntityChangesWithUsername({
      entityId: shipmentId,
      entityTypeFullName: shipmentType,
    })
    expect(changes.map(({ entityChange, userName: who }) => [entityChange.changeType, who])).toEqual([
      [EntityChangeType.Updated, written[0]?.userName],
      [EntityChangeType.Created, written[0]?.userName],
    ])
    const [newest] = changes
    const id = newest?.entityChange.id ?? ''
    expect([await logs.getEntityChange(id), await logs.getEntityChangeWithUsername(id)]).toEqual([
      newest?.entityChange,
      newest,
    ])
  })

  test('of nothing are nothing, and an entity must be named', async () => {
    const none = await send(
      reader,
      'GET',
      `${root}/entity-changes-with-username?entityId=${nowhere}&entityTypeFullName=${shipmentType}`,
    )
    const unnamed = await send(reader, 'GET', `${root}/entity-changes-with-username`)
    expect([none.body, unnamed.status, faultyMembers(unnamed)]).toEqual([
      [],
      400,
      ['entityId', 'entityTypeFullName'],
    ])
  })
})

test.each(['', '/entity-changes', '/../audit-logs/entity-change-with-username'])(
  'what does not exist is not found below %s',
  async (path) => {
    expect((await send(reader, 'GET', `${root}${path}/${nowhere}`)).status).toBe(404)
  },
)

describe('statistics', () => {
  test('count what failed and what went well, named in the caller’s language', async () => {
    const query = `startDate=${today}&endDate=${today}`
    const english = await send(reader, 'GET', `${root}/statistics/error-rate?${query}`)
    const german = await send(reader, 'GET', `${root}/statistics/error-rate?${query}&culture=de`)
    expect([english.body, german.body]).toEqual([
      { data: { Fault: expect.any(Number), Success: expect.any(Number) } },
      { data: { Fehler: expect.any(Number), Erfolg: expect.any(Number) } },
    ])
    expect([english.body.data.Fault > 0, english.body.data.Success > 1]).toEqual([true, true])
    const before = await logs.getErrorRate({ startDate: '2020-01-01', endDate: '2020-01-31' })
    expect(before).toEqual({ data: { Fault: 0, Success: 0 } })
  })

  test('tell the mean duration of each day', async () => {
    const { data } = await logs.getAverageExecutionDurationPerDay({ startDate: today, endDate: today })
    expect([Object.keys(data), (data[today] ?? 0) > 0]).toEqual([[today], true])
  })
})

describe('a workbook', () => {
  /** The rows of a workbook that an operation gives out. */
  async function sheet(who: AppCaller, address: string, headers: readonly string[]) {
    const { status, body } = await send(who, 'GET', `${root}/${address}`)
    expect([status, body.isBackgroundJob, body.downloadUrl]).toEqual([200, false, null])
    const content = new File([Buffer.from(body.fileData, 'base64')], body.fileName)
    const columns = Object.fromEntries(headers.map((header) => [header, { header, kind: 'text' } as const]))
    const rows: unknown[] = []
    for await (const { values } of readSpreadsheet(columns, content, { required: headers }))
      rows.push(Object.values(values))
    return { fileName: body.fileName, rows }
  }

  test('has the audit logs of a list on all its pages, under headers in the caller’s language', async () => {
    const exporter = await app.as({ permissions: [AuditLoggingPermissions.Export] })
    const query = `export-to-excel?userName=${await userName()}&sorting=executionTime&maxResultCount=1`
    const headers = ['HTTP method', 'HTTP status code']
    expect(await sheet(exporter, query, headers)).toEqual({
      fileName: 'AuditLogs.xlsx',
      rows: [
        ['POST', '200'],
        ['PUT', '200'],
        ['POST', '403'],
      ],
    })
    expect((await sheet(exporter, `${query}&culture=de`, ['HTTP-Methode'])).rows.length).toBe(3)
  })

  test('has a row for each property that changed', async () => {
    const exporter = await app.as({ permissions: [AuditLoggingPermissions.Export] })
    const query = `export-entity-changes-to-excel?entityId=${shipmentId}&entityTypeFullName=${shipmentType}&entityChangeType=1`
    const headers = ['Kind of change', 'Property', 'New value']
    const { rows } = await sheet(exporter, query, headers)
    expect(rows).toContainEqual(['Updated', 'TotalPackages', '7'])
  })

  test('is for those who may export', async () => {
    expect((await send(reader, 'GET', `${root}/export-to-excel`)).status).toBe(403)
  })
})

describe('the settings', () => {
  const address = '/api/audit-logging/settings'

  test('say whether old audit logs are deleted, and count at once', async () => {
    const clerk = await app.as({ permissions: [AuditLoggingPermissions.SettingManagement] })
    expect((await send(clerk, 'GET', address)).body).toEqual({
      isExpiredDeleterEnabled: false,
      expiredDeleterPeriod: 365,
    })
    const deleter = app.host.get(ExpiredLogDeleter)
    await app.host
      .get(Databases)
      .named('Default')
      .execute(sql`
      insert into "AbpAuditLogs" ("Id", "ApplicationName", "ExecutionTime", "ExecutionDuration", "ExtraProperties", "ConcurrencyStamp")
      values (gen_random_uuid(), 'Old', now() at time zone 'utc' - interval '31 days', 1, '{}', 'stamp')`)
    expect(await deleter.run()).toBe(0)
    const settings = { isExpiredDeleterEnabled: true, expiredDeleterPeriod: 30 }
    expect((await send(clerk, 'PUT', address, settings)).status).toBe(204)
    expect((await send(clerk, 'GET', address)).body).toEqual(settings)
    await expect.poll(() => deleter.run()).toBe(1)
    const answer = await send(clerk, 'PUT', address, { ...settings, expiredDeleterPeriod: 0 })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['expiredDeleterPeriod']])
  })

  test('are for those who may change them', async () => {
    expect((await send(reader, 'GET', address)).status).toBe(403)
  })
})
