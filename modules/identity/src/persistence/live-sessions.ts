import { Provides } from '@keel/framework'
import { type Database, Databases, entityMeta, type Sql, sql, toStatement } from '@keel/framework/data'
import { SessionSource } from '@keel/framework/security'
import { IdentitySession } from '../domain/session.js'

/** Which sessions go on: those that have a row. */
@Provides(SessionSource)
export class LiveSessions implements SessionSource {
  readonly database: Database
  readonly tables = [entityMeta(IdentitySession).table]

  constructor(databases: Databases) {
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
}
