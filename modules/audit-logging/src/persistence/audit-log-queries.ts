import { Injectable } from '@keel/framework'
import {
  type Database,
  Databases,
  type EntityClass,
  entityMeta,
  JsonView,
  PageReader,
  type PageRequest,
  raw,
  type Sql,
  sql,
} from '@keel/framework/data'
import {
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

/** The most changes of one entity in an answer. */
const mostChangesOfEntity = 1000

const propertyChangeView = new JsonView(EntityPropertyChange, EntityPropertyChangeDto)
const changeMembers = (t: Sql) => ({
  propertyChanges: propertyChangeView.array('p', sql`p."EntityChangeId" = ${t}."Id"`, raw('p."Id"')),
})
const noRows = sql`'[]'::json`
const columnsOf = (entity: EntityClass) => [...entityMeta(entity).columns.keys()]

const listView = new JsonView(AuditLog, AuditLogDto, {
  members: () => ({ entityChanges: noRows, actions: noRows }),
  sortBy: columnsOf(AuditLog),
  searchIn: ['url'],
})
const logView = new JsonView(AuditLog, AuditLogDto, {
  collections: {
    entityChanges: { entity: EntityChange, by: 'auditLogId', orderBy: [], members: changeMembers },
    actions: { entity: AuditLogAction, by: 'auditLogId', orderBy: [] },
  },
})
const changeView = new JsonView(EntityChange, EntityChangeDto, {
  members: changeMembers,
  sortBy: columnsOf(EntityChange),
})
const changeWithUsernameView = new JsonView(EntityChange, EntityChangeWithUsernameDto, {
  members: () => ({ entityChange: changeView.object('t'), userName: sql`l."UserName"` }),
  joins: sql`join "AbpAuditLogs" l on l."Id" = t."AuditLogId"`,
  sortBy: ['changeTime', 'id'],
})
/** A row for each property of a change, and one for a change without. */
const propertyView = new JsonView(EntityChange, EntityChangeDto, {
  members: changeMembers,
  joins: sql`join "AbpAuditLogs" l on l."Id" = t."AuditLogId" left join "AbpEntityPropertyChanges" p on p."EntityChangeId" = t."Id"`,
  sortBy: columnsOf(EntityChange),
  lastBy: raw('t."Id", p."Id"'),
})
/** Rows of the host itself; there are no others while it serves one company. */
const ofHost = raw('t."TenantId" is null')

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

/** Reads the audit log. */
@Injectable()
export class AuditLogQueries {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(AuditLog)
  }

  log(id: string): Promise<AuditLogDto> {
    return this.pages.one(AuditLogDto, logView, id)
  }

  logs(input: GetAuditLogListDto): Promise<InstanceType<typeof AuditLogPage>> {
    return this.pages.page(AuditLogPage, listView, logRequest(input))
  }

  change(id: string): Promise<EntityChangeDto> {
    return this.pages.one(EntityChangeDto, changeView, id)
  }

  changes(input: GetEntityChangesDto): Promise<InstanceType<typeof EntityChangePage>> {
    return this.pages.page(EntityChangePage, changeView, changeRequest(input))
  }

  changeWithUsername(id: string): Promise<EntityChangeWithUsernameDto> {
    return this.pages.one(EntityChangeWithUsernameDto, changeWithUsernameView, id)
  }

  /** Newest first. */
  changesWithUsername({
    entityId,
    entityTypeFullName,
  }: EntityChangeFilter): Promise<EntityChangeWithUsernameDto[]> {
    return this.pages.array(EntityChangeWithUsernameDto, changeWithUsernameView, {
      defaultSorting: 'changeTime DESC, id DESC',
      equal: { entityTypeFullName, entityId },
      conditions: [ofHost],
      maxResultCount: mostChangesOfEntity,
    })
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
  logRows(input: GetAuditLogListDto, most: number): Promise<AuditLogRow[]> {
    const columns = sql`t."ExecutionTime" at time zone 'utc' as "executionTime", t."UserName" as "userName",
      t."ImpersonatorUserName" as "impersonatorUserName", t."HttpMethod" as "httpMethod", t."Url" as url,
      t."HttpStatusCode" as "httpStatusCode", t."ExecutionDuration" as "executionDuration",
      t."ClientIpAddress" as "clientIpAddress", t."ClientId" as "clientId", t."BrowserInfo" as "browserInfo",
      t."ApplicationName" as "applicationName", t."CorrelationId" as "correlationId", t."Exceptions" is not null as "hasException"`
    return this.pages.values(listView, columns, wholeList(logRequest(input), most))
  }

  /** The properties that changed in the entity changes of a list, as rows of a sheet, with at most one more than `most`. */
  changeRows(input: GetEntityChangesDto, most: number): Promise<EntityChangeRow[]> {
    const columns = sql`t."ChangeTime" at time zone 'utc' as "changeTime", (array['Created', 'Updated', 'Deleted'])[t."ChangeType" + 1] as "changeType",
      l."UserName" as "userName", t."EntityTypeFullName" as "entityTypeFullName", t."EntityId" as "entityId",
      p."PropertyName" as "propertyName", p."OriginalValue" as "originalValue", p."NewValue" as "newValue"`
    return this.pages.values(propertyView, columns, wholeList(changeRequest(input), most))
  }
}

/** The request for all rows of a list, up to one more than `most`. */
function wholeList<R extends PageRequest>(request: R, most: number): R {
  return { ...request, skipCount: 0, maxResultCount: most + 1 }
}

function logRequest(input: GetAuditLogListDto): PageRequest {
  const { clientId, userName, applicationName, clientIpAddress, correlationId, httpStatusCode } = input
  const { startTime, endTime, minExecutionDuration, maxExecutionDuration, hasException, ...page } = input
  return {
    ...page,
    defaultSorting: 'executionTime DESC',
    filter: input.url,
    equal: {
      clientId,
      userName,
      applicationName,
      clientIpAddress,
      correlationId,
      httpStatusCode,
      httpMethod: input.httpMethod?.toUpperCase(),
    },
    conditions: [
      ofHost,
      startTime ? sql`t."ExecutionTime" >= ${startTime}` : undefined,
      endTime ? sql`t."ExecutionTime" <= ${endTime}` : undefined,
      typeof minExecutionDuration === 'number'
        ? sql`t."ExecutionDuration" >= ${minExecutionDuration}`
        : undefined,
      typeof maxExecutionDuration === 'number'
        ? sql`t."ExecutionDuration" <= ${maxExecutionDuration}`
        : undefined,
      typeof hasException === 'boolean' ? sql`(t."Exceptions" is not null) = ${hasException}` : undefined,
    ],
  }
}

function changeRequest(input: GetEntityChangesDto): PageRequest {
  const { auditLogId, entityChangeType: changeType, entityId, entityTypeFullName } = input
  const { startDate, endDate, ...page } = input
  return {
    ...page,
    defaultSorting: 'changeTime DESC',
    equal: { auditLogId, changeType, entityId, entityTypeFullName },
    conditions: [
      ofHost,
      startDate ? sql`t."ChangeTime" >= ${startDate}` : undefined,
      endDate ? sql`t."ChangeTime" <= ${endDate}` : undefined,
    ],
  }
}
