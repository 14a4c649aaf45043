import { Clock, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { type Database, Databases, Locks, sql, UnitOfWork, undeleted } from '@keel/framework/data'
import { Admin, IdentityErrors } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'

/** Those who hold the role admin. */
@Injectable()
export class Administrators {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(User)
  }

  /**
   * Runs a change of users that could take the last administrator away, and undoes it with
   * `IdentityErrors.LastAdministrator` when it does. One such change at a time: two that are harmless alone
   * could be too many together.
   */
  async keepOne<T>(work: () => Promise<T>): Promise<T> {
    return UnitOfWork.run(async () => {
      await this.locks.hold('AbpIdentity.Administrators', { database: this.database })
      const isThereOne = await this.exist()
      const result = await work()
      if (isThereOne && !(await this.exist())) throw new BusinessError(IdentityErrors.LastAdministrator)
      return result
    })
  }

  /** True when one of them can sign in. */
  private async exist(): Promise<boolean> {
    const [found] = await this.database.query<{ exist: boolean }>(sql`
      select exists (
        select from "AbpUsers" u
        join "AbpUserRoles" ur on ur."UserId" = u."Id"
        join "AbpRoles" r on r."Id" = ur."RoleId" and r."NormalizedName" = ${normalizedName(Admin.name)}
        where ${undeleted(User, 'u')} and u."IsActive" and not (u."LockoutEnabled" and coalesce(u."LockoutEnd" > ${this.clock.now}, false))) as exist`)
    return found?.exist ?? false
  }
}
