import { type Database, type Sql, sql, undeleted } from '@keel/framework/data'
import type { ApiKeyListInput } from '../contracts/index.js'
import { ApiKey } from '../domain/api-key.js'

/** The conditions of a list of keys: their owner, and whether they are active. */
export function apiKeyConditions({ userId, isActive }: ApiKeyListInput): Sql[] {
  return [
    ...(userId ? [sql`t."UserId" = ${userId}::uuid`] : []),
    ...(typeof isActive === 'boolean' ? [sql`t."IsActive" = ${isActive}`] : []),
  ]
}

/**
 * The number of keys of a user. Locks the user until the transaction ends, so that concurrent callers count
 * in turn.
 */
export async function lockAndCountKeys(database: Database, userId: string): Promise<number> {
  await database.query(sql`select from "AbpUsers" where "Id" = ${userId} for no key update`)
  const [found] = await database.query<{ count: number }>(
    sql`select count(*)::int as count from "AppApiKeys" where "UserId" = ${userId} and ${undeleted(ApiKey)}`,
  )
  return found?.count ?? 0
}

/** Locks a key until the transaction ends. */
export async function lockApiKey(database: Database, id: string): Promise<void> {
  await database.query(sql`select from "AppApiKeys" where "Id" = ${id} for no key update`)
}
