import { Clock, Injectable } from '@keel/framework'
import { type Database, Databases, sql, UnitOfWork } from '@keel/framework/data'
import { UserPasswordHistory } from '../domain/user-parts.js'

/** The hashes of passwords that users had. */
@Injectable()
export class PasswordHistory {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(UserPasswordHistory)
  }

  /**
   * The last hashes, current first. Read outside of the unit of work, which must not wait for the comparison.
   */
  async of(userId: string, count: number): Promise<string[]> {
    const rows = await UnitOfWork.apart(() =>
      this.database.query<{ hash: string }>(sql`
        select hash from (
          select "PasswordHash" as hash, 'infinity'::timestamptz as "At" from "AbpUsers" where "Id" = ${userId} and "PasswordHash" is not null
          union all
          select "Password", "CreatedAt" from "AbpUserPasswordHistories" where "UserId" = ${userId}
        ) known
        order by "At" desc limit ${count}`),
    )
    return rows.map(({ hash }) => hash)
  }

  /** Adds one and forgets all but the last `kept`. */
  async add(userId: string, hash: string, kept: number): Promise<void> {
    await this.database.execute(sql`
      insert into "AbpUserPasswordHistories" ("UserId", "Password", "CreatedAt") values (${userId}, ${hash}, ${this.clock.now}) on conflict do nothing`)
    await this.database.execute(sql`
      delete from "AbpUserPasswordHistories" h where h."UserId" = ${userId} and h."Password" not in (
        select "Password" from "AbpUserPasswordHistories" where "UserId" = ${userId} order by "CreatedAt" desc limit ${kept})`)
  }
}
