import { AutoApiController } from '@keel/framework'
import { type FilteredPagedInput, listResultOf } from '@keel/framework/contracts'
import { PageReader, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { IdentityPermissions, IdentityUserLookupAppService, UserData } from '../contracts/index.js'
import { isUser, userDataView } from '../persistence/user-views.js'

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
    return this.one(isUser.withId(id))
  }

  async findByUserName(userName: string) {
    return this.one(isUser.named(userName))
  }

  private async one(condition: Sql): Promise<UserData | null> {
    return (await this.pages.find(UserData, userDataView, condition)) ?? null
  }
}
