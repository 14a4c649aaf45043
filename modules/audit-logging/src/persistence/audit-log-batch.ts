import type { Principal } from '@keel/framework'
import { type AuditLog, shortened } from '@keel/framework/auditing'
import { type CopiedRows, CopyBuffer, fillSequentialGuid, sequentialGuid } from '@keel/framework/data'
import {
  AuditLogAction,
  AuditLog as AuditLogEntity,
  EntityChange,
  EntityPropertyChange,
} from '../domain/audit-log.js'

/** A batch takes no more logs than this, */
const mostLogs = 1000
/** nor more after it has reached so many bytes. */
const fullBytes = 1024 * 1024

/** Nothing here is ever changed: one stamp is as good as another. */
const stamp = sequentialGuid()

/**
 * Audit logs that are written together, kept as the bytes that PostgreSQL takes: they do not grow old in memory, where they would cost the
 * garbage collector more than they cost us, and what they take is known. `typeNames` are the full names of entities' types by
 * their tables.
 */
export class AuditLogBatch {
  private readonly logs = CopyBuffer.of(AuditLogEntity, [
    'id',
    'applicationName',
    'userId',
    'userName',
    'impersonatorUserId',
    'impersonatorUserName',
    'executionTime',
    'executionDuration',
    'clientIpAddress',
    'clientId',
    'correlationId',
    'browserInfo',
    'httpMethod',
    'url',
    'exceptions',
    'comments',
    'httpStatusCode',
    'extraProperties',
    'concurrencyStamp',
  ])
  private readonly actions = CopyBuffer.of(AuditLogAction, [
    'id',
    'auditLogId',
    'serviceName',
    'methodName',
    'parameters',
    'executionTime',
    'executionDuration',
    'extraProperties',
  ])
  private readonly entityChanges = CopyBuffer.of(EntityChange, [
    'id',
    'auditLogId',
    'changeTime',
    'changeType',
    'entityId',
    'entityTypeFullName',
    'extraProperties',
  ])
  private readonly propertyChanges = CopyBuffer.of(EntityPropertyChange, [
    'id',
    'entityChangeId',
    'newValue',
    'originalValue',
    'propertyName',
    'propertyTypeFullName',
  ])
  /** Parents first. */
  private readonly tables = [this.logs, this.actions, this.entityChanges, this.propertyChanges]
  /** Where each log ends in each table, log by log; zeros in front of the first. */
  private readonly ends: number[] = [0, 0, 0, 0]

  /** How many of its logs, from the first, are written or given up. */
  done = 0
  /** The ids of the rows at hand. */
  private readonly logId = new Uint8Array(16)
  private readonly changeId = new Uint8Array(16)
  private readonly leafId = new Uint8Array(16)

  constructor(private readonly typeNames: ReadonlyMap<string, string>) {}

  get count(): number {
    return this.ends.length / this.tables.length - 1
  }

  /** Bytes of memory. */
  get bytes(): number {
    const { logs, actions, entityChanges, propertyChanges } = this
    return logs.capacity + actions.capacity + entityChanges.capacity + propertyChanges.capacity
  }

  get isFull(): boolean {
    const { logs, actions, entityChanges, propertyChanges } = this
    const bytes = logs.length + actions.length + entityChanges.length + propertyChanges.length
    return bytes >= fullBytes || this.count >= mostLogs
  }

  /** Takes all logs out, to be filled again: its memory was got from the system once. */
  clear(): void {
    for (const table of this.tables) table.cut(0)
    this.ends.length = this.tables.length
    this.done = 0
  }

  /** Adds a log, with everything that belongs to it, or throws and adds nothing. */
  add(log: AuditLog): void {
    try {
      this.write(log)
    } catch (error) {
      const { count } = this
      for (const [index, table] of this.tables.entries()) table.cut(this.endOf(count, index))
      throw error
    }
    for (const table of this.tables) this.ends.push(table.length)
  }

  /** The rows of all tables, of the logs from one number up to, but without, another. */
  rows(from: number, to: number): CopiedRows[] {
    return this.tables.map((table, index) => table.rows(this.endOf(from, index), this.endOf(to, index)))
  }

  /** Where the rows of the first `count` logs end in a table. */
  private endOf(count: number, table: number): number {
    return this.ends[count * this.tables.length + table] as number
  }

  private write(log: AuditLog): void {
    const { principal } = log
    fillSequentialGuid(this.logId)
    this.logs.add([
      this.logId,
      shortened(log.applicationName, 96),
      principal.userId,
      short(principal.userName, 256),
      principal.impersonator?.userId,
      short(principal.impersonator?.userName, 256),
      log.executionTime,
      log.executionDuration,
      short(log.clientIpAddress, 64),
      short(principal.clientId, 64),
      shortened(log.correlationId, 64),
      short(log.browserInfo, 512),
      short(log.httpMethod, 16),
      short(log.url, 256),
      log.exceptions,
      log.comments,
      log.httpStatusCode,
      extraPropertiesOf(principal),
      stamp,
    ])
    for (const { serviceName, methodName, parameters, executionTime, executionDuration } of log.actions) {
      fillSequentialGuid(this.leafId)
      this.actions.add([
        this.leafId,
        this.logId,
        shortened(serviceName, 256),
        shortened(methodName, 128),
        parameters,
        executionTime,
        executionDuration,
        '{}',
      ])
    }
    for (const { table, entityId, time, type, properties } of log.entityChanges) {
      const typeName = this.typeNames.get(table) ?? table
      fillSequentialGuid(this.changeId)
      this.entityChanges.add([
        this.changeId,
        this.logId,
        time,
        type,
        shortened(entityId, 128),
        typeName,
        '{}',
      ])
      for (const { name, type: propertyType, original, current } of properties) {
        fillSequentialGuid(this.leafId)
        this.propertyChanges.add([
          this.leafId,
          this.changeId,
          current,
          original,
          shortened(name, 128),
          propertyType,
        ])
      }
    }
  }
}

function short(value: string | undefined, limit: number): string | undefined {
  return value === undefined ? undefined : shortened(value, limit)
}

/** The API key that stands for the user, and the program that acts in the user's name. */
function extraPropertiesOf({ apiKeyId, ranBy }: Principal): string {
  return apiKeyId || ranBy ? JSON.stringify({ ApiKeyId: apiKeyId, RanBy: ranBy }) : '{}'
}
