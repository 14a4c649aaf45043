import { Clock, Provides } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { BrowserSessions } from '@keel/identity/contracts'
import { AuthSession } from '../domain/session.js'

/** Browsers in `AuthSessions`. The payload names the sessions that began in one: they are its grants. */
@Provides(BrowserSessions)
export class StoredBrowserSessions implements BrowserSessions {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(AuthSession)
  }

  async end(userId: string, sessionId: string): Promise<void> {
    await this.database.execute(
      sql`delete from "AuthSessions" where "Subject" = ${userId} and position(${sessionId} in "Payload") > 0`,
    )
  }

  async endAll(userId: string, except?: string): Promise<void> {
    await this.database.execute(sql`
      delete from "AuthSessions"
      where "Subject" = ${userId} and (${except ?? null}::text is null or position(${except ?? ''} in "Payload") = 0)`)
  }

  async countOthers(userId: string, uid: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "AuthSessions"
      where "Subject" = ${userId} and "Uid" <> ${uid} and "ExpirationTime" > ${this.clock.now}`)
    return row?.count ?? 0
  }
}
