import { createHash } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import { type Database, Databases, sql, UnitOfWork } from '@keel/framework/data'
import { AccountLimit } from '../domain/account-rows.js'

/** So many times in so many seconds, over all processes. */
export interface AttemptLimit {
  readonly name: string
  readonly most: number
  readonly seconds: number
}

/** Counts what strangers may do only so often. */
@Injectable()
export class AttemptLimits {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(AccountLimit)
  }

  /**
   * Counts one more attempt on something before it is made, so that attempts sent at once all count, and beside the unit of work at hand,
   * so that a refusal does not take it back. Throws `TooManyRequestsError` for one too many.
   */
  async spend(limit: AttemptLimit, subject: string): Promise<void> {
    const key = keyOf(limit, subject)
    const [counted] = await UnitOfWork.apart(() =>
      this.database.query<{ count: number; rest: number }>(sql`
        with ended as (
          delete from "AppAccountLimits" where "Key" in (
            select "Key" from "AppAccountLimits" where "ExpirationTime" < now() and "Key" <> ${key} limit 10 for update skip locked))
        insert into "AppAccountLimits" as t ("Key", "Count", "ExpirationTime")
        values (${key}, 1, now() + make_interval(secs => ${limit.seconds}::int))
        on conflict ("Key") do update set
          "Count" = case when t."ExpirationTime" < now() then 1 else least(t."Count" + 1, ${limit.most}::int + 1) end,
          "ExpirationTime" = case when t."ExpirationTime" < now() then excluded."ExpirationTime" else t."ExpirationTime" end
        returning "Count" as count, ceil(extract(epoch from "ExpirationTime" - now()))::int as rest`),
    )
    const { count, rest } = counted as { count: number; rest: number }
    if (count > limit.most) throw new TooManyRequestsError(Math.max(1, rest))
  }

  /** Takes one attempt back, which was none. */
  async giveBack(limit: AttemptLimit, subject: string): Promise<void> {
    await UnitOfWork.apart(() =>
      this.database.execute(sql`
        update "AppAccountLimits" set "Count" = "Count" - 1 where "Key" = ${keyOf(limit, subject)} and "Count" > 0`),
    )
  }

  /** Starts a new count, after a success. */
  async forget(limit: AttemptLimit, subject: string): Promise<void> {
    await UnitOfWork.apart(() =>
      this.database.execute(sql`delete from "AppAccountLimits" where "Key" = ${keyOf(limit, subject)}`),
    )
  }
}

function keyOf({ name }: AttemptLimit, subject: string): string {
  return createHash('sha256').update(`${name}\n${subject}`).digest('base64url')
}
