import { Provides } from '@keel/framework'
import { type Database, Databases, type Sql, sql, undeleted } from '@keel/framework/data'
import { ApiKeyHolders, type NamedHolder } from '@keel/framework/security'
import { ApiKey } from '../domain/api-key.js'

/** Keys as permission management shows them, whoever's they are. */
@Provides(ApiKeyHolders)
export class StoredApiKeyHolders extends ApiKeyHolders {
  private readonly database: Database

  constructor(databases: Databases) {
    super()
    this.database = databases.of(ApiKey)
  }

  async find(apiKeyId: string): Promise<NamedHolder | undefined> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(apiKeyId)) return undefined
    const [found] = await this.where(sql`"Id" = ${apiKeyId}::uuid`)
    return found
  }

  named(apiKeyIds: readonly string[]): Promise<readonly NamedHolder[]> {
    return this.where(sql`"Id"::text = any(${apiKeyIds}::text[])`)
  }

  ofOwners(userIds: readonly string[]): Promise<readonly NamedHolder[]> {
    return this.where(sql`"UserId" = any(${userIds}::uuid[])`)
  }

  private where(condition: Sql): Promise<NamedHolder[]> {
    return this.database.query<NamedHolder & Record<string, string>>(sql`
      select "Id" as "providerKey", "Name" as "displayName", "UserId" as "ownerId"
      from "AppApiKeys" where ${condition} and ${undeleted(ApiKey)}
      order by "CreationTime"`)
  }
}
