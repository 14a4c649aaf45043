import { Injectable, Logger } from '@keel/framework'
import { type Database, Databases, raw, type Sql, sql } from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import { Sessions } from '@keel/identity/contracts'
import { OpenIddictToken } from '../../domain/authorization.js'

const batch = 5000
/** A grant without any token is kept this long: its access tokens, which have no rows, have ended by then. */
const emptyGrantDays = 14

/** Deletes what has ended, every five minutes in one of the copies of the auth server. */
@Injectable()
export class CleanUp {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly sessions: Sessions,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(OpenIddictToken)
  }

  @RecurringJob('*/5 * * * *')
  async deleteEnded(): Promise<void> {
    await this.run()
  }

  /** One round; answers how many rows went. */
  async run(): Promise<number> {
    let gone = 0
    gone += await this.sweep('OpenIddictTokens', sql`"ExpirationDate" < now() at time zone 'utc'`)
    gone += await this.sweep('AuthSessions', sql`"ExpirationTime" < now()`)
    gone += await this.sweep('AuthInteractions', sql`"ExpirationTime" < now()`)
    gone += await this.sweep('AuthRevokedTokens', sql`"ExpirationTime" < now()`)
    gone += await this.sweepGrants()
    if (gone) this.logger.info({ rows: gone }, 'ended tokens and sessions deleted')
    return gone
  }

  /** Grants that nothing is left of, and their sessions. */
  private async sweepGrants(): Promise<number> {
    let gone = 0
    for (let last = batch; last === batch; gone += last) {
      const ended = await this.database.query<{ id: string }>(sql`
        delete from "OpenIddictAuthorizations" where "Id" in (
          select "Id" from "OpenIddictAuthorizations" a
          where a."CreationDate" < (now() at time zone 'utc') - make_interval(days => ${emptyGrantDays}::int)
            and a."Type" is distinct from 'permanent'
            and not exists (select from "OpenIddictTokens" t where t."AuthorizationId" = a."Id")
          limit ${batch} for update skip locked)
        returning "Id" as id`)
      await this.sessions.end(...ended.map(({ id }) => id))
      last = ended.length
    }
    return gone
  }

  private async sweep(table: string, ended: Sql): Promise<number> {
    const name = raw(`"${table}"`)
    let gone = 0
    for (let last = batch; last === batch; gone += last) {
      last = await this.database.execute(sql`
        delete from ${name} where ctid in (select ctid from ${name} where ${ended} limit ${batch} for update skip locked)`)
    }
    return gone
  }
}
