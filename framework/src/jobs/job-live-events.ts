import { changeChannel } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { type Sql, sql } from '../data/wire/sql.js'
import { type LiveChange, LiveEventSource, liveNoticePrefix } from '../live/live-events.js'
import { Injectable } from '../modularity/injectable.js'
import { BackgroundJob } from './background-job.js'

const kind = 'job'

/** The data of an event of a job that runs in a person's name. */
export interface JobLiveEvent {
  readonly jobId: string
  /** The kind of job. */
  readonly jobName: string
  readonly isRunning: boolean
  readonly isCompleted: boolean
  /** Given up after its last attempt, or cancelled. */
  readonly isAbandoned: boolean
  readonly isCancelled: boolean
  /** Percent; null when it tells nothing. */
  readonly progress: number | null
  readonly progressText: string | null
}

/** SQL that tells people, once the current transaction is committed, that jobs in their names changed. Other jobs are left out. */
export function noticeOfJobs(ids: readonly string[]): Sql {
  // Rows that ABP wrote may have no JSON.
  const person = sql`nullif("ExtraProperties", '')::jsonb -> 'ActingUser' ->> 'userId'`
  return sql`
    select pg_notify(${changeChannel}, ${liveNoticePrefix(kind)} || (${person}) || ' ' || "Id"::text)
    from "AbpBackgroundJobs" where "Id" = any(${ids}::uuid[]) and ${person} is not null`
}

/** Tells people how far jobs are that run in their names. */
@Injectable()
export class JobLiveEvents extends LiveEventSource {
  readonly kind = kind
  readonly database: Database

  constructor(databases: Databases) {
    super()
    this.database = databases.of(BackgroundJob)
  }

  async read(changes: readonly LiveChange[]): Promise<readonly (JobLiveEvent | undefined)[]> {
    const found = await this.database.query<JobLiveEvent>(sql`
      select "Id" as "jobId", "JobName" as "jobName", "CompletionTime" is not null as "isCompleted", "IsAbandoned" as "isAbandoned",
        "IsCancelled" as "isCancelled", "Progress" as progress, "ProgressText" as "progressText",
        "CompletionTime" is null and not "IsAbandoned" and coalesce("LockedUntil" > now() at time zone 'utc', false) as "isRunning"
      from "AbpBackgroundJobs" where "Id" = any(${changes.map(({ key }) => key)}::uuid[])`)
    const jobs = new Map(found.map((job) => [job.jobId, job]))
    return changes.map(({ key }) => jobs.get(key))
  }
}
