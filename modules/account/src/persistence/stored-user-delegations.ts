import { Clock, Provides } from '@keel/framework'
import { type Database, Databases, raw, type Sql, sequentialGuid, sql } from '@keel/framework/data'
import { type ActiveDelegation, UserDelegations } from '../contracts/index.js'
import { UserDelegation } from '../domain/user-delegation.js'

/** A delegation as one of its sides sees it. */
export interface DelegationRow {
  readonly id: string
  /** The other side. */
  readonly userId: string
  readonly startTime: Date
  readonly endTime: Date
}

/** As many as one person is shown, and may have at a time. */
export const mostDelegations = 100

/** Delegations in `AbpUserDelegations`. */
@Provides(UserDelegations)
export class StoredUserDelegations implements UserDelegations {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(UserDelegation)
  }

  async findActive(id: string, targetUserId: string): Promise<ActiveDelegation | undefined> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return undefined
    const [found] = await this.database.query<ActiveDelegation & Record<string, unknown>>(sql`
      select d."Id" as id, d."SourceUserId" as "sourceUserId", d."EndTime" at time zone 'utc' as "endTime"
      from "AbpUserDelegations" d
      where d."Id" = ${id} and d."TargetUserId" = ${targetUserId} and d."TenantId" is null and ${this.isActive()}`)
    return found
  }

  /** True while a user lets another one act for them. */
  async isActiveBetween(sourceUserId: string, targetUserId: string): Promise<boolean> {
    const found = await this.database.query(sql`
      select from "AbpUserDelegations" d
      where d."SourceUserId" = ${sourceUserId} and d."TargetUserId" = ${targetUserId} and d."TenantId" is null and ${this.isActive()} limit 1`)
    return found.length > 0
  }

  /**
   * The delegations of a user, the latest first: `from` them with who acts, or `to` them with those for whom
   * they act.
   */
  async of(userId: string, side: 'from' | 'to', onlyActive = false): Promise<DelegationRow[]> {
    const [own, other] = side === 'from' ? ['SourceUserId', 'TargetUserId'] : ['TargetUserId', 'SourceUserId']
    return this.database.query<DelegationRow & Record<string, unknown>>(sql`
      select d."Id" as id, d.${raw(`"${other}"`)} as "userId", d."StartTime" at time zone 'utc' as "startTime",
        d."EndTime" at time zone 'utc' as "endTime"
      from "AbpUserDelegations" d
      where d.${raw(`"${own}"`)} = ${userId} and d."TenantId" is null and ${onlyActive ? this.isActive() : sql`true`}
      order by d."StartTime" desc, d."Id" limit ${mostDelegations}::int`)
  }

  async countOf(sourceUserId: string): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "AbpUserDelegations"
      where "SourceUserId" = ${sourceUserId} and "EndTime" > ${this.clock.now}::timestamptz at time zone 'utc'`)
    return found?.count ?? 0
  }

  async add(delegation: {
    sourceUserId: string
    targetUserId: string
    startTime: Date
    endTime: Date
  }): Promise<string> {
    const id = sequentialGuid()
    await this.database.execute(sql`
      insert into "AbpUserDelegations" ("Id", "SourceUserId", "TargetUserId", "StartTime", "EndTime")
      values (${id}, ${delegation.sourceUserId}, ${delegation.targetUserId},
        ${delegation.startTime}::timestamptz at time zone 'utc', ${delegation.endTime}::timestamptz at time zone 'utc')`)
    return id
  }

  /** Deletes a delegation of a user's own; answers to whom it was, or undefined when there is none. */
  async remove(id: string, sourceUserId: string): Promise<string | undefined> {
    const [gone] = await this.database.query<{ targetUserId: string }>(sql`
      delete from "AbpUserDelegations" where "Id" = ${id} and "SourceUserId" = ${sourceUserId} returning "TargetUserId" as "targetUserId"`)
    return gone?.targetUserId
  }

  private isActive(): Sql {
    return sql`${this.clock.now}::timestamptz at time zone 'utc' between d."StartTime" and d."EndTime"`
  }
}
