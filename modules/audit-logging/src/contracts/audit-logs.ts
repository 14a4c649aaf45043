import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  listOf,
  op,
  PagedInput,
  pageOf,
  remoteService,
  z,
} from '@keel/framework/contracts'

/**
 * Where the audit log is found: ABP's remote service, under `/api/audit-logging`. Its types keep a namespace of ours: of those in ABP's own
 * (`Volo.Abp.AuditLogging.AuditLogDto` and others) ABP's generator of clients makes nothing, because it takes them for a package's.
 */
export const AbpAuditLogging = remoteService('AbpAuditLogging', 'auditLogging')

/** The kind of a change to an entity. */
export enum EntityChangeType {
  Created = 0,
  Updated = 1,
  Deleted = 2,
}

const optionalText = z.string().nullable()
const extraProperties = z.record(z.string(), z.unknown())

/** A property of an entity that changed; values are JSON, shortened, and null where there was or is none. */
export class EntityPropertyChangeDto extends EntityDto({
  tenantId: guid().nullable(),
  entityChangeId: guid(),

  /** JSON, shortened; null when there is none. */
  newValue: optionalText,

  /** JSON, shortened; null when there was none. */
  originalValue: optionalText,
  propertyName: z.string(),

  /**
   * The .NET name of its type.
   * @example System.String
   */
  propertyTypeFullName: z.string(),
}) {}

/** An entity that a request created, changed or deleted. */
export class EntityChangeDto extends EntityDto({
  auditLogId: guid(),
  tenantId: guid().nullable(),
  changeTime: instant(),
  changeType: enumeration('EntityChangeType', EntityChangeType),

  /** The key of the entity. */
  entityId: optionalText,

  /**
   * The name of its type.
   * @example Keel.Hub.Shipment
   */
  entityTypeFullName: z.string(),
  propertyChanges: listOf(EntityPropertyChangeDto),
  extraProperties,
}) {}

/** An operation that a request called; parameters are JSON, shortened, without secrets. */
export class AuditLogActionDto extends EntityDto({
  tenantId: guid().nullable(),
  auditLogId: guid(),
  serviceName: optionalText,
  methodName: optionalText,

  /** JSON, shortened and without secrets. */
  parameters: optionalText,
  executionTime: instant(),
  /** Milliseconds. */
  executionDuration: z.int32(),
  extraProperties,
}) {}

/** A request. In lists its actions and entity changes are left out. */
export class AuditLogDto extends EntityDto({
  userId: guid().nullable(),
  userName: optionalText,
  tenantId: guid().nullable(),
  tenantName: optionalText,

  /** The user who acted in the name of this user; null when the user acted in person. */
  impersonatorUserId: guid().nullable(),
  impersonatorUserName: optionalText,
  impersonatorTenantId: guid().nullable(),
  impersonatorTenantName: optionalText,
  executionTime: instant(),
  /** Milliseconds. */
  executionDuration: z.int32(),
  clientIpAddress: optionalText,

  /** The OpenID Connect client; null when none. */
  clientId: optionalText,

  /** The name of the client; null when none. */
  clientName: optionalText,

  /** `User-Agent` of the request. */
  browserInfo: optionalText,
  httpMethod: optionalText,

  /** Path and query of the request. */
  url: optionalText,
  /** JSON: the errors as the caller was told of them, with stacks where the host tells these. */
  exceptions: optionalText,

  /** Comments that the program added while it ran. */
  comments: optionalText,
  httpStatusCode: z.int32().nullable(),

  /** The host that answered. */
  applicationName: optionalText,
  correlationId: optionalText,
  entityChanges: listOf(EntityChangeDto),
  actions: listOf(AuditLogActionDto),
  extraProperties,
}) {}

/** An entity change and who made it; null when nobody was signed in. */
export class EntityChangeWithUsernameDto extends Dto({
  entityChange: EntityChangeDto.schema,
  userName: optionalText,
}) {}

const text = z.string().max(256).nullish()
const milliseconds = z.int32().min(0).nullish()

/** Which audit logs; what is not given does not count. `url` may be a part of it, the other texts are whole. */
export class GetAuditLogListDto extends Dto({
  ...PagedInput.shape,
  startTime: instant().nullish(),
  endTime: instant().nullish(),

  /** A part of the path or query. */
  url: text,
  clientId: text,
  userName: text,
  applicationName: text,
  clientIpAddress: text,
  correlationId: text,
  httpMethod: text,
  httpStatusCode: z.int32().nullish(),

  /** Milliseconds. */
  maxExecutionDuration: milliseconds,

  /** Milliseconds. */
  minExecutionDuration: milliseconds,

  /** Only requests that failed, or only those that did not. */
  hasException: z.boolean().nullish(),
}) {}

/** Which entity changes; what is not given does not count. */
export class GetEntityChangesDto extends Dto({
  ...PagedInput.shape,
  auditLogId: guid().nullish(),
  entityChangeType: enumeration('EntityChangeType', EntityChangeType).nullish(),
  entityId: z.string().max(128).nullish(),
  entityTypeFullName: z.string().max(512).nullish(),
  startDate: instant().nullish(),
  endDate: instant().nullish(),
}) {}

/** The entity whose history is asked for, e.g. of the type `Keel.Hub.Shipment`. */
export class EntityChangeFilter extends Dto({
  entityId: z.string().min(1).max(128),
  entityTypeFullName: z.string().min(1).max(512),
}) {}

const days = { startDate: instant(), endDate: instant() }

/** A span of days, the last one included. */
export class GetErrorRateFilter extends Dto(days) {}

/** How many requests failed and how many went well, under their names in the caller's language. */
export class GetErrorRateOutput extends Dto({ data: z.record(z.string(), z.number()) }) {}

/** A span of days, the last one included. */
export class GetAverageExecutionDurationPerDayInput extends Dto(days) {}

/** Milliseconds by day, `yyyy-MM-dd` in UTC; days without a request are left out. */
export class GetAverageExecutionDurationPerDayOutput extends Dto({
  data: z.record(z.string(), z.number()),
}) {}

/** A workbook, with the rows that a list of the same input shows on all its pages. */
export class ExportAuditLogsOutput extends Dto({
  /** A message for the user; null when there is none. */
  message: optionalText,
  /** In base64. */
  fileData: z.string(),
  fileName: z.string(),
  /** ABP's, for files that are made later; ours are made at once. */
  downloadUrl: optionalText,

  /** True when the file is made later. Always false. */
  isBackgroundJob: z.boolean(),
}) {}

/** A page of audit logs. */
export const AuditLogPage = pageOf(AuditLogDto)
/** A page of entity changes. */
export const EntityChangePage = pageOf(EntityChangeDto)

const root = '/api/audit-logging/audit-logs'

/** The audit log: what requests did, and the history of every audited entity. */
export abstract class AuditLogsAppService extends AppService(AbpAuditLogging, 'AuditLogsAppService', {
  /** Lists audit logs, in pages. Actions and entity changes are left out. */
  getList: op(GetAuditLogListDto).returns(AuditLogPage).at('GET', root),
  /** Exports audit logs as an Excel workbook. More than 10,000 rows are refused. */
  exportToExcel: op(GetAuditLogListDto).returns(ExportAuditLogsOutput).at('GET', `${root}/export-to-excel`),
  /**
   * Exports entity changes as an Excel workbook, one row for each property that changed. More than
   * 10,000 rows are refused.
   */
  exportEntityChangesToExcel: op(GetEntityChangesDto)
    .returns(ExportAuditLogsOutput)
    .at('GET', `${root}/export-entity-changes-to-excel`),
  /** Gets an audit log with its actions and entity changes. */
  get: op(id).returns(AuditLogDto).at('GET', `${root}/{id}`),
  /** Counts the requests that failed and those that went well. */
  getErrorRate: op(GetErrorRateFilter).returns(GetErrorRateOutput).at('GET', `${root}/statistics/error-rate`),
  /** Gets the average duration of requests by day, in milliseconds. */
  getAverageExecutionDurationPerDay: op(GetAverageExecutionDurationPerDayInput)
    .returns(GetAverageExecutionDurationPerDayOutput)
    .at('GET', `${root}/statistics/average-execution-duration-per-day`),
  /** Lists changes of entities, in pages. */
  getEntityChanges: op(GetEntityChangesDto).returns(EntityChangePage).at('GET', `${root}/entity-changes`),
  /** Gets a change of an entity with its properties. */
  getEntityChange: op(id).returns(EntityChangeDto).at('GET', `${root}/entity-changes/{id}`),
  /** Lists the history of one entity, with who made each change. */
  getEntityChangesWithUsername: op(EntityChangeFilter)
    .returns(listOf(EntityChangeWithUsernameDto))
    .at('GET', `${root}/entity-changes-with-username`),
  /** Gets a change of an entity, with who made it. */
  getEntityChangeWithUsername: op(id)
    .returns(EntityChangeWithUsernameDto)
    .at('GET', `${root}/entity-change-with-username/{id}`),
}) {}
