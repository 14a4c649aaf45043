import { Provides } from '@keel/framework'
import { type Database, Databases, literally, type Sql, sql, undeleted } from '@keel/framework/data'
import { ClientHolders, type NamedHolder } from '@keel/framework/security'
import { OpenIddictApplication } from '../domain/application.js'
import { ApplicationStore } from './stores.js'

/** Clients as permission management shows them: those that are registered, by client id. */
@Provides(ClientHolders)
export class StoredClientHolders extends ClientHolders {
  private readonly database: Database

  constructor(
    private readonly applications: ApplicationStore,
    databases: Databases,
  ) {
    super()
    this.database = databases.of(OpenIddictApplication)
  }

  search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]> {
    const pattern = literally(text)
    return this.where(
      sql`("ClientId" ~* ${pattern} or "DisplayName" ~* ${pattern})`,
      sql`limit ${limit} offset ${skip}`,
    )
  }

  named(clientIds: readonly string[]): Promise<readonly NamedHolder[]> {
    return this.where(sql`"ClientId" = any(${clientIds}::text[])`, sql``)
  }

  async find(clientId: string): Promise<NamedHolder | undefined> {
    const [found] = await this.applications.where(sql`t."ClientId" = ${clientId}`)
    return found && { providerKey: clientId, displayName: found.displayName || clientId }
  }

  private where(condition: Sql, page: Sql): Promise<NamedHolder[]> {
    return this.database.query<NamedHolder & Record<string, string>>(sql`
      select "ClientId" as "providerKey", coalesce(nullif("DisplayName", ''), "ClientId") as "displayName" from "OpenIddictApplications"
      where ${undeleted(OpenIddictApplication)} and "ClientId" is not null and ${condition} order by 2, 1 ${page}`)
  }
}
