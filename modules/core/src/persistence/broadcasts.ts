import { Clock, Injectable } from '@keel/framework'
import { Databases, Locks, RowRules, StoreOf, sql } from '@keel/framework/data'
import { Broadcast } from '../domain/broadcast.js'

const hourMs = 3_600_000

/** The messages to many users. */
@Injectable()
export class BroadcastStore extends StoreOf(Broadcast) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    super(databases, rules)
  }

  /** Lets one broadcast of a user at a time be added, until the unit of work ends. Answers how many the user has made within an hour. */
  async lockAndCount(userId: string): Promise<number> {
    await this.locks.hold(`App.Broadcasts ${userId}`, { database: this.database })
    const since = new Date(this.clock.nowMs - hourMs)
    const [found] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "AppBroadcasts" where "CreatorId" = ${userId} and "CreationTime" > ${since}`)
    return found?.count ?? 0
  }

  /** Notes that all recipients have it. */
  async end(id: string, recipientCount: number): Promise<void> {
    await this.database.execute(sql`
      update "AppBroadcasts" set "EndTime" = ${this.clock.now}, "RecipientCount" = ${recipientCount} where "Id" = ${id}`)
  }
}
