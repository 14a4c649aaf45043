import { AutoApiController, ambient, Localization, RequiresFeature } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { RequiresPermission } from '@keel/framework/security'
import {
  type SheetRow,
  spreadsheetFile,
  type UnheadedColumns,
  withHeaders,
} from '@keel/framework/spreadsheets'
import {
  type AuditLogDto,
  AuditLoggingErrors,
  AuditLoggingFeatures,
  AuditLoggingPermissions,
  type AuditLogPage,
  AuditLogsAppService,
  type EntityChangeDto,
  type EntityChangeFilter,
  type EntityChangePage,
  type EntityChangeWithUsernameDto,
  ExportAuditLogsOutput,
  type GetAuditLogListDto,
  type GetAverageExecutionDurationPerDayInput,
  type GetAverageExecutionDurationPerDayOutput,
  type GetEntityChangesDto,
  type GetErrorRateFilter,
  type GetErrorRateOutput,
} from '../contracts/index.js'
import { AuditLogQueries } from '../persistence/audit-log-queries.js'

const dayMs = 86_400_000
/** A file travels as text within the answer: larger ones are not made. */
const mostRows = 10_000

/** The columns of the sheets; each is headed by the text of its name. */
const logColumns = {
  executionTime: { kind: 'instant' },
  userName: { kind: 'text' },
  impersonatorUserName: { kind: 'text' },
  httpMethod: { kind: 'text' },
  url: { kind: 'text' },
  httpStatusCode: { kind: 'number' },
  executionDuration: { kind: 'number' },
  clientIpAddress: { kind: 'text' },
  clientId: { kind: 'text' },
  browserInfo: { kind: 'text' },
  applicationName: { kind: 'text' },
  correlationId: { kind: 'text' },
  hasException: { kind: 'boolean' },
} as const
const changeColumns = {
  changeTime: { kind: 'instant' },
  changeType: { kind: 'text' },
  userName: { kind: 'text' },
  entityTypeFullName: { kind: 'text' },
  entityId: { kind: 'text' },
  propertyName: { kind: 'text' },
  originalValue: { kind: 'text' },
  newValue: { kind: 'text' },
} as const

@AutoApiController(AuditLogsAppService)
@RequiresPermission(AuditLoggingPermissions.AuditLogs)
@RequiresFeature(AuditLoggingFeatures.Enable.name)
export class AuditLogsService implements AuditLogsAppService {
  constructor(
    private readonly queries: AuditLogQueries,
    private readonly localization: Localization,
  ) {}

  getList(input: GetAuditLogListDto): Promise<InstanceType<typeof AuditLogPage>> {
    return this.queries.logs(input)
  }

  get(id: string): Promise<AuditLogDto> {
    return this.queries.log(id)
  }

  async getErrorRate({ startDate, endDate }: GetErrorRateFilter): Promise<GetErrorRateOutput> {
    const { failed, fine } = await this.queries.outcomes(startDate, endOfDay(endDate))
    return { data: { [this.text('Fault')]: failed, [this.text('Success')]: fine } }
  }

  async getAverageExecutionDurationPerDay({
    startDate,
    endDate,
  }: GetAverageExecutionDurationPerDayInput): Promise<GetAverageExecutionDurationPerDayOutput> {
    return { data: await this.queries.averageDurations(startDate, endOfDay(endDate)) }
  }

  getEntityChanges(input: GetEntityChangesDto): Promise<InstanceType<typeof EntityChangePage>> {
    return this.queries.changes(input)
  }

  getEntityChange(id: string): Promise<EntityChangeDto> {
    return this.queries.change(id)
  }

  getEntityChangesWithUsername(filter: EntityChangeFilter): Promise<EntityChangeWithUsernameDto[]> {
    return this.queries.changesWithUsername(filter)
  }

  getEntityChangeWithUsername(id: string): Promise<EntityChangeWithUsernameDto> {
    return this.queries.changeWithUsername(id)
  }

  @RequiresPermission(AuditLoggingPermissions.Export)
  async exportToExcel(input: GetAuditLogListDto): Promise<ExportAuditLogsOutput> {
    return this.workbook('AuditLogs', logColumns, await this.queries.logRows(input, mostRows))
  }

  @RequiresPermission(AuditLoggingPermissions.Export)
  async exportEntityChangesToExcel(input: GetEntityChangesDto): Promise<ExportAuditLogsOutput> {
    const rows = await this.queries.changeRows(input, mostRows)
    const told = rows.map((row) => ({ ...row, changeType: this.text(row.changeType) }))
    return this.workbook('EntityChanges', changeColumns, told)
  }

  private async workbook(
    name: string,
    columns: UnheadedColumns,
    rows: readonly Record<string, unknown>[],
  ): Promise<ExportAuditLogsOutput> {
    if (rows.length > mostRows) throw new BusinessError(AuditLoggingErrors.TooManyRows, { most: mostRows })
    const { name: fileName, stream } = spreadsheetFile(
      'xlsx',
      name,
      withHeaders(columns, (column) => this.text(column)),
      rows as SheetRow<UnheadedColumns>[],
    )
    const bytes = Buffer.from(await new Response(stream()).arrayBuffer())
    return new ExportAuditLogsOutput({
      message: null,
      fileData: bytes.toString('base64'),
      fileName,
      downloadUrl: null,
      isBackgroundJob: false,
    })
  }

  private text(key: string): string {
    return this.localization.find(key, ambient().culture) ?? key
  }
}

/** The instant that begins the day after. */
function endOfDay(day: Date): Date {
  return new Date(Math.floor(day.getTime() / dayMs) * dayMs + dayMs)
}
