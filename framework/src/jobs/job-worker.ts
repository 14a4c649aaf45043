import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ActingErrors, BusinessError } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { WorkLoop } from '../data/connections/work-loop.js'
import { newStamp, sequentialGuid } from '../data/entities/guid.js'
import { type Sql, sql } from '../data/wire/sql.js'
import { withAmbient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { maskSecrets } from '../modularity/logging.js'
import { system } from '../modularity/principal.js'
import { contextOf, traceIdOf } from '../modularity/trace-header.js'
import { UserContext } from '../security/user-context.js'
import { Telemetry } from '../telemetry/telemetry.js'
import { jobTable } from './background-job.js'
import { BackgroundJobs, type JobProperties } from './background-jobs.js'
import { JobAbandoned, type JobContext, nextTime } from './job-handler.js'
import { type JobKind, JobKinds } from './job-kinds.js'
import { noticeOfJobs } from './job-live-events.js'
import { JobMetrics, type JobOutcome } from './job-metrics.js'
import { JobSettings } from './job-settings.js'
import { RecurringJobs } from './recurring-jobs.js'

const longestRetryMs = 3_600_000
const longestError = 1000
const longestProgressText = 256
/** The time that running jobs have to end after the stop signal of the process. */
const drainMs = 10_000
const scheduleEveryMs = 60_000

const now = sql`(now() at time zone 'utc')`
const inMs = (ms: number): Sql => sql`${now} + make_interval(secs => ${ms / 1000}::float8)`

interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly args: string
  readonly tryCount: number
  readonly properties: string
  readonly isCancelled: boolean
}

/** A series of occurrences, as its latest one has it. */
interface Series extends Pick<ClaimedJob, 'args' | 'properties' | 'isCancelled'> {
  readonly name: string
  readonly priority: number
}

/** A job that this process works on. */
class RunningJob {
  readonly lockId = randomUUID()
  readonly end = new AbortController()
  isCancelled = false
  isInterrupted = false
  /** When the job is to run again, in milliseconds from its end; undefined when it is done then. */
  postponedMs: number | undefined
  percent: number | null = null
  text: string | null = null
  /** The person in whose name it does work that can take long. */
  busyPerson: string | undefined
  /** The progress that the person in whose name it runs was told of; undefined when nobody is told. */
  toldProgress: string | undefined

  progress(percent: number, text?: string): void {
    this.percent = Math.round(Math.min(Math.max(percent, 0), 100))
    this.text = text?.slice(0, longestProgressText) ?? null
  }

  get progressKey(): string {
    return this.percent === null ? '' : `${this.percent} ${this.text ?? ''}`
  }

  abort(reason: string): void {
    this.end.abort(new Error(reason))
  }
}

/**
 * Works on jobs of the kinds that this process knows. Who takes a job has it for the time of a lease and
 * renews that while it works; a process that can't renew it ends its jobs before others may take them.
 */
@Injectable()
export class JobWorker {
  private readonly settings
  private readonly database: Database
  private readonly telemetry: Telemetry | undefined
  private readonly people: UserContext | undefined
  private readonly metrics: JobMetrics | undefined
  private readonly loops: WorkLoop[] = []
  private readonly running = new Map<string, RunningJob>()
  private heart: WorkLoop | undefined
  private fence: NodeJS.Timeout | undefined
  private isStopping = false

  constructor(
    private readonly application: Application,
    private readonly kinds: JobKinds,
    private readonly recurring: RecurringJobs,
    jobs: BackgroundJobs,
  ) {
    this.settings = application.configuration.read(JobSettings)
    this.database = jobs.database
    this.telemetry = application.find(Telemetry)
    this.people = application.find(UserContext)
    this.metrics = this.telemetry && new JobMetrics(this.telemetry, jobs)
  }

  /** True when this process works on jobs. */
  get isEnabled(): boolean {
    return this.settings.isWorkerEnabled && this.kinds.all.length > 0
  }

  start(): void {
    if (!this.isEnabled) return
    const { concurrency, pollMs, leaseMs } = this.settings
    const { feed } = this.database
    const loop = (name: string, ms: number, work: () => Promise<boolean>): WorkLoop => {
      const started = new WorkLoop({
        name,
        pollMs: ms,
        longestPauseMs: Math.max(ms, 5000),
        work,
        logger: this.application.logger,
      })
      started.start()
      this.loops.push(started)
      return started
    }
    for (let place = 0; place < concurrency; place += 1) {
      // Slow servers and large files, which users choose, keep all but the first place busy.
      const names = place === 0 && concurrency > 1 ? this.kinds.namesOfShort : this.kinds.names
      const worker = loop('working on jobs', pollMs, () => this.workOnNext(names))
      feed.onChanged(jobTable, () => worker.wake())
    }
    this.heart = loop('renewing the leases of jobs', leaseMs / 5, () => this.beat())
    feed.onChanged(jobTable, () => this.running.size > 0 && this.heart?.wake())
    loop('scheduling recurring jobs', scheduleEveryMs, async () => {
      await this.recurring.schedule()
      return false
    })
  }

  /**
   * Takes no more jobs and aborts running ones. Jobs that do not end are taken over when their lease ends.
   */
  async stop(): Promise<void> {
    this.isStopping = true
    const { heart } = this
    const ended = Promise.all(this.loops.filter((loop) => loop !== heart).map((loop) => loop.stop()))
    for (const job of this.running.values()) interrupt(job, 'the process stops')
    await Promise.race([ended, delay(drainMs, undefined, { ref: false })])
    await heart?.stop()
    clearTimeout(this.fence)
  }

  /** @param names the kinds that the place is for */
  private async workOnNext(names: readonly string[]): Promise<boolean> {
    if (this.isStopping) return false
    const running = new RunningJob()
    const claimed = await this.claimInTurn(running.lockId, names)
    if (!claimed) return false
    running.isCancelled = claimed.isCancelled
    const kind = this.kinds.named(claimed.name) as JobKind
    this.running.set(claimed.id, running)
    if (kind.runsAs === 'user') {
      running.toldProgress = ''
      if (kind.isLong) running.busyPerson = propertiesOf(claimed).ActingUser?.userId
      await this.tellPeople([claimed.id])
    }
    if (this.running.size === 1) this.extendFence()
    const ended = this.metrics?.begin(claimed.name)
    try {
      const error = await this.outcome(claimed, kind, running)
      const outcome = this.outcomeOf(error, claimed, running)
      await this.finish(claimed, running, { error, outcome })
      ended?.(outcome)
    } finally {
      this.running.delete(claimed.id)
    }
    if (kind.recurring) await this.recurring.schedule()
    return true
  }

  /**
   * The next job of these kinds. Of work that can take long, that of people for whom this process does none is first:
   * whoever started much of it does not keep others waiting for all of it.
   */
  private async claimInTurn(lockId: string, names: readonly string[]): Promise<ClaimedJob | undefined> {
    const busy = [...this.running.values()].flatMap(({ busyPerson }) => busyPerson ?? [])
    if (busy.length === 0) return this.claim(lockId, names)
    const ofOthers = sql`case when "JobName" = any(${this.kinds.namesOfLong})
      then coalesce(nullif("ExtraProperties", '')::jsonb -> 'ActingUser' ->> 'userId', '') <> all(${busy}) else true end`
    return (await this.claim(lockId, names, ofOthers)) ?? this.claim(lockId, names)
  }

  /** The most urgent job of these kinds that is due; nobody else gets it before the lease is over. */
  private async claim(
    lockId: string,
    names: readonly string[],
    condition: Sql = sql`true`,
  ): Promise<ClaimedJob | undefined> {
    const [claimed] = await this.database.query<ClaimedJob>(sql`
      update "AbpBackgroundJobs" j set "TryCount" = "TryCount" + 1, "LastTryTime" = ${now}, "LockId" = ${lockId},
        "LockedUntil" = ${this.leaseEnd()}, "Progress" = null, "ProgressText" = null
      where j."Id" = (
        select "Id" from "AbpBackgroundJobs"
        where "CompletionTime" is null and "IsAbandoned" = false and "NextTryTime" <= ${now} and "JobName" = any(${names})
          and ("LockedUntil" is null or "LockedUntil" <= ${now}) and ${condition}
        order by - "Priority", "NextTryTime" limit 1 for update skip locked)
      returning "Id" as id, "JobName" as name, "JobArgs" as args, "TryCount" as "tryCount", "ExtraProperties" as properties,
        "IsCancelled" as "isCancelled"`)
    return claimed
  }

  /** Runs a job; answers what it threw. */
  private async outcome(job: ClaimedJob, kind: JobKind, running: RunningJob): Promise<unknown> {
    // Somebody took it back while a worker had it who died.
    if (running.isCancelled) return new Error('cancelled')
    // Its worker died at each attempt, perhaps of it.
    if (job.tryCount > kind.maxTries) return new JobAbandoned('the process that worked on it ended each time')
    const properties = propertiesOf(job)
    const correlationId = properties['X-Correlation-Id'] ?? randomUUID().replaceAll('-', '')
    const context: JobContext = {
      id: job.id,
      attempt: job.tryCount,
      signal: running.end.signal,
      progress: (percent, text) => {
        running.progress(percent, text)
        this.heart?.wake()
      },
      postpone: (delayMs) => {
        running.postponedMs = delayMs
      },
    }
    const attributes = { 'keel.job.name': job.name, 'keel.job.attempt': job.tryCount }
    try {
      const work = () => this.runInName(job, kind, context)
      await withAmbient({ correlationId, principal: system, culture: 'en' }, () =>
        this.telemetry
          ? this.telemetry.within(
              `job ${job.name}`,
              { attributes, parent: contextOf(traceOf(properties)) },
              work,
            )
          : work(),
      )
      return undefined
    } catch (error) {
      return error ?? new Error('the job failed without a reason')
    }
  }

  /** Runs a job as the program, or in the name of the person that its kind demands. */
  private async runInName(job: ClaimedJob, kind: JobKind, context: JobContext): Promise<void> {
    if (kind.runsAs === 'system') return kind.run(job.args, context)
    const person = propertiesOf(job).ActingUser
    // A row of an older release, or written by hand: it must not run with the rights of the program.
    if (!person) throw new JobAbandoned(`${job.name} runs in a person's name, and the job names none`)
    if (!this.people)
      throw new JobAbandoned(`${job.name} runs in a person's name: add SecurityModule to this host`)
    let hasBegun = false
    const work = () => {
      hasBegun = true
      return kind.run(job.args, context)
    }
    try {
      await this.people.runAs(person, work, `job ${job.name}`)
    } catch (error) {
      if (hasBegun || !(error instanceof BusinessError)) throw error
      throw new JobAbandoned(`${error.code}: ${person.userId}`, { cause: error })
    }
  }

  private outcomeOf(error: unknown, job: ClaimedJob, running: RunningJob): JobOutcome {
    if (error === undefined) return running.postponedMs === undefined ? 'completed' : 'postponed'
    if (running.isCancelled) return 'cancelled'
    if (running.isInterrupted) return 'interrupted'
    const { maxTries } = this.kinds.named(job.name) as JobKind
    return error instanceof JobAbandoned || job.tryCount >= maxTries ? 'given up' : 'failed'
  }

  private async finish(
    job: ClaimedJob,
    running: RunningJob,
    { error, outcome }: { readonly error: unknown; readonly outcome: JobOutcome },
  ): Promise<void> {
    const { logger } = this.application
    const traceId = traceIdOf(traceOf(propertiesOf(job)))
    const values = { job: job.name, id: job.id, attempt: job.tryCount, ...(traceId && { traceId }) }
    let changes: Sql
    if (outcome === 'completed') {
      changes = sql`"CompletionTime" = ${now}, "JobArgs" = '{}', "LastError" = null, "Progress" = 100, "ProgressText" = null`
    } else if (outcome === 'interrupted' || outcome === 'postponed') {
      const pauseMs = outcome === 'postponed' ? (running.postponedMs ?? 0) : 0
      changes = sql`"NextTryTime" = ${inMs(pauseMs)}, "TryCount" = greatest("TryCount" - 1, 0), "IsAbandoned" = "IsCancelled"`
    } else {
      const told = maskSecrets(error instanceof Error ? error.message : String(error)).slice(0, longestError)
      const isOver = outcome !== 'failed'
      const pauseMs = Math.min(
        this.settings.firstRetryMs * 2 ** Math.min(job.tryCount - 1, 30),
        longestRetryMs,
      )
      if (outcome === 'cancelled') logger.info(values, 'job cancelled')
      else if (isOver) logger.error({ err: error, ...values }, 'job given up')
      else logger.warn({ err: error, ...values, pauseMs }, 'job failed, it will be tried again')
      changes = sql`"LastError" = ${told}, "IsAbandoned" = ${isOver} or "IsCancelled",
        "NextTryTime" = ${inMs(pauseMs)}`
    }
    const end = sql`
      update "AbpBackgroundJobs" set ${changes}, "LockId" = null, "LockedUntil" = null
      where "Id" = ${job.id} and "LockId" = ${running.lockId}`
    const isOver = outcome === 'completed' || outcome === 'given up'
    const goesOn = isOver && propertiesOf(job).Repeats && !hasNoPerson(error)
    const touched = await (goesOn ? this.endOccurrence(job, running, end) : this.database.execute(end))
    if (running.toldProgress !== undefined) await this.tellPeople([job.id])
    if (!touched) logger.warn(values, 'a job ended after its lease: another worker may have taken it')
  }

  /** Ends an occurrence of a repeated job and adds the next one, as the series is now: it may have changed meanwhile. */
  private endOccurrence(job: ClaimedJob, running: RunningJob, end: Sql): Promise<number> {
    return UnitOfWork.run(async () => {
      const [series] = await this.database.query<Series>(sql`
        select "RecurringName" as name, "JobArgs" as args, "Priority" as priority, "ExtraProperties" as properties, "IsCancelled" as "isCancelled"
        from "AbpBackgroundJobs" where "Id" = ${job.id} and "LockId" = ${running.lockId} for update`)
      const touched = await this.database.execute(end)
      const { Repeats: repeats } = series ? propertiesOf(series) : {}
      if (series && repeats && !series.isCancelled)
        await this.database.execute(sql`
          insert into "AbpBackgroundJobs" ("Id", "ApplicationName", "JobName", "RecurringName", "JobArgs", "CreationTime", "NextTryTime", "Priority",
            "ExtraProperties", "ConcurrencyStamp")
          values (${sequentialGuid()}, ${this.application.name.slice(0, 96)}, ${job.name}, ${series.name}, ${series.args}, ${now},
            ${nextTime(repeats).toISOString()}::timestamptz at time zone 'utc', ${series.priority}, ${series.properties}, ${newStamp()})`)
      return touched
    })
  }

  /** Renews the leases, tells progress and hears who was cancelled. */
  private async beat(): Promise<boolean> {
    const jobs = [...this.running]
    if (jobs.length === 0) return false
    const kept = await this.database.query<{ id: string; isCancelled: boolean }>(sql`
      update "AbpBackgroundJobs" j set "LockedUntil" = ${this.leaseEnd()}, "Progress" = b.percent, "ProgressText" = b.text
      from unnest(${jobs.map(([id]) => id)}::uuid[], ${jobs.map(([, job]) => job.lockId)}::uuid[],
        ${jobs.map(([, job]) => job.percent)}::smallint[], ${jobs.map(([, job]) => job.text)}::text[]) b(id, lock, percent, text)
      where j."Id" = b.id and j."LockId" = b.lock
      returning j."Id" as id, j."IsCancelled" as "isCancelled"`)
    this.extendFence()
    await this.tellProgress(jobs)
    const states = new Map(kept.map((job) => [job.id, job]))
    for (const [id, job] of jobs) if (this.running.get(id) === job) heed(job, states.get(id))
    return false
  }

  /** Tells people of progress that they do not know yet. */
  private async tellProgress(jobs: readonly (readonly [id: string, job: RunningJob])[]): Promise<void> {
    const untold = jobs.filter(
      ([, { toldProgress, progressKey }]) => toldProgress !== undefined && toldProgress !== progressKey,
    )
    if (untold.length === 0) return
    for (const [, job] of untold) job.toldProgress = job.progressKey
    await this.tellPeople(untold.map(([id]) => id))
  }

  /** Tells people that jobs in their names changed. What fails here must not keep a job from being done. */
  private async tellPeople(ids: readonly string[]): Promise<void> {
    await this.database
      .execute(noticeOfJobs(ids))
      .catch((error: unknown) =>
        this.application.logger.debug({ err: error }, 'progress of jobs is not told'),
      )
  }

  /** Others take our jobs when the leases end: when these can't be renewed, ours end before. */
  private extendFence(): void {
    clearTimeout(this.fence)
    this.fence = setTimeout(() => {
      for (const job of this.running.values()) interrupt(job, 'the queue of jobs is not reached')
    }, this.settings.leaseMs * 0.7)
    this.fence.unref()
  }

  private leaseEnd(): Sql {
    return inMs(this.settings.leaseMs)
  }
}

/** The properties stored with a job when it was added: where it came from, and in whose name it runs. */
const propertiesOf = ({ properties }: Pick<ClaimedJob, 'properties'>): JobProperties =>
  JSON.parse(properties || '{}') as JobProperties

const traceOf = ({ traceparent, tracestate }: JobProperties) => ({ traceparent, tracestate })

/** True when the person in whose name a job should have run is deleted. */
function hasNoPerson(error: unknown): boolean {
  const { cause } = error instanceof JobAbandoned ? error : {}
  return cause instanceof BusinessError && cause.code === ActingErrors.UserDeleted
}

function heed(job: RunningJob, state: { readonly isCancelled: boolean } | undefined): void {
  if (!state) interrupt(job, 'another worker has taken the job')
  else if (state.isCancelled) {
    job.isCancelled = true
    job.abort('the job was cancelled')
  }
}

function interrupt(job: RunningJob, reason: string): void {
  job.isInterrupted = true
  job.abort(reason)
}
