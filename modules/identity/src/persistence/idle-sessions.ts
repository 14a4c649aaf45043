import { Clock, Injectable, Logger, Settings } from '@keel/framework'
import { type Database, Databases, type Sql, sql } from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import { IdleSettings, SecurityActions, SecurityEvents } from '../contracts/index.js'
import { IdentitySession } from '../domain/session.js'

/** Sessions that are ended at once. */
const batch = 500

/** Ends sessions that were not used for longer than the settings `Abp.Account.Idle.*` allow. */
@Injectable()
export class IdleSessions {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly settings: Settings,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(IdentitySession)
  }

  /** Milliseconds that a session may be idle, the countdown included; undefined while none ends for that. */
  async limitMs(): Promise<number | undefined> {
    const value = ({ name }: { readonly name: string }) => this.settings.valueOf(name)
    if (!(await this.settings.isOn(IdleSettings.Enabled))) return undefined
    const minutes = Math.max(1, Number(await value(IdleSettings.IdleTimeoutMinutes)))
    return (minutes * 60 + Math.max(0, Number(await value(IdleSettings.CountdownSeconds)))) * 1000
  }

  /** True when a session has not been idle for too long, by all that is written. An unknown one has not. */
  async goesOn(sessionId: string, limitMs: number): Promise<boolean> {
    const found = await this.database.query(
      sql`select from "AbpSessions" s where s."SessionId" = ${sessionId} and ${this.isIdle(limitMs)}`,
    )
    return found.length === 0
  }

  /** True when one of these sessions goes on. */
  async anyInUse(sessionIds: readonly string[], limitMs: number): Promise<boolean> {
    const found = await this.database.query(
      sql`select from "AbpSessions" s where s."SessionId" = any(${sessionIds}::text[]) and not (${this.isIdle(limitMs)}) limit 1`,
    )
    return found.length > 0
  }

  @RecurringJob('* * * * *')
  async endIdle(): Promise<void> {
    await this.run()
  }

  /** One round; answers how many sessions ended. */
  async run(): Promise<number> {
    const limitMs = await this.limitMs()
    if (limitMs === undefined) return 0
    let gone = 0
    for (let last = batch; last === batch; gone += last) last = await this.endSome(limitMs)
    if (gone) this.logger.info({ sessions: gone }, 'idle sessions ended')
    return gone
  }

  private async endSome(limitMs: number): Promise<number> {
    const ended = await this.database.query<{ userId: string; clientId: string | null }>(sql`
      delete from "AbpSessions" where "Id" in (
        select s."Id" from "AbpSessions" s where ${this.isIdle(limitMs)} limit ${batch} for update skip locked)
      returning "UserId" as "userId", "ClientId" as "clientId"`)
    for (const { userId, clientId } of ended)
      await this.events.write({
        action: SecurityActions.EndIdleSession,
        userId,
        ...(clientId !== null && { origin: { clientId } }),
      })
    return ended.length
  }

  /** A condition on `AbpSessions s`. */
  private isIdle(limitMs: number): Sql {
    const before = new Date(this.clock.nowMs - limitMs)
    return sql`greatest(s."LastAccessed", s."SignedIn") < ${before}::timestamptz at time zone 'utc'
      and (nullif(s."ExtraProperties", '')::jsonb -> 'RememberMe') is distinct from 'true'::jsonb`
  }
}
