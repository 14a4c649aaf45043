import { createHash } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import { type Database, Databases } from '@keel/framework/data'
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
    const { rows } = await this.database.withConnection((client) =>
      client.query<{ count: number; rest: number }>(
        `with ended as (
           delete from "AppAccountLimits" where "Key" in (
             select "Key" from "AppAccountLimits" where "ExpirationTime" < now() and "Key" <> $1 limit 10 for update skip locked))
         insert into "AppAccountLimits" as t ("Key", "Count", "ExpirationTime") values ($1, 1, now() + make_interval(secs => $2))
         on conflict ("Key") do update set
           "Count" = case when t."ExpirationTime" < now() then 1 else least(t."Count" + 1, $3) end,
           "ExpirationTime" = case when t."ExpirationTime" < now() then excluded."ExpirationTime" else t."ExpirationTime" end
         returning "Count" as count, ceil(extract(epoch from "ExpirationTime" - now()))::int as rest`,
        [keyOf(limit, subject), limit.seconds, limit.most + 1],
      ),
    )
    const [{ count, rest }] = rows as [{ count: number; rest: number }]
    if (count > limit.most) throw new TooManyRequestsError(Math.max(1, rest))
  }

  /** Starts a new count, after a success. */
  async forget(limit: AttemptLimit, subject: string): Promise<void> {
    await this.database.withConnection((client) =>
      client.query('delete from "AppAccountLimits" where "Key" = $1', [keyOf(limit, subject)]),
    )
  }
}

function keyOf({ name }: AttemptLimit, subject: string): string {
  return createHash('sha256').update(`${name}\n${subject}`).digest('base64url')
}
