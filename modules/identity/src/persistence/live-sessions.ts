import { Clock, Provides } from '@keel/framework'
import { type Database, Databases, entityMeta, type Sql, sql, toStatement } from '@keel/framework/data'
import { SessionSource } from '@keel/framework/security'
import { IdentitySession } from '../domain/session.js'
import { IdleSessions } from './idle-sessions.js'
import { SessionUses } from './session-uses.js'

/** No setting lets sessions end sooner. */
const shortestIdleMs = 60_000

/** Which sessions go on: those that have a row. */
@Provides(SessionSource)
export class LiveSessions extends SessionSource {
  readonly database: Database
  readonly tables = [entityMeta(IdentitySession).table]

  constructor(
    databases: Databases,
    private readonly uses: SessionUses,
    private readonly idle: IdleSessions,
    private readonly clock: Clock,
  ) {
    super()
    this.database = databases.of(IdentitySession)
  }

  async isLive(sessionId: string, userId: string): Promise<boolean> {
    const statement = sql`select from "AbpSessions" where "SessionId" = ${sessionId} and "UserId" = ${userId}`
    const found = await this.database.query({ name: 'identity.live-session', ...toStatement(statement) })
    return found.length > 0
  }

  liveCondition(sessionId: Sql, userId: Sql): Sql {
    return sql`exists (select from "AbpSessions" where "SessionId" = ${sessionId} and "UserId"::text = ${userId})`
  }

  override use(sessionId: string): boolean | Promise<boolean> {
    const last = this.uses.lastOf(sessionId)
    if (last === undefined || this.clock.nowMs - last >= shortestIdleMs) return this.useAgain(sessionId, last)
    this.uses.note(sessionId)
    return true
  }

  /** After a time, or for the first time in this process, which does not know of uses in others. */
  private async useAgain(sessionId: string, last: number | undefined): Promise<boolean> {
    const limitMs = await this.idle.limitMs()
    const isKnown = limitMs === undefined || (last !== undefined && this.clock.nowMs - last <= limitMs)
    if (!isKnown && !(await this.idle.goesOn(sessionId, limitMs))) return false
    this.uses.note(sessionId)
    return true
  }
}
