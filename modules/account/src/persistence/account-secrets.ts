import { Clock, Injectable } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { AccountSecret } from '../domain/account-rows.js'

/** Remembers one thing of a user for a purpose; what is remembered next takes its place. */
@Injectable()
export class AccountSecrets {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(AccountSecret)
  }

  async remember(userId: string, purpose: string, value: string, seconds: number): Promise<void> {
    await this.database.execute(sql`
      with ended as (
        delete from "AppAccountSecrets" where ("UserId", "Purpose") in (
          select "UserId", "Purpose" from "AppAccountSecrets"
          where "ExpirationTime" < ${this.clock.now} and not ("UserId" = ${userId} and "Purpose" = ${purpose}) limit 10 for update skip locked))
      insert into "AppAccountSecrets" ("UserId", "Purpose", "Value", "ExpirationTime")
      values (${userId}, ${purpose}, ${value}, ${this.in(seconds)})
      on conflict ("UserId", "Purpose") do update set "Value" = excluded."Value", "ExpirationTime" = excluded."ExpirationTime"`)
  }

  /** True when this value is remembered; it is forgotten with the question, so only one caller gets true. */
  async take(userId: string, purpose: string, value: string): Promise<boolean> {
    const taken = await this.database.execute(sql`
      delete from "AppAccountSecrets"
      where "UserId" = ${userId} and "Purpose" = ${purpose} and "Value" = ${value} and "ExpirationTime" > ${this.clock.now}`)
    return taken === 1
  }

  /** The remembered value; undefined for none. */
  async find(userId: string, purpose: string): Promise<string | undefined> {
    const [found] = await this.database.query<{ value: string }>(sql`
      select "Value" as value from "AppAccountSecrets"
      where "UserId" = ${userId} and "Purpose" = ${purpose} and "ExpirationTime" > ${this.clock.now}`)
    return found?.value
  }

  /** True when this value is remembered. */
  async has(userId: string, purpose: string, value: string): Promise<boolean> {
    const found = await this.database.query(sql`
      select 1 from "AppAccountSecrets"
      where "UserId" = ${userId} and "Purpose" = ${purpose} and "Value" = ${value} and "ExpirationTime" > ${this.clock.now}`)
    return found.length > 0
  }

  async forget(userId: string, purpose: string): Promise<void> {
    await this.database.execute(
      sql`delete from "AppAccountSecrets" where "UserId" = ${userId} and "Purpose" = ${purpose}`,
    )
  }

  /** Remembers a number that only grows, and says whether this one was higher than any before. */
  async raise(userId: string, purpose: string, value: number, seconds: number): Promise<boolean> {
    const raised = await this.database.execute(sql`
      insert into "AppAccountSecrets" as t ("UserId", "Purpose", "Value", "ExpirationTime")
      values (${userId}, ${purpose}, ${String(value)}, ${this.in(seconds)})
      on conflict ("UserId", "Purpose") do update set "Value" = excluded."Value", "ExpirationTime" = excluded."ExpirationTime"
      where t."Value"::bigint < excluded."Value"::bigint`)
    return raised === 1
  }

  private in(seconds: number): Date {
    return new Date(this.clock.nowMs + seconds * 1000)
  }
}
