import { Injectable } from '@keel/framework'
import { EntityNotFoundError, faultOf, pageOf, ValidationError } from '@keel/framework/contracts'
import {
  and,
  changeNotice,
  type Database,
  Databases,
  JsonView,
  PageReader,
  raw,
  type Sql,
  sql,
} from '@keel/framework/data'
import { IncomingEvent, inboxTable } from '@keel/framework/events'
import {
  type EventBoxDto,
  InboxEventDto,
  type InboxEventListInput,
  type ReplayEventsInput,
} from '../contracts/index.js'

const Page = pageOf(InboxEventDto)
const view = new JsonView(IncomingEvent, InboxEventDto, {
  members: (t) => ({ correlationId: sql`${t}."ExtraProperties"::json ->> 'X-Correlation-Id'` }),
  sortBy: ['eventName', 'consumer', 'creationTime', 'status', 'handledTime', 'retryCount', 'nextRetryTime'],
})

/** The outboxes and inboxes of all databases. */
@Injectable()
export class EventBoxes {
  constructor(
    private readonly databases: Databases,
    private readonly pages: PageReader,
  ) {}

  page({
    database,
    eventName,
    consumer,
    status,
    ...page
  }: InboxEventListInput): Promise<InstanceType<typeof Page>> {
    const request = { ...page, defaultSorting: 'creationTime DESC', equal: { eventName, consumer, status } }
    return this.pages.page(Page, view, request, this.database(database))
  }

  async boxes(): Promise<EventBoxDto[]> {
    return Promise.all(
      this.databases.all.map(async (database) => {
        const [found] = await database.query<Omit<EventBoxDto, 'database'>>(sql`
          select (select count(*)::int from "AbpEventOutbox") as outgoing,
            count(*) filter (where "Status" = 0)::int as pending, count(*) filter (where "Status" = 1)::int as discarded
          from "AbpEventInbox" where "Status" < 2`)
        return { database: database.name, outgoing: 0, pending: 0, discarded: 0, ...found }
      }),
    )
  }

  /** Makes discarded events pending again; answers how many. */
  async replay({ ids, ...input }: ReplayEventsInput): Promise<number> {
    const database = this.database(input.database)
    return replayIn(database, and([...filtersOf(input), ids ? sql`"Id" = any(${ids}::uuid[])` : undefined]))
  }

  /** The same for one, in whichever database it is. Answers false when it is not discarded; throws when there is none. */
  async replayOne(id: string): Promise<boolean> {
    return (await replayIn(await this.home(id), sql`"Id" = ${id}`)) > 0
  }

  /** Deletes a discarded event. Answers false when it is not discarded; throws when there is none. */
  async deleteOne(id: string): Promise<boolean> {
    const database = await this.home(id)
    return (await database.execute(sql`delete from "AbpEventInbox" where "Id" = ${id} and "Status" = 1`)) > 0
  }

  private database(name: string): Database {
    const found = this.databases.all.find((database) => database.name.toLowerCase() === name.toLowerCase())
    if (!found) throw new ValidationError([faultOf('database', 'Validation:NoSuchEntity')])
    return found
  }

  private async home(id: string): Promise<Database> {
    for (const database of this.databases.all) {
      if ((await database.query(sql`select 1 from "AbpEventInbox" where "Id" = ${id}`)).length)
        return database
    }
    throw new EntityNotFoundError('InboxEvent', id)
  }
}

async function replayIn(database: Database, condition: Sql): Promise<number> {
  const count = await database.execute(sql`
    update "AbpEventInbox" set "Status" = 0, "RetryCount" = 0, "NextRetryTime" = null, "HandledTime" = null
    where "Status" = 1 and ${condition}`)
  if (count) await database.execute(sql`select ${changeNotice(inboxTable)}`)
  return count
}

function filtersOf({ eventName, consumer }: Pick<InboxEventListInput, 'eventName' | 'consumer'>): Sql[] {
  return [
    eventName ? sql`"EventName" = ${eventName}` : raw('true'),
    consumer ? sql`"Consumer" = ${consumer}` : raw('true'),
  ]
}
