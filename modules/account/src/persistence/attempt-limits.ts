import { createHash } from 'node:crypto'
import { Clock, Injectable } from '@keel/framework'
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

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(AccountLimit)
  }

  /**
   * Counts one more attempt on something before it is made, so that attempts sent at once all count, and
   * beside the unit of work at hand, so that a refusal does not take it back. Throws `TooManyRequestsError`
   * for one too many.
   */
  async spend(limit: AttemptLimit, subject: string): Promise<void> {
    const { count, rest } = await this.count(limit, subject)
    if (count > limit.most) throw new TooManyRequestsError(rest)
  }

  /**
   * Counts one more attempt without refusing it: how many there were, one more than allowed at most, and the
   * seconds to the window's end.
   */
  async count(limit: AttemptLimit, subject: string): Promise<{ count: number; rest: number }> {
    const key = keyOf(limit, subject)
    const { now } = this.clock
    const end = new Date(now.getTime() + limit.seconds * 1000)
    const [counted] = await UnitOfWork.apart(() =>
      this.database.query<{ count: number; rest: number }>(sql`
        with ended as (
          delete from "AppAccountLimits" where "Key" in (
            select "Key" from "AppAccountLimits" where "ExpirationTime" < ${now} and "Key" <> ${key} limit 10 for update skip locked))
        insert into "AppAccountLimits" as t ("Key", "Count", "ExpirationTime")
        values (${key}, 1, ${end})
        on conflict ("Key") do update set
          "Count" = case when t."ExpirationTime" < ${now} then 1 else least(t."Count" + 1, ${limit.most}::int + 1) end,
          "ExpirationTime" = case when t."ExpirationTime" < ${now} then excluded."ExpirationTime" else t."ExpirationTime" end
        returning "Count" as count, greatest(1, ceil(extract(epoch from "ExpirationTime" - ${now}::timestamptz)))::int as rest`),
    )
    return counted as { count: number; rest: number }
  }

  /** Throws `TooManyRequestsError` when one of these has reached its limit. Counts nothing. One statement. */
  async demand(limits: readonly (readonly [limit: AttemptLimit, subject: string])[]): Promise<void> {
    const keys = limits.map(([limit, subject]) => keyOf(limit, subject))
    const { now } = this.clock
    const [spent] = await UnitOfWork.apart(() =>
      this.database.query<{ rest: number }>(sql`
        select greatest(1, ceil(extract(epoch from t."ExpirationTime" - ${now}::timestamptz)))::int as rest
        from unnest(${keys}::text[], ${limits.map(([{ most }]) => most)}::int[]) as asked(key, most)
        join "AppAccountLimits" t on t."Key" = asked.key
        where t."ExpirationTime" > ${now} and t."Count" >= asked.most
        order by 1 desc limit 1`),
    )
    if (spent) throw new TooManyRequestsError(spent.rest)
  }

  /** The seconds for which something that was counted counts on; undefined when it does not. */
  async restOf(limit: Pick<AttemptLimit, 'name'>, subject: string): Promise<number | undefined> {
    const { now } = this.clock
    const [found] = await UnitOfWork.apart(() =>
      this.database.query<{ rest: number }>(sql`
        select greatest(1, ceil(extract(epoch from "ExpirationTime" - ${now}::timestamptz)))::int as rest
        from "AppAccountLimits" where "Key" = ${keyOf(limit, subject)} and "ExpirationTime" > ${now}`),
    )
    return found?.rest
  }

  /** Takes one attempt back, which was none. */
  async giveBack(limit: AttemptLimit, subject: string): Promise<void> {
    await UnitOfWork.apart(() =>
      this.database.execute(sql`
        update "AppAccountLimits" set "Count" = "Count" - 1 where "Key" = ${keyOf(limit, subject)} and "Count" > 0`),
    )
  }

  /** Starts a new count, after a success or when an administrator says so. */
  async forget(limit: Pick<AttemptLimit, 'name'>, subject: string): Promise<void> {
    await UnitOfWork.apart(() =>
      this.database.execute(sql`delete from "AppAccountLimits" where "Key" = ${keyOf(limit, subject)}`),
    )
  }
}

function keyOf({ name }: Pick<AttemptLimit, 'name'>, subject: string): string {
  return createHash('sha256').update(`${name}\n${subject}`).digest('base64url')
}
