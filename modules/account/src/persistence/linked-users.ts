import { Provides } from '@keel/framework'
import { type Database, Databases, sequentialGuid, sql } from '@keel/framework/data'
import { LinkedAccounts } from '../contracts/index.js'
import { LinkUser } from '../domain/link-user.js'

/** An account that is linked with another, over how many links. */
export interface LinkedUser {
  readonly userId: string
  readonly distance: number
}

/** As many as one person is shown. */
export const mostLinks = 100
/** One lock for all links: a link joins all accounts behind either side, so no lock of an account is enough. */
export const linksLock = 'account links'
const deepest = 10

/** Reads and writes links of users that have no tenant. */
@Provides(LinkedAccounts)
export class LinkedUsers implements LinkedAccounts {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(LinkUser)
  }

  /** All accounts that can be reached over links, in either direction; the nearest first. */
  async of(userId: string): Promise<LinkedUser[]> {
    return this.database.query<LinkedUser>(sql`
      with recursive reached as (
        select ${userId}::uuid as id, 0 as distance
        union
        select case when l."SourceUserId" = r.id then l."TargetUserId" else l."SourceUserId" end, r.distance + 1
        from reached r join "AbpLinkUsers" l on r.id in (l."SourceUserId", l."TargetUserId")
        where r.distance < ${deepest}::int and l."SourceTenantId" is null and l."TargetTenantId" is null
      )
      select id as "userId", min(distance)::int as distance from reached where id <> ${userId}
      group by id order by 2, 1 limit ${mostLinks}::int`)
  }

  async areLinked(one: string, other: string): Promise<boolean> {
    return (await this.of(one)).some(({ userId }) => userId === other)
  }

  /** How many other accounts each of two would reach once they are linked; exact up to {@link mostLinks}. */
  async countWith(one: string, other: string): Promise<number> {
    const sides = await Promise.all([this.of(one), this.of(other)])
    return new Set([one, other, ...sides.flat().map(({ userId }) => userId)]).size - 1
  }

  /** Links two accounts, unless they are. */
  async link(sourceUserId: string, targetUserId: string): Promise<void> {
    await this.database.execute(sql`
      insert into "AbpLinkUsers" ("Id", "SourceUserId", "TargetUserId")
      select ${sequentialGuid()}::uuid, ${sourceUserId}::uuid, ${targetUserId}::uuid
      where not exists (select from "AbpLinkUsers" where ${between(sourceUserId, targetUserId)})
      on conflict do nothing`)
  }

  /** Ends the direct link of two accounts. */
  async unlink(one: string, other: string): Promise<void> {
    await this.database.execute(sql`delete from "AbpLinkUsers" where ${between(one, other)}`)
  }
}

function between(one: string, other: string): ReturnType<typeof sql> {
  return sql`(("SourceUserId" = ${one} and "TargetUserId" = ${other}) or ("SourceUserId" = ${other} and "TargetUserId" = ${one}))
    and "SourceTenantId" is null and "TargetTenantId" is null`
}
