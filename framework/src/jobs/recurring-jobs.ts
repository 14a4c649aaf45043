import { newStamp, sequentialGuid } from '../data/entities/guid.js'
import { sql } from '../data/wire/sql.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { BackgroundJobs } from './background-jobs.js'
import { nextTime } from './job-handler.js'
import { JobKinds } from './job-kinds.js'

/** Sees to it that the next occurrence of each recurring job of this process waits in the queue. */
@Injectable()
export class RecurringJobs {
  constructor(
    private readonly application: Application,
    private readonly kinds: JobKinds,
    private readonly jobs: BackgroundJobs,
  ) {}

  /**
   * Adds missing occurrences; the database holds one per job. A waiting one follows a changed cron
   * expression.
   */
  async schedule(): Promise<void> {
    const recurring = this.kinds.all.flatMap(({ name, recurring }) =>
      recurring ? [{ name, args: JSON.stringify(recurring), next: nextTime(recurring).toISOString() }] : [],
    )
    if (recurring.length === 0) return
    const names = recurring.map(({ name }) => name)
    const rows = sql`unnest(${recurring.map(() => sequentialGuid())}::uuid[], ${names}::text[], ${recurring.map(({ args }) => args)}::text[],
      ${recurring.map(({ next }) => next)}::timestamptz[]) t(id, name, args, next)`
    await this.jobs.database.execute(sql`
      update "AbpBackgroundJobs" j set "JobArgs" = t.args, "NextTryTime" = t.next at time zone 'utc'
      from ${rows}
      where j."RecurringName" = t.name and j."CompletionTime" is null and not j."IsAbandoned" and j."JobArgs" <> t.args
        and not coalesce(j."LockedUntil" > now() at time zone 'utc', false)`)
    await this.jobs.database.execute(sql`
      insert into "AbpBackgroundJobs" ("Id", "ApplicationName", "JobName", "RecurringName", "JobArgs", "CreationTime", "NextTryTime",
        "Priority", "ExtraProperties", "ConcurrencyStamp")
      select id, ${this.application.name.slice(0, 96)}, name, name, args, now() at time zone 'utc', next at time zone 'utc', 15, '{}', ${newStamp()}
      from ${rows}
      on conflict ("RecurringName") where "RecurringName" is not null and "CompletionTime" is null and "IsAbandoned" = false do nothing`)
  }
}
