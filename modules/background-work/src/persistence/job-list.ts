import { Injectable } from '@keel/framework'
import { pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader, raw, type Sql, sql } from '@keel/framework/data'
import { BackgroundJob } from '@keel/framework/jobs'
import { BackgroundJobDto, type BackgroundJobListInput } from '../contracts/index.js'

const stateOf = (t: Sql): Sql => sql`case when ${t}."CompletionTime" is not null then 2
  when ${t}."IsAbandoned" and ${t}."IsCancelled" then 4 when ${t}."IsAbandoned" then 3
  when ${t}."LockedUntil" > now() at time zone 'utc' then 1 else 0 end`

const Page = pageOf(BackgroundJobDto)
const view = new JsonView(BackgroundJob, BackgroundJobDto, {
  members: (t) => ({
    state: stateOf(t),
    isRecurring: sql`${t}."RecurringName" is not null`,
    userId: sql`(${t}."ExtraProperties"::json -> 'ActingUser' ->> 'userId')::uuid`,
    correlationId: sql`${t}."ExtraProperties"::json ->> 'X-Correlation-Id'`,
  }),
  sortBy: [
    'jobName',
    'state',
    'priority',
    'tryCount',
    'creationTime',
    'nextTryTime',
    'lastTryTime',
    'completionTime',
  ],
})

/** Reads jobs as they are shown. */
@Injectable()
export class JobList {
  constructor(private readonly pages: PageReader) {}

  one(id: string): Promise<BackgroundJobDto> {
    return this.pages.one(BackgroundJobDto, view, id)
  }

  page({ jobName, state, ...page }: BackgroundJobListInput): Promise<InstanceType<typeof Page>> {
    const isWanted = typeof state === 'number' ? sql`${stateOf(raw('t'))} = ${state}` : undefined
    return this.pages.page(Page, view, {
      ...page,
      defaultSorting: 'creationTime DESC',
      equal: { jobName },
      conditions: [isWanted],
    })
  }
}
