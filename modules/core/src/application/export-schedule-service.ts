import { AutoApiController, ambient, Clock } from '@keel/framework'
import { BusinessError, KeelError, UnavailableError } from '@keel/framework/contracts'
import { CrudService, Databases, expectStamp, PageReader, RowRules, type Sql } from '@keel/framework/data'
import { EntitySetRows } from '@keel/framework/odata'
import { RequiresPermission, UserContext } from '@keel/framework/security'
import {
  type CreateExportScheduleDto,
  ExportErrors,
  type ExportPreviewDto,
  type ExportPreviewInput,
  ExportRunAppService,
  type ExportRunDto,
  ExportScheduleAppService,
  type ExportScheduleDto,
  type ExportScheduleListInput,
  ExportSchedulePermissions,
  ExportScheduleStatus,
  mostExportSchedules,
  type UpdateExportScheduleDto,
} from '../contracts/index.js'
import { ExportSchedule } from '../domain/export-schedule.js'
import { nextRun, nextRuns } from '../domain/next-run.js'
import { ExportScheduleStore } from '../persistence/export-schedules.js'
import { demandDelivery, demandTimes } from './export-rules.js'
import { ExportRunner } from './export-runner.js'
import { ExportSecrets } from './export-secrets.js'
import { demandUser } from './notification-service.js'

/** What a schedule is made of, after its input and before it is written. */
type Planned = Pick<
  ExportSchedule,
  | 'entitySet'
  | 'query'
  | 'columns'
  | 'frequency'
  | 'timeOfDay'
  | 'timeZone'
  | 'dayOfWeek'
  | 'dayOfMonth'
  | 'startDate'
  | 'endDate'
  | 'delivery'
  | 'emailRecipients'
  | 'webhookUrl'
  | 'webhookSecret'
>

/**
 * Schedules are changed by their owners alone: a run has the rights of its owner, and whoever could change the query or the delivery would get what
 * the owner may see.
 */
@AutoApiController(ExportScheduleAppService)
@RequiresPermission(ExportSchedulePermissions)
export class ExportScheduleService
  extends CrudService(ExportScheduleAppService, ExportSchedule, {
    searchIn: ['name'],
    defaultSorting: 'name',
  })
  implements ExportScheduleAppService
{
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly schedules: ExportScheduleStore,
    private readonly sets: EntitySetRows,
    private readonly people: UserContext,
    private readonly secrets: ExportSecrets,
    private readonly runner: ExportRunner,
    private readonly runs: ExportRunAppService,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ entitySet, status }: Partial<ExportScheduleListInput>): readonly Sql[] {
    return this.view.equal({ entitySet, status })
  }

  override async create(input: CreateExportScheduleDto): Promise<ExportScheduleDto> {
    const userId = demandUser()
    await this.schedules.lock(userId)
    if ((await this.schedules.countOf(userId)) >= mostExportSchedules)
      throw new BusinessError(ExportErrors.TooMany, { most: mostExportSchedules })
    const planned = await this.planned(input)
    return super.create({ ...input, ...planned, ...this.limits(), userId, ...this.nextOf(planned) })
  }

  override async update(id: string, input: UpdateExportScheduleDto): Promise<ExportScheduleDto> {
    const row = await this.ownSchedule(id)
    expectStamp(row, input)
    const planned = await this.planned(input, row)
    // What was paused or has failed stays so until it is resumed.
    const isResting = [ExportScheduleStatus.Paused, ExportScheduleStatus.Faulted].includes(row.status)
    return super.update(id, {
      ...input,
      ...planned,
      ...this.limits(),
      ...(isResting ? {} : this.nextOf(planned)),
    })
  }

  @RequiresPermission(ExportSchedulePermissions.Edit)
  async pause(id: string): Promise<ExportScheduleDto> {
    const row = await this.store.get(id)
    await this.store.update(row, { status: ExportScheduleStatus.Paused, nextRunTime: null })
    return this.get(id)
  }

  @RequiresPermission(ExportSchedulePermissions.Edit)
  async resume(id: string): Promise<ExportScheduleDto> {
    const row = await this.ownSchedule(id)
    await this.store.update(row, { ...this.nextOf(row), consecutiveFailures: 0 })
    return this.get(id)
  }

  @RequiresPermission(ExportSchedulePermissions.Edit)
  async runNow(id: string): Promise<ExportRunDto> {
    const row = await this.ownSchedule(id)
    await this.schedules.lock(row.userId)
    return this.runs.get(await this.runner.start(row))
  }

  @RequiresPermission(ExportSchedulePermissions.View)
  async getPreview(id: string, { count }: ExportPreviewInput): Promise<ExportPreviewDto> {
    const row = await this.store.get(id)
    return { runTimes: nextRuns(row, this.clock.now, count) }
  }

  /** The schedule for a change by its owner. */
  private async ownSchedule(id: string): Promise<ExportSchedule> {
    const row = await this.store.get(id)
    if (row.userId !== ambient().principal.userId) throw new BusinessError(ExportErrors.NotOwner)
    return row
  }

  /** The limits of the caller's API key or impersonation: a schedule must not outlive or exceed them. */
  private limits(): Pick<ExportSchedule, 'apiKeyId' | 'impersonatorId'> {
    const { apiKeyId = null, impersonatorId = null } = this.people.actingFor()
    return { apiKeyId, impersonatorId }
  }

  private nextOf(planned: Planned): Pick<ExportSchedule, 'nextRunTime' | 'status'> {
    const nextRunTime = nextRun(planned, this.clock.now)
    return { nextRunTime, status: nextRunTime ? ExportScheduleStatus.Active : ExportScheduleStatus.Ended }
  }

  /** Puts a change over what is there, and refuses what could not run. */
  private async planned(
    input: CreateExportScheduleDto | UpdateExportScheduleDto,
    row?: ExportSchedule,
  ): Promise<Planned> {
    const { webhookSecret, ...given } = input
    const over = <K extends keyof Planned>(name: K): Planned[K] => {
      const value = (given as Partial<Planned>)[name]
      return (value === undefined ? (row?.[name] ?? null) : value) as Planned[K]
    }
    const frequency = over('frequency')
    const planned: Planned = {
      entitySet: over('entitySet'),
      query: over('query'),
      columns: over('columns'),
      frequency,
      timeOfDay: over('timeOfDay'),
      timeZone: over('timeZone'),
      dayOfWeek: frequency === 'Weekly' ? over('dayOfWeek') : null,
      dayOfMonth: frequency === 'Monthly' ? over('dayOfMonth') : null,
      startDate: '',
      endDate: over('endDate'),
      delivery: over('delivery'),
      emailRecipients: over('emailRecipients'),
      webhookUrl: over('webhookUrl'),
      webhookSecret: webhookSecret ? await this.secrets.protect(webhookSecret) : (row?.webhookSecret ?? null),
    }
    demandTimes(planned)
    const startDate = over('startDate') ?? dateIn(planned.timeZone, this.clock.now)
    if (planned.endDate && planned.endDate < startDate)
      throw new BusinessError(ExportErrors.InvalidDay, { name: 'endDate' })
    await this.demandRows(planned)
    demandDelivery(planned)
    return { ...planned, startDate }
  }

  /** Refuses a set, a query and columns that the caller could not read now. */
  private async demandRows({ entitySet, query, columns }: Planned): Promise<void> {
    if (!this.sets.has(entitySet)) throw new BusinessError(ExportErrors.EntitySetUnknown, { entitySet })
    try {
      await this.sets.check({ set: entitySet, query, columns })
    } catch (error) {
      const isFault =
        error instanceof KeelError && (error as { httpStatus?: number }).httpStatus !== undefined
      if (!isFault || error instanceof UnavailableError) throw error
      throw new BusinessError(ExportErrors.QueryInvalid, { reason: error.message }, { cause: error })
    }
  }
}

/** The calendar date of a time zone. */
function dateIn(timeZone: string, now: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now)
}
