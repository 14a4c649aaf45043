import { Clock, Injectable } from '@keel/framework'
import { Databases, Locks, RowRules, StoreOf, sql } from '@keel/framework/data'
import {
  ExportDeliveryStatus,
  ExportRunStatus,
  ExportScheduleStatus,
  exportDays,
} from '../contracts/index.js'
import { ExportRun, ExportSchedule } from '../domain/export-schedule.js'

const dayMs = 86_400_000
/** Failed runs in a row after which a schedule is stopped. */
const mostFailures = 5

/** The schedules of exports. */
@Injectable()
export class ExportScheduleStore extends StoreOf(ExportSchedule) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    super(databases, rules)
  }

  /** Lets one caller at a time add schedules of a user, until the unit of work ends. */
  async lock(userId: string): Promise<void> {
    await this.locks.hold(`App.ExportSchedules ${userId}`, { database: this.database })
  }

  /** A schedule whatever the caller sees: for the program. Undefined when it was deleted. */
  async ofProgram(id: string): Promise<ExportSchedule | undefined> {
    return (await this.everyWhere(sql`t."Id" = ${id}`))[0]
  }

  /** How many schedules a user has. */
  async countOf(userId: string): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(
      sql`select count(*)::int as count from "AppExportSchedules" where "UserId" = ${userId} and not "IsDeleted"`,
    )
    return found?.count ?? 0
  }

  /** Locks schedules that are due, until the unit of work ends. Those that another process has locked are left out. */
  async lockDue(most: number): Promise<ExportSchedule[]> {
    const due = await this.database.query<{ id: string }>(sql`
      select "Id" as id from "AppExportSchedules"
      where "Status" = ${ExportScheduleStatus.Active} and not "IsDeleted" and "NextRunTime" <= ${this.clock.now}
      order by "NextRunTime" limit ${most} for update skip locked`)
    return due.length ? this.everyWhere(sql`t."Id" = any(${due.map(({ id }) => id)}::uuid[])`) : []
  }

  /** Notes when a schedule runs next; without a next run it has ended. It is no change that readers of the schedule must know of. */
  async setNext(id: string, nextRunTime: Date | null): Promise<void> {
    const status = nextRunTime ? ExportScheduleStatus.Active : ExportScheduleStatus.Ended
    await this.database.execute(
      sql`update "AppExportSchedules" set "NextRunTime" = ${nextRunTime}, "Status" = ${status} where "Id" = ${id}`,
    )
  }

  /** Notes how a run ended. Answers true when the schedule is stopped because of it. */
  async noteEnd(
    { exportScheduleId: id, scheduledTime }: ExportRun,
    status: ExportRunStatus,
  ): Promise<boolean> {
    const hasFailed = status === ExportRunStatus.Failed
    const [noted] = await this.database.query<{
      status: ExportScheduleStatus
      before: ExportScheduleStatus
    }>(sql`
      with before as (select "Status" from "AppExportSchedules" where "Id" = ${id} for update)
      update "AppExportSchedules" s set "LastRunTime" = ${scheduledTime}, "LastRunStatus" = ${status},
        "ConsecutiveFailures" = case when ${hasFailed} then s."ConsecutiveFailures" + 1 else 0 end,
        "Status" = case when ${hasFailed} and s."Status" = ${ExportScheduleStatus.Active} and s."ConsecutiveFailures" + 1 >= ${mostFailures}
          then ${ExportScheduleStatus.Faulted} else s."Status" end
      from before where s."Id" = ${id}
      returning s."Status" as status, before."Status" as before`)
    return noted?.status === ExportScheduleStatus.Faulted && noted.before !== ExportScheduleStatus.Faulted
  }
}

/** What became of a file. */
export interface ExportedFile extends Pick<ExportRun, 'query' | 'columns' | 'scope'> {
  readonly rowCount: number
  readonly isTruncated: boolean
  readonly fileName: string
  readonly blobName: string | null
  readonly fileSize: number
  readonly deliveryStatus: ExportDeliveryStatus
}

/** The runs of schedules. Each step is one statement that names the state before it: of two processes one makes it. */
@Injectable()
export class ExportRunStore extends StoreOf(ExportRun) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly clock: Clock,
  ) {
    super(databases, rules)
  }

  /** A run whatever the caller sees: for the program. */
  async ofProgram(id: string): Promise<ExportRun | undefined> {
    return (await this.everyWhere(sql`t."Id" = ${id}`))[0]
  }

  /** Adds a run of a schedule for a time. Undefined when there is one. */
  async add({ id, userId, entitySet }: ExportSchedule, scheduledTime: Date): Promise<ExportRun | undefined> {
    const found = await this.everyWhere(
      sql`t."ExportScheduleId" = ${id} and t."ScheduledTime" = ${scheduledTime}`,
    )
    if (found.length) return undefined
    const expirationTime = new Date(this.clock.nowMs + exportDays.file * dayMs)
    return this.insert({ exportScheduleId: id, userId, entitySet, scheduledTime, expirationTime })
  }

  /** True while a run of a schedule waits or runs. */
  async isOpen(scheduleId: string): Promise<boolean> {
    const open = await this.everyWhere(
      sql`t."ExportScheduleId" = ${scheduleId} and t."Status" in (${ExportRunStatus.Queued}, ${ExportRunStatus.Running})`,
    )
    return open.length > 0
  }

  /** How many runs of a user there were within a day. */
  async countOfDay(userId: string): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "AppExportRuns"
      where "UserId" = ${userId} and "ScheduledTime" > ${new Date(this.clock.nowMs - dayMs)}`)
    return found?.count ?? 0
  }

  /** Begins an attempt. Answers its number, 1 at the first time; undefined when the run is over. */
  async begin(id: string): Promise<number | undefined> {
    const [begun] = await this.database.query<{ attempt: number }>(sql`
      update "AppExportRuns" set "Status" = ${ExportRunStatus.Running}, "Attempt" = "Attempt" + 1,
        "StartTime" = coalesce("StartTime", ${this.clock.now})
      where "Id" = ${id} and "Status" in (${ExportRunStatus.Queued}, ${ExportRunStatus.Running})
      returning "Attempt" as attempt`)
    return begun?.attempt
  }

  /** Lets a run wait for its next attempt. False when it is over. */
  async postpone(id: string): Promise<boolean> {
    return this.step(sql`
      update "AppExportRuns" set "Status" = ${ExportRunStatus.Queued}
      where "Id" = ${id} and "Status" = ${ExportRunStatus.Running}`)
  }

  /** Ends a run with its file. False when it is over already: then nothing may be delivered. */
  async succeed(id: string, file: ExportedFile): Promise<boolean> {
    return this.step(sql`
      update "AppExportRuns" set "Status" = ${ExportRunStatus.Succeeded}, "EndTime" = ${this.clock.now}, "RowCount" = ${file.rowCount},
        "IsTruncated" = ${file.isTruncated}, "FileName" = ${file.fileName}, "BlobName" = ${file.blobName}, "FileSize" = ${file.fileSize},
        "Query" = ${file.query}, "Columns" = ${JSON.stringify(file.columns)}::jsonb, "Scope" = ${file.scope}, "DeliveryStatus" = ${file.deliveryStatus}, "Error" = null
      where "Id" = ${id} and "Status" = ${ExportRunStatus.Running}`)
  }

  /** Ends a run without a file. False when it is over already. */
  async fail(id: string, error: string): Promise<boolean> {
    return this.step(sql`
      update "AppExportRuns" set "Status" = ${ExportRunStatus.Failed}, "EndTime" = ${this.clock.now}, "Error" = ${error}
      where "Id" = ${id} and "Status" in (${ExportRunStatus.Queued}, ${ExportRunStatus.Running})`)
  }

  /** Cancels a run. False when it is over. */
  async cancel(id: string): Promise<boolean> {
    return this.step(sql`
      update "AppExportRuns" set "Status" = ${ExportRunStatus.Cancelled}, "EndTime" = ${this.clock.now}
      where "Id" = ${id} and "Status" in (${ExportRunStatus.Queued}, ${ExportRunStatus.Running})`)
  }

  /** Begins an attempt at a delivery. False when there is nothing to deliver any more. */
  async beginDelivery(id: string): Promise<boolean> {
    return this.step(sql`
      update "AppExportRuns" set "DeliveryAttempt" = "DeliveryAttempt" + 1
      where "Id" = ${id} and "DeliveryStatus" = ${ExportDeliveryStatus.Pending}`)
  }

  /** Ends a delivery. False when it has ended already. */
  async endDelivery(id: string, error: string | null): Promise<boolean> {
    const status = error === null ? ExportDeliveryStatus.Delivered : ExportDeliveryStatus.Failed
    return this.step(sql`
      update "AppExportRuns" set "DeliveryStatus" = ${status}, "Error" = ${error}
      where "Id" = ${id} and "DeliveryStatus" = ${ExportDeliveryStatus.Pending}`)
  }

  /** Names of files whose time is over, some at once. */
  async expiredFiles(most: number): Promise<{ readonly id: string; readonly blobName: string }[]> {
    return this.database.query<{ id: string; blobName: string }>(sql`
      select "Id" as id, "BlobName" as "blobName" from "AppExportRuns"
      where "BlobName" is not null and "ExpirationTime" <= ${this.clock.now} limit ${most}`)
  }

  async forgetFile(id: string): Promise<void> {
    await this.step(sql`update "AppExportRuns" set "BlobName" = null where "Id" = ${id}`)
  }

  /** Deletes records that are old enough, some at once; answers how many. */
  async deleteOld(most: number): Promise<number> {
    const before = new Date(this.clock.nowMs - exportDays.record * dayMs)
    return this.database.execute(sql`
      delete from "AppExportRuns" where "Id" in (
        select "Id" from "AppExportRuns" where "ScheduledTime" < ${before} and "BlobName" is null limit ${most} for update skip locked)`)
  }

  private async step(statement: Parameters<ExportRunStore['database']['execute']>[0]): Promise<boolean> {
    return (await this.database.execute(statement)) > 0
  }
}
