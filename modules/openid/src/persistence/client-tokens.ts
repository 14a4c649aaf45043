import { Injectable } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { OpenIddictToken } from '../domain/authorization.js'

/** The tokens of clients. */
@Injectable()
export class ClientTokens {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(OpenIddictToken)
  }

  /**
   * Takes back every code and refresh token of a client, and what users allowed it. Access tokens have no
   * rows: they end within an hour.
   */
  async revoke(applicationId: string): Promise<void> {
    await this.database.execute(sql`
      update "OpenIddictTokens" set "Status" = 'revoked' where "ApplicationId" = ${applicationId} and "Status" <> 'revoked'`)
    await this.database.execute(sql`
      update "OpenIddictAuthorizations" set "Status" = 'revoked' where "ApplicationId" = ${applicationId} and "Status" <> 'revoked'`)
  }
}
