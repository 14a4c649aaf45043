import { type AuditLog, shortened } from '@keel/framework/auditing'
import { newStamp, sequentialGuid, type TableRows } from '@keel/framework/data'
import {
  AuditLogAction,
  AuditLog as AuditLogEntity,
  EntityChange,
  EntityPropertyChange,
} from '../domain/audit-log.js'

type Row = TableRows['rows'][number]

/** Rows of the four tables by their columns. */
interface AuditLogRows {
  readonly logs: Row[]
  readonly actions: Row[]
  readonly entityChanges: Row[]
  readonly propertyChanges: Row[]
}

/** What is stored of requests, parents first. `typeNames` are the full names of entities' types by their tables. */
export function rowsOf(logs: readonly AuditLog[], typeNames: ReadonlyMap<string, string>): TableRows[] {
  const rows: AuditLogRows = { logs: [], actions: [], entityChanges: [], propertyChanges: [] }
  for (const log of logs) addRows(rows, log, typeNames)
  return [
    { entity: AuditLogEntity, rows: rows.logs },
    { entity: AuditLogAction, rows: rows.actions },
    { entity: EntityChange, rows: rows.entityChanges },
    { entity: EntityPropertyChange, rows: rows.propertyChanges },
  ]
}

function addRows(rows: AuditLogRows, log: AuditLog, typeNames: ReadonlyMap<string, string>): void {
  const AuditLogId = sequentialGuid()
  const { principal } = log
  rows.logs.push({
    Id: AuditLogId,
    ApplicationName: shortened(log.applicationName, 96),
    UserId: principal.userId,
    UserName: text(principal.userName, 256),
    ImpersonatorUserId: principal.impersonator?.userId,
    ImpersonatorUserName: text(principal.impersonator?.userName, 256),
    ExecutionTime: log.executionTime,
    ExecutionDuration: log.executionDuration,
    ClientIpAddress: text(log.clientIpAddress, 64),
    ClientId: text(principal.clientId, 64),
    CorrelationId: shortened(log.correlationId, 64),
    BrowserInfo: text(log.browserInfo, 512),
    HttpMethod: shortened(log.httpMethod, 16),
    Url: shortened(log.url, 256),
    Exceptions: log.exceptions,
    Comments: log.comments,
    HttpStatusCode: log.httpStatusCode,
    ExtraProperties: principal.apiKeyId ? JSON.stringify({ ApiKeyId: principal.apiKeyId }) : '{}',
    ConcurrencyStamp: newStamp(),
  })
  for (const action of log.actions) {
    rows.actions.push({
      Id: sequentialGuid(),
      AuditLogId,
      ServiceName: shortened(action.serviceName, 256),
      MethodName: shortened(action.methodName, 128),
      Parameters: action.parameters,
      ExecutionTime: action.executionTime,
      ExecutionDuration: action.executionDuration,
      ExtraProperties: '{}',
    })
  }
  for (const { table, entityId, time, type, properties } of log.entityChanges) {
    const EntityChangeId = sequentialGuid()
    rows.entityChanges.push({
      Id: EntityChangeId,
      AuditLogId,
      ChangeTime: time,
      ChangeType: type,
      EntityId: shortened(entityId, 128),
      EntityTypeFullName: typeNames.get(table) ?? table,
      ExtraProperties: '{}',
    })
    for (const { name, type: propertyType, original, current } of properties) {
      rows.propertyChanges.push({
        Id: sequentialGuid(),
        EntityChangeId,
        NewValue: current,
        OriginalValue: original,
        PropertyName: shortened(name, 128),
        PropertyTypeFullName: propertyType,
      })
    }
  }
}

function text(value: string | undefined, limit: number): string | null {
  return value === undefined ? null : shortened(value, limit)
}
