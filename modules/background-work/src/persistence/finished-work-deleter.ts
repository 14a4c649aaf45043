import { Configuration, Injectable, Logger } from '@keel/framework'
import { Databases, type Sql, sql } from '@keel/framework/data'
import { EventSettings } from '@keel/framework/events'
import { BackgroundJobs, JobSettings, RecurringJob } from '@keel/framework/jobs'

const batch = 5000

/** Deletes what is over for a while: handled events, and jobs that are done or were given up. Discarded events stay. */
@Injectable()
export class FinishedWorkDeleter {
  constructor(
    private readonly databases: Databases,
    private readonly jobs: BackgroundJobs,
    private readonly configuration: Configuration,
    private readonly logger: Logger,
  ) {}

  @RecurringJob('17 * * * *')
  async deleteFinished(): Promise<void> {
    const { keepHandledDays } = this.configuration.read(EventSettings)
    const { keepFinishedDays } = this.configuration.read(JobSettings)
    let events = 0
    for (const database of this.databases.all)
      events += await inBatches((limit) =>
        database.execute(sql`
          delete from "AbpEventInbox" where "Id" in (select "Id" from "AbpEventInbox"
            where "Status" = 2 and "HandledTime" < ${before(keepHandledDays)} limit ${limit})`),
      )
    const jobs = await inBatches((limit) =>
      this.jobs.database.execute(sql`
        delete from "AbpBackgroundJobs" where "Id" in (select "Id" from "AbpBackgroundJobs"
          where ("CompletionTime" is not null or "IsAbandoned")
            and coalesce("CompletionTime", "LastTryTime", "CreationTime") < ${before(keepFinishedDays)} limit ${limit})`),
    )
    if (events || jobs) this.logger.info({ events, jobs }, 'handled events and finished jobs deleted')
  }
}

const before = (days: number): Sql => sql`(now() at time zone 'utc') - make_interval(days => ${days}::int)`

async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let gone = 0
  for (let last = batch; last === batch; gone += last) last = await remove(batch)
  return gone
}
