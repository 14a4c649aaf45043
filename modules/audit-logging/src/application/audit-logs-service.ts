import { AutoApiController, ambient, Localization, RequiresFeature } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  type AuditLogDto,
  AuditLoggingFeatures,
  AuditLoggingPermissions,
  type AuditLogPage,
  AuditLogsAppService,
  type EntityChangeDto,
  type EntityChangeFilter,
  type EntityChangePage,
  type EntityChangeWithUsernameDto,
  type GetAuditLogListDto,
  type GetAverageExecutionDurationPerDayInput,
  type GetAverageExecutionDurationPerDayOutput,
  type GetEntityChangesDto,
  type GetErrorRateFilter,
  type GetErrorRateOutput,
} from '../contracts/index.js'
import { AuditLogQueries } from '../persistence/audit-log-queries.js'

const dayMs = 86_400_000

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

  private text(key: string): string {
    return this.localization.find(key, ambient().culture) ?? key
  }
}

/** The instant that begins the day after. */
function endOfDay(day: Date): Date {
  return new Date(Math.floor(day.getTime() / dayMs) * dayMs + dayMs)
}
