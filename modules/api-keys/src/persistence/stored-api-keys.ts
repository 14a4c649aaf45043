import { Provides } from '@keel/framework'
import { type Database, Databases, entityMeta, type Sql, sql, undeleted } from '@keel/framework/data'
import { ApiKeySource, type StoredApiKey } from '@keel/framework/security'
import { ApiKey } from '../domain/api-key.js'
import { ApiKeyUsages } from './api-key-usages.js'

/** Keys as the framework's authentication asks for them, whoever's they are. */
@Provides(ApiKeySource)
export class StoredApiKeys extends ApiKeySource {
  readonly database: Database
  readonly tables = [entityMeta(ApiKey).table]

  constructor(
    databases: Databases,
    private readonly usages: ApiKeyUsages,
  ) {
    super()
    this.database = databases.of(ApiKey)
  }

  find(prefix: string): Promise<StoredApiKey | undefined> {
    return this.one(sql`"Prefix" = ${prefix}`)
  }

  findById(id: string): Promise<StoredApiKey | undefined> {
    return this.one(sql`"Id" = ${id}`)
  }

  noteUse(keyId: string, permission?: string): void {
    this.usages.note(keyId, permission)
  }

  private async one(condition: Sql): Promise<StoredApiKey | undefined> {
    const [found] = await this.database.query<StoredApiKey>(sql`
      select "Id" as id, "UserId" as "userId", "TenantId" as "tenantId", "IsActive" as "isActive",
        "ExpirationTime" as "expirationTime", "Hash" as hash, "PreviousHash" as "previousHash", "OverlapEndTime" as "overlapEndTime"
      from "AppApiKeys"
      where ${condition} and ${undeleted(ApiKey)}`)
    return found
  }
}
