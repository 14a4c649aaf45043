import { Provides } from '@keel/framework'
import { type Database, Databases, sql, undeleted } from '@keel/framework/data'
import { UserAudience } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'

/** Users of `AbpUsers`, in pages. */
@Provides(UserAudience)
export class StoredUserAudience implements UserAudience {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(User)
  }

  async isRole(roleName: string): Promise<boolean> {
    const found = await this.database.query(
      sql`select from "AbpRoles" where "NormalizedName" = ${normalizedName(roleName)}`,
    )
    return found.length > 0
  }

  async page(after: string | undefined, most: number, roleName?: string): Promise<string[]> {
    const holds =
      roleName === undefined
        ? sql`true`
        : sql`exists (
            select from "AbpUserRoles" h join "AbpRoles" r on r."Id" = h."RoleId"
            where h."UserId" = u."Id" and r."NormalizedName" = ${normalizedName(roleName)})`
    const rows = await this.database.query<{ id: string }>(sql`
      select u."Id" as id from "AbpUsers" u
      where ${undeleted(User, 'u')} and u."IsActive" and (${after ?? null}::uuid is null or u."Id" > ${after ?? null}::uuid) and ${holds}
      order by u."Id" limit ${most}`)
    return rows.map(({ id }) => id)
  }
}
