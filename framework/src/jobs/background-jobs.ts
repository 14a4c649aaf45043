import { changeNotice } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { newStamp, sequentialGuid } from '../data/entities/guid.js'
import { type Sql, sql } from '../data/wire/sql.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { traceHeaders } from '../modularity/trace-header.js'
import { type ActingUser, UserContext } from '../security/user-context.js'
import { BackgroundJob, JobPriority, jobTable } from './background-job.js'
import { type AnyJobArgs, nextTime } from './job-handler.js'
import { noticeOfJobs } from './job-live-events.js'

const longestArgs = 1_048_576
/** Of `RecurringName`. */
const longestRecurringName = 128

/** How a job is added. */
export interface EnqueueOptions {
  /** Not before this long from now. */
  readonly delayMs?: number
  /** The default is that of the job's kind. */
  readonly priority?: JobPriority
  /**
   * The person in whose name a job of a kind with `runsAs: 'user'` runs; the caller when not given. The program itself
   * names anybody, a caller nobody else: never taken from a request.
   */
  readonly asUser?: string
}

/** When a job is repeated. */
export interface Repetition extends Omit<EnqueueOptions, 'delayMs'> {
  /** Five fields, or six with seconds first. */
  readonly cron: string
  /** IANA name; UTC when not given. */
  readonly timeZone?: string
}

/** The properties of a job in `ExtraProperties`, beside the headers of its trace. */
export interface JobProperties {
  readonly 'X-Correlation-Id'?: string
  /** The person in whose name it runs. */
  readonly ActingUser?: ActingUser
  /** It is added again when it is over. */
  readonly Repeats?: { readonly cron: string; readonly timeZone: string }
  readonly traceparent?: string
  readonly tracestate?: string
}

/** The number of jobs in each state of the queue. */
export interface JobCounts {
  readonly waiting: number
  readonly running: number
  readonly abandoned: number
  /** Seconds that the job which is due for the longest time has waited; null when none is. */
  readonly overdueSeconds: number | null
}

/** The state of a job. */
export interface JobState {
  readonly isRunning: boolean
  /** Done, given up or cancelled. */
  readonly isOver: boolean
  readonly isCancelled: boolean
  /** Percent; null when it tells nothing. */
  readonly progress: number | null
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
  async enqueue(args: object, { delayMs = 0, ...options }: EnqueueOptions = {}): Promise<string> {
    const due = sql`(now() at time zone 'utc') + make_interval(secs => ${delayMs / 1000}::float8)`
    const { id, insertion } = this.insertionOf(args, options, due)
    await this.tell(insertion, id)
    return id
  }

  /**
   * Runs a job again and again at the times of a cron expression, from the commit of the transaction at hand: one
   * occurrence waits or runs at a time, a time that nobody was there for is made up for once. Repeating a kind under
   * the same name anew replaces arguments, times and person. A failed occurrence does not end the series. It ends
   * with {@link endRepetition}, when its waiting occurrence is cancelled, or when its person is deleted.
   * @param name distinguishes series of a kind, e.g. the id of a schedule
   * @example await this.jobs.repeat(schedule.id, new ExportArgs({ … }), { cron: '0 7 * * 1', asUser: schedule.userId })
   */
  async repeat(
    name: string,
    args: object,
    { cron, timeZone = 'UTC', ...options }: Repetition,
  ): Promise<void> {
    const repeats = { cron, timeZone }
    const due = sql`${nextTime(repeats).toISOString()}::timestamptz at time zone 'utc'`
    const { insertion } = this.insertionOf(args, options, due, {
      recurringName: seriesName(typeOf(args), name),
      repeats,
    })
    await this.tell(sql`${insertion}
      on conflict ("RecurringName") where "RecurringName" is not null and "CompletionTime" is null and "IsAbandoned" = false
      do update set "JobArgs" = excluded."JobArgs", "NextTryTime" = excluded."NextTryTime", "TryCount" = 0, "IsCancelled" = false,
        "Priority" = excluded."Priority", "ExtraProperties" = excluded."ExtraProperties", "ConcurrencyStamp" = excluded."ConcurrencyStamp"`)
  }

  /** Ends a series of {@link repeat}: what waits never runs, what runs is aborted. False when there is none. */
  async endRepetition(type: AnyJobArgs, name: string): Promise<boolean> {
    for (;;) {
      const [open] = await this.database.query<{ id: string }>(sql`
        select "Id" as id from "AbpBackgroundJobs"
        where "RecurringName" = ${seriesName(type, name)} and "CompletionTime" is null and not "IsAbandoned"`)
      if (!open) return false
      // The occurrence may have ended since it was found: then the next one is waiting already.
      if (await this.cancel(open.id)) return true
    }
  }

  /**
   * Cancels a job: a waiting one never runs, a running one is aborted. False when there is none, or it is
   * over.
   */
  async cancel(id: string): Promise<boolean> {
    return this.tell(
      sql`
      update "AbpBackgroundJobs" set "IsCancelled" = true, "ConcurrencyStamp" = ${newStamp()},
        "IsAbandoned" = not coalesce("LockedUntil" > now() at time zone 'utc', false)
      where "Id" = ${id} and "CompletionTime" is null and not "IsAbandoned"`,
      id,
    )
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

  /** The states of jobs by their ids. Jobs that are not there any more are left out. */
  async statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobState>> {
    if (ids.length === 0) return new Map()
    const found = await this.database.query<JobState & { id: string }>(sql`
      select "Id" as id, "IsCancelled" as "isCancelled", "Progress" as progress,
        "CompletionTime" is not null or "IsAbandoned" as "isOver",
        "CompletionTime" is null and not "IsAbandoned" and coalesce("LockedUntil" > now() at time zone 'utc', false) as "isRunning"
      from "AbpBackgroundJobs" where "Id" = any(${ids}::uuid[])`)
    return new Map(found.map(({ id, ...state }) => [id, state]))
  }

  /** How many jobs wait or run in a person's name, of the kinds whose names begin with a text. */
  async countOpen(prefix: string, userId: string): Promise<number> {
    const [counted] = await this.database.query<{ n: number }>(sql`
      select count(*)::int as n from "AbpBackgroundJobs"
      where "CompletionTime" is null and not "IsAbandoned" and starts_with("JobName", ${prefix})
        and "ExtraProperties"::jsonb -> 'ActingUser' ->> 'userId' = ${userId}`)
    return counted?.n ?? 0
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

  private insertionOf(
    args: object,
    { priority, asUser }: Pick<EnqueueOptions, 'priority' | 'asUser'>,
    due: Sql,
    {
      recurringName = null,
      repeats,
    }: { recurringName?: string | null; repeats?: JobProperties['Repeats'] } = {},
  ): { id: string; insertion: Sql } {
    const type = typeOf(args)
    const { jobName, jobOptions } = type
    const json = JSON.stringify(type.schema.parse(args))
    if (json.length > longestArgs)
      throw new Error(
        `The arguments of ${jobName} have ${json.length} characters, ${longestArgs} is the most`,
      )
    const { correlationId } = ambient()
    const properties: JobProperties = {
      ...(correlationId && { 'X-Correlation-Id': correlationId }),
      ...traceHeaders(),
      ...this.personOf(type, asUser),
      ...(repeats && { Repeats: repeats }),
    }
    const id = sequentialGuid()
    const insertion = sql`
      insert into "AbpBackgroundJobs" ("Id", "ApplicationName", "JobName", "RecurringName", "JobArgs", "CreationTime", "NextTryTime", "Priority",
        "ExtraProperties", "ConcurrencyStamp")
      values (${id}, ${this.application.name.slice(0, 96)}, ${jobName}, ${recurringName}, ${json}, now() at time zone 'utc',
        ${due}, ${priority ?? jobOptions.priority ?? JobPriority.Normal}, ${JSON.stringify(properties)}, ${newStamp()})`
    return { id, insertion }
  }

  /** The person in whose name a job will run, as it is stored with the job. */
  private personOf(
    { jobName, jobOptions }: AnyJobArgs,
    asUser: string | undefined,
  ): Pick<JobProperties, 'ActingUser'> {
    if (jobOptions.runsAs === 'user') {
      const people = this.application.find(UserContext)
      if (!people)
        throw new Error(`${jobName} runs as a user, and this host knows none: add SecurityModule to it`)
      return { ActingUser: people.actingFor(asUser) }
    }
    if (asUser === undefined) return {}
    throw new Error(
      `${jobName} runs as the program itself: say runsAs: 'user' in its options, or leave asUser out`,
    )
  }

  /** Runs a statement and tells the workers, and the person in whose name a job runs. */
  private async tell(statement: Sql, id?: string): Promise<boolean> {
    return UnitOfWork.run(async () => {
      const touched = await this.database.execute(statement)
      if (touched) {
        await this.database.execute(sql`select ${changeNotice(jobTable)}`)
        if (id !== undefined) await this.database.execute(noticeOfJobs([id]))
        UnitOfWork.current?.changed(this.database, jobTable)
      }
      return touched > 0
    })
  }
}

function typeOf(args: object): AnyJobArgs {
  const type = args.constructor as unknown as AnyJobArgs
  if (typeof type.jobName === 'string') return type
  throw new Error(`${type.name} are no arguments of a job: derive the class from JobArgs(name, shape)`)
}

/** Differs from the names of recurring jobs in the code, which have no slash. */
function seriesName({ jobName }: AnyJobArgs, name: string): string {
  const recurringName = `${jobName}/${name}`
  if (recurringName.length <= longestRecurringName) return recurringName
  throw new Error(`${recurringName} is longer than ${longestRecurringName} characters`)
}
