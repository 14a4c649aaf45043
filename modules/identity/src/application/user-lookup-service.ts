import { AutoApiController } from '@keel/framework'
import { type FilteredPagedInput, listResultOf } from '@keel/framework/contracts'
import { PageReader, type Sql, sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { IdentityPermissions, IdentityUserLookupAppService, UserData } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { userDataView } from '../persistence/user-views.js'

@AutoApiController(IdentityUserLookupAppService)
@RequiresPermission(IdentityPermissions.UserLookup)
export class UserLookupService implements IdentityUserLookupAppService {
  constructor(private readonly pages: PageReader) {}

  async search(input: FilteredPagedInput) {
    return this.pages.items(listResultOf(UserData), userDataView, { ...input, defaultSorting: 'userName' })
  }

  getCount(filter: string | null | undefined): Promise<number> {
    return this.pages.count(userDataView, { filter })
  }

  async findById(id: string) {
    return this.one(sql`t."Id" = ${id}`)
  }

  async findByUserName(userName: string) {
    return this.one(sql`t."NormalizedUserName" = ${normalizedName(userName.trim())}`)
  }

  private async one(condition: Sql): Promise<UserData | null> {
    return (await this.pages.find(UserData, userDataView, condition)) ?? null
  }
}
