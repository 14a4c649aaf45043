import { Injectable, jsonResult } from '@keel/framework'
import { EntityNotFoundError } from '@keel/framework/contracts'
import {
  and,
  type Database,
  Databases,
  entityMeta,
  literally,
  raw,
  Sorting,
  type Sql,
  sql,
  toStatement,
} from '@keel/framework/data'
import {
  AuditLogActionDto,
  AuditLogDto,
  AuditLogPage,
  EntityChangeDto,
  type EntityChangeFilter,
  EntityChangePage,
  EntityChangeWithUsernameDto,
  EntityPropertyChangeDto,
  type GetAuditLogListDto,
  type GetEntityChangesDto,
} from '../contracts/index.js'
import { AuditLog, AuditLogAction, EntityChange, EntityPropertyChange } from '../domain/audit-log.js'
import { membersOf } from './json-rows.js'

/** The history of one entity that is told at once. */
const mostChangesOfEntity = 1000

const sortable = (entity: typeof AuditLog | typeof EntityChange): Sorting =>
  new Sorting(
    Object.fromEntries(
      [...entityMeta(entity).columns.values()].map(({ attribute, column }) => [attribute, `t."${column}"`]),
    ),
    't."Id"',
  )
const logSorting = sortable(AuditLog)
const changeSorting = sortable(EntityChange)

const logInList = sql`json_build_object(${membersOf(AuditLog, AuditLogDto, 't')}, 'entityChanges', json_build_array(), 'actions', json_build_array())`
const change = (
  alias: string,
): Sql => sql`json_build_object(${membersOf(EntityChange, EntityChangeDto, alias)}, 'propertyChanges', (
  select coalesce(json_agg(json_build_object(${membersOf(EntityPropertyChange, EntityPropertyChangeDto, 'p')}) order by p."Id"), '[]')
  from "AbpEntityPropertyChanges" p where p."EntityChangeId" = ${raw(alias)}."Id"))`
const logWithDetails = sql`json_build_object(${membersOf(AuditLog, AuditLogDto, 't')},
  'entityChanges', (select coalesce(json_agg(${change('c')} order by c."Id"), '[]') from "AbpEntityChanges" c where c."AuditLogId" = t."Id"),
  'actions', (select coalesce(json_agg(json_build_object(${membersOf(AuditLogAction, AuditLogActionDto, 'a')}) order by a."Id"), '[]')
    from "AbpAuditLogActions" a where a."AuditLogId" = t."Id"))`
const changeWithUsername = sql`json_build_object('entityChange', ${change('t')}, 'userName', l."UserName")`

/** An audit log as a sheet shows it. */
export interface AuditLogRow extends Record<string, unknown> {
  readonly executionTime: Date
  readonly httpStatusCode: number | null
  readonly executionDuration: number
  readonly hasException: boolean
}

/** A property that changed as a sheet shows it. */
export interface EntityChangeRow extends Record<string, unknown> {
  readonly changeTime: Date
  readonly changeType: string
}

/** Reads the audit log; the JSON is PostgreSQL's. */
@Injectable()
export class AuditLogQueries {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(AuditLog)
  }

  async log(id: string): Promise<AuditLogDto> {
    const json = await this.text(sql`select ${logWithDetails} from "AbpAuditLogs" t where t."Id" = ${id}`)
    if (!json) throw new EntityNotFoundError('AuditLog', id)
    return jsonResult(AuditLogDto, json)
  }

  async logs(input: GetAuditLogListDto): Promise<InstanceType<typeof AuditLogPage>> {
    const order = logSorting.orderBy(input.sorting?.trim() || 'executionTime DESC')
    return jsonResult(
      AuditLogPage,
      await this.page('AbpAuditLogs', logInList, logConditions(input), order, input),
    )
  }

  async change(id: string): Promise<EntityChangeDto> {
    const json = await this.text(sql`select ${change('t')} from "AbpEntityChanges" t where t."Id" = ${id}`)
    if (!json) throw new EntityNotFoundError('EntityChange', id)
    return jsonResult(EntityChangeDto, json)
  }

  async changes(input: GetEntityChangesDto): Promise<InstanceType<typeof EntityChangePage>> {
    const order = changeSorting.orderBy(input.sorting?.trim() || 'changeTime DESC')
    return jsonResult(
      EntityChangePage,
      await this.page('AbpEntityChanges', change('t'), changeConditions(input), order, input),
    )
  }

  async changeWithUsername(id: string): Promise<EntityChangeWithUsernameDto> {
    const json = await this.text(sql`
      select ${changeWithUsername} from "AbpEntityChanges" t join "AbpAuditLogs" l on l."Id" = t."AuditLogId" where t."Id" = ${id}`)
    if (!json) throw new EntityNotFoundError('EntityChange', id)
    return jsonResult(EntityChangeWithUsernameDto, json)
  }

  /** Newest first. */
  async changesWithUsername({
    entityId,
    entityTypeFullName,
  }: EntityChangeFilter): Promise<EntityChangeWithUsernameDto[]> {
    const rows = await this.database.queryText(
      toStatement(sql`
        select ${changeWithUsername} from "AbpEntityChanges" t join "AbpAuditLogs" l on l."Id" = t."AuditLogId"
        where t."TenantId" is null and t."EntityTypeFullName" = ${entityTypeFullName} and t."EntityId" = ${entityId}
        order by t."ChangeTime" desc, t."Id" desc limit ${mostChangesOfEntity}`),
    )
    return rows.map(([json]) => jsonResult(EntityChangeWithUsernameDto, json ?? ''))
  }

  /** Requests that failed and that did not. */
  async outcomes(from: Date, to: Date): Promise<{ failed: number; fine: number }> {
    const [row] = await this.database.queryList<{ failed: string; fine: string }>(sql`
      select count(*) filter (where t."Exceptions" is not null) as failed, count(*) filter (where t."Exceptions" is null) as fine
      from "AbpAuditLogs" t where t."TenantId" is null and t."ExecutionTime" >= ${from} and t."ExecutionTime" < ${to}`)
    return { failed: Number(row?.failed), fine: Number(row?.fine) }
  }

  /** The mean duration of requests in milliseconds by day, `yyyy-MM-dd`. */
  async averageDurations(from: Date, to: Date): Promise<Record<string, number>> {
    const rows = await this.database.queryList<{ day: string; average: number }>(sql`
      select to_char(t."ExecutionTime", 'YYYY-MM-DD') as day, avg(t."ExecutionDuration")::float as average
      from "AbpAuditLogs" t where t."TenantId" is null and t."ExecutionTime" >= ${from} and t."ExecutionTime" < ${to}
      group by day order by day`)
    return Object.fromEntries(rows.map(({ day, average }) => [day, average]))
  }

  /** The logs of a list as rows of a sheet, with at most one more than `most`. */
  async logRows(input: GetAuditLogListDto, most: number): Promise<AuditLogRow[]> {
    const order = logSorting.orderBy(input.sorting?.trim() || 'executionTime DESC')
    return this.database.queryList<AuditLogRow>(sql`
      select t."ExecutionTime" at time zone 'utc' as "executionTime", t."UserName" as "userName",
        t."ImpersonatorUserName" as "impersonatorUserName", t."HttpMethod" as "httpMethod", t."Url" as url,
        t."HttpStatusCode" as "httpStatusCode", t."ExecutionDuration" as "executionDuration",
        t."ClientIpAddress" as "clientIpAddress", t."ClientId" as "clientId", t."BrowserInfo" as "browserInfo",
        t."ApplicationName" as "applicationName", t."CorrelationId" as "correlationId", t."Exceptions" is not null as "hasException"
      from "AbpAuditLogs" t where ${and([raw('t."TenantId" is null'), ...logConditions(input)])}
      order by ${order} limit ${most + 1}::int`)
  }

  /** The properties that changed in the entity changes of a list, as rows of a sheet, with at most one more than `most`. */
  async changeRows(input: GetEntityChangesDto, most: number): Promise<EntityChangeRow[]> {
    const order = changeSorting.orderBy(input.sorting?.trim() || 'changeTime DESC')
    return this.database.queryList<EntityChangeRow>(sql`
      select t."ChangeTime" at time zone 'utc' as "changeTime", (array['Created', 'Updated', 'Deleted'])[t."ChangeType" + 1] as "changeType",
        l."UserName" as "userName", t."EntityTypeFullName" as "entityTypeFullName", t."EntityId" as "entityId",
        p."PropertyName" as "propertyName", p."OriginalValue" as "originalValue", p."NewValue" as "newValue"
      from "AbpEntityChanges" t join "AbpAuditLogs" l on l."Id" = t."AuditLogId"
        left join "AbpEntityPropertyChanges" p on p."EntityChangeId" = t."Id"
      where ${and([raw('t."TenantId" is null'), ...changeConditions(input)])}
      order by ${order}, p."Id" limit ${most + 1}::int`)
  }

  private async page(
    table: string,
    row: Sql,
    conditions: readonly (Sql | undefined)[],
    order: Sql,
    { skipCount, maxResultCount }: { readonly skipCount: number; readonly maxResultCount: number },
  ): Promise<string> {
    const from = sql`from ${raw(`"${table}"`)} t where ${and([raw('t."TenantId" is null'), ...conditions])}`
    const items = sql`select ${row} as item ${from} order by ${order} limit ${maxResultCount} offset ${skipCount}`
    const [found] = await this.database.queryListText(
      toStatement(sql`
        select json_build_object('totalCount', (select count(*) ${from}),
          'items', (select coalesce(json_agg(i.item), '[]') from (${items}) i))`),
    )
    return found?.[0] ?? ''
  }

  private async text(statement: Sql): Promise<string | null | undefined> {
    return (await this.database.queryText(toStatement(statement)))[0]?.[0]
  }
}

function logConditions(input: GetAuditLogListDto): (Sql | undefined)[] {
  const { startTime, endTime, url, httpMethod, hasException } = input
  return [
    startTime ? sql`t."ExecutionTime" >= ${startTime}` : undefined,
    endTime ? sql`t."ExecutionTime" <= ${endTime}` : undefined,
    url ? sql`t."Url" ~* ${literally(url)}` : undefined,
    equal('ClientId', input.clientId),
    equal('UserName', input.userName),
    equal('ApplicationName', input.applicationName),
    equal('ClientIpAddress', input.clientIpAddress),
    equal('CorrelationId', input.correlationId),
    equal('HttpMethod', httpMethod?.toUpperCase()),
    equal('HttpStatusCode', input.httpStatusCode),
    atLeast(input.minExecutionDuration),
    atMost(input.maxExecutionDuration),
    hasException === true ? raw('t."Exceptions" is not null') : undefined,
    hasException === false ? raw('t."Exceptions" is null') : undefined,
  ]
}

function changeConditions(input: GetEntityChangesDto): (Sql | undefined)[] {
  const { startDate, endDate } = input
  return [
    equal('AuditLogId', input.auditLogId),
    equal('ChangeType', input.entityChangeType),
    equal('EntityId', input.entityId),
    equal('EntityTypeFullName', input.entityTypeFullName),
    startDate ? sql`t."ChangeTime" >= ${startDate}` : undefined,
    endDate ? sql`t."ChangeTime" <= ${endDate}` : undefined,
  ]
}

function equal(column: string, value: string | number | null | undefined): Sql | undefined {
  return value === null || value === undefined || value === ''
    ? undefined
    : sql`t.${raw(`"${column}"`)} = ${value}`
}

function atLeast(milliseconds: number | null | undefined): Sql | undefined {
  return typeof milliseconds === 'number' ? sql`t."ExecutionDuration" >= ${milliseconds}` : undefined
}

function atMost(milliseconds: number | null | undefined): Sql | undefined {
  return typeof milliseconds === 'number' ? sql`t."ExecutionDuration" <= ${milliseconds}` : undefined
}
