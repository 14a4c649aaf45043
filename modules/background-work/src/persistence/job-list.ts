import { Injectable } from '@keel/framework'
import { EntityNotFoundError } from '@keel/framework/contracts'
import { and, type Database, readPage, Sorting, type Sql, sql } from '@keel/framework/data'
import { BackgroundJobs } from '@keel/framework/jobs'
import { BackgroundJobDto, type BackgroundJobListInput } from '../contracts/index.js'

const sorting = new Sorting(
  Object.fromEntries(
    [
      'jobName',
      'state',
      'priority',
      'tryCount',
      'creationTime',
      'nextTryTime',
      'lastTryTime',
      'completionTime',
    ].map((name) => [name, `"${name}"`]),
  ),
  '"id"',
)

const state = sql`case when "CompletionTime" is not null then 2 when "IsAbandoned" and "IsCancelled" then 4 when "IsAbandoned" then 3
  when "LockedUntil" > now() at time zone 'utc' then 1 else 0 end`

/** Reads jobs as they are shown. */
@Injectable()
export class JobList {
  private readonly database: Database

  constructor(jobs: BackgroundJobs) {
    this.database = jobs.database
  }

  async one(id: string): Promise<BackgroundJobDto> {
    const { items } = await this.read(sql`"Id" = ${id}`, { skipCount: 0, maxResultCount: 1 })
    const [job] = items
    if (!job) throw new EntityNotFoundError('BackgroundJob', id)
    return job
  }

  async page(input: BackgroundJobListInput): Promise<{ totalCount: number; items: BackgroundJobDto[] }> {
    const { jobName, state: wanted } = input
    const conditions = [
      jobName ? sql`"JobName" = ${jobName}` : undefined,
      wanted === undefined || wanted === null ? undefined : sql`${state} = ${wanted}`,
    ]
    return this.read(and(conditions), input)
  }

  private read(
    condition: Sql,
    page: Pick<BackgroundJobListInput, 'skipCount' | 'maxResultCount'> & {
      readonly sorting?: string | null | undefined
    },
  ): Promise<{ totalCount: number; items: BackgroundJobDto[] }> {
    return readPage(this.database, BackgroundJobDto, {
      rows: sql`
        select "Id" as id, "JobName" as "jobName", ${state} as state, "RecurringName" is not null as "isRecurring", "Priority" as priority,
          "TryCount" as "tryCount", "CreationTime" at time zone 'utc' as "creationTime", "NextTryTime" at time zone 'utc' as "nextTryTime",
          "LastTryTime" at time zone 'utc' as "lastTryTime", "CompletionTime" at time zone 'utc' as "completionTime", "Progress" as progress,
          "ProgressText" as "progressText", "LastError" as "lastError", "ExtraProperties"::json ->> 'X-Correlation-Id' as "correlationId"
        from "AbpBackgroundJobs" where ${condition}`,
      order: sorting.orderBy(page.sorting || 'creationTime DESC'),
      skipCount: page.skipCount,
      maxResultCount: page.maxResultCount,
    })
  }
}
