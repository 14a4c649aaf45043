import { changeNotice } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { newStamp } from '../data/stores/store.js'
import { sql } from '../data/wire/sql.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { traceHeaders } from '../modularity/trace-header.js'
import { BackgroundJob, JobPriority, jobTable } from './background-job.js'
import type { AnyJobArgs } from './job-handler.js'

const longestArgs = 1_048_576

/** How a job is added. */
export interface EnqueueOptions {
  /** Not before this long from now. */
  readonly delayMs?: number
  /** The default is that of the job's kind. */
  readonly priority?: JobPriority
}

/** The number of jobs in each state of the queue. */
export interface JobCounts {
  readonly waiting: number
  readonly running: number
  readonly abandoned: number
  /** Seconds that the job which is due for the longest time has waited; null when none is. */
  readonly overdueSeconds: number | null
}

/** The queue of jobs, in the Default database. */
@Injectable()
export class BackgroundJobs {
  readonly database: Database

  constructor(
    private readonly application: Application,
    databases: Databases,
  ) {
    this.database = databases.of(BackgroundJob)
  }

  /**
   * Adds a job, in the transaction at hand: it exists when that is committed. Answers its id. Throws when the
   * arguments do not fit.
   * @example await this.jobs.enqueue(new SendInvoiceArgs({ invoiceId }))
   */
  async enqueue(args: object, options: EnqueueOptions = {}): Promise<string> {
    const type = args.constructor as unknown as AnyJobArgs
    if (typeof type.jobName !== 'string')
      throw new Error(`${type.name} are no arguments of a job: derive the class from JobArgs(name, shape)`)
    const json = JSON.stringify(type.schema.parse(args))
    if (json.length > longestArgs)
      throw new Error(
        `The arguments of ${type.jobName} have ${json.length} characters, ${longestArgs} is the most`,
      )
    const id = sequentialGuid()
    const { correlationId } = ambient()
    const properties = JSON.stringify({
      ...(correlationId && { 'X-Correlation-Id': correlationId }),
      ...traceHeaders(),
    })
    const { delayMs = 0, priority = type.jobOptions.priority ?? JobPriority.Normal } = options
    await this.tell(sql`
      insert into "AbpBackgroundJobs" ("Id", "ApplicationName", "JobName", "JobArgs", "CreationTime", "NextTryTime", "Priority",
        "ExtraProperties", "ConcurrencyStamp")
      values (${id}, ${this.application.name.slice(0, 96)}, ${type.jobName}, ${json}, now() at time zone 'utc',
        (now() at time zone 'utc') + make_interval(secs => ${delayMs / 1000}::float8), ${priority}, ${properties}, ${newStamp()})`)
    return id
  }

  /**
   * Cancels a job: a waiting one never runs, a running one is aborted. False when there is none, or it is
   * over.
   */
  async cancel(id: string): Promise<boolean> {
    return this.tell(sql`
      update "AbpBackgroundJobs" set "IsCancelled" = true, "ConcurrencyStamp" = ${newStamp()},
        "IsAbandoned" = not coalesce("LockedUntil" > now() at time zone 'utc', false)
      where "Id" = ${id} and "CompletionTime" is null and not "IsAbandoned"`)
  }

  /**
   * Runs a job as soon as possible that was given up or cancelled, from its first attempt, or one that waits.
   * Of a recurring job the occurrence that waits is run now. Answers false when there is none, it is done, or
   * it runs.
   */
  async retry(id: string): Promise<boolean> {
    return this.tell(sql`
      update "AbpBackgroundJobs" j set "IsAbandoned" = false, "IsCancelled" = false, "TryCount" = 0, "NextTryTime" = now() at time zone 'utc',
        "ConcurrencyStamp" = ${newStamp()}
      where j."CompletionTime" is null and not coalesce(j."LockedUntil" > now() at time zone 'utc', false)
        and j."Id" = coalesce(
          (select w."Id" from "AbpBackgroundJobs" w join "AbpBackgroundJobs" o on o."RecurringName" = w."RecurringName"
            where o."Id" = ${id} and w."CompletionTime" is null and not w."IsAbandoned"), ${id}::uuid)`)
  }

  /** How many jobs there are in each state. */
  async counts(): Promise<JobCounts> {
    const [found] = await this.database.query<JobCounts>(sql`
      select count(*) filter (where not "IsAbandoned" and not coalesce("LockedUntil" > n.now, false))::int as waiting,
        count(*) filter (where not "IsAbandoned" and "LockedUntil" > n.now)::int as running,
        count(*) filter (where "IsAbandoned")::int as abandoned,
        extract(epoch from n.now - min("NextTryTime") filter (where not "IsAbandoned" and "NextTryTime" < n.now
          and not coalesce("LockedUntil" > n.now, false)))::float8 as "overdueSeconds"
      from (select now() at time zone 'utc' as now) n left join "AbpBackgroundJobs" on "CompletionTime" is null
      group by n.now`)
    return found as JobCounts
  }

  /** Runs a statement and tells the workers. */
  private async tell(statement: ReturnType<typeof sql>): Promise<boolean> {
    return UnitOfWork.run(async () => {
      const touched = await this.database.execute(statement)
      if (touched) {
        await this.database.execute(sql`select ${changeNotice(jobTable)}`)
        UnitOfWork.current?.changed(this.database, jobTable)
      }
      return touched > 0
    })
  }
}
