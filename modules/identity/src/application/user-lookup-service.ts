import { AutoApiController } from '@keel/framework'
import { type FilteredPagedInput, listResultOf } from '@keel/framework/contracts'
import { and, barred, type Database, Databases, type Sql, sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { IdentityPermissions, IdentityUserLookupAppService, UserData } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'
import { readItems, readOne } from '../persistence/json-reads.js'
import { isAlive, matching, userDataColumns, userSorting, users } from '../persistence/user-views.js'

@AutoApiController(IdentityUserLookupAppService)
@RequiresPermission(IdentityPermissions.UserLookup)
export class UserLookupService implements IdentityUserLookupAppService {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(User)
  }

  async search({ filter, sorting, skipCount, maxResultCount }: FilteredPagedInput) {
    const order = userSorting.orderBy(sorting?.trim() || 'userName')
    return readItems(this.database, listResultOf(UserData), {
      columns: userDataColumns,
      from: users,
      where: barred([isAlive], [matching(filter)]),
      order: sql`${order} limit ${maxResultCount} offset ${skipCount}`,
    })
  }

  async getCount(filter: string | null | undefined): Promise<number> {
    const [found] = await this.database.queryList<{ count: number }>(sql`
      select count(*)::int as count from ${users} where ${barred([isAlive], [matching(filter)])}`)
    return found?.count ?? 0
  }

  async findById(id: string) {
    return this.one(sql`u."Id" = ${id}`)
  }

  async findByUserName(userName: string) {
    return this.one(sql`u."NormalizedUserName" = ${normalizedName(userName.trim())}`)
  }

  private async one(condition: Sql): Promise<UserData | null> {
    const where = and([isAlive, condition])
    return (await readOne(this.database, UserData, { columns: userDataColumns, from: users, where })) ?? null
  }
}
