import { Injectable } from '@keel/framework'
import { Databases, Locks, RowRules, StoreOf, sql } from '@keel/framework/data'
import { SavedView } from '../domain/saved-view.js'

/** The saved views of users. */
@Injectable()
export class SavedViewStore extends StoreOf(SavedView) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
  ) {
    super(databases, rules)
  }

  /** Lets one caller at a time change the views of a user, until the unit of work ends. */
  async lock(userId: string): Promise<void> {
    await this.locks.hold(`App.SavedViews ${userId}`, { database: this.database })
  }

  /** The views of a user. */
  ofUser(userId: string): Promise<SavedView[]> {
    return this.where(sql`t."UserId" = ${userId}`)
  }

  /** The name of a role as it is written, found in any case; undefined without such a role. */
  async roleNamed(name: string): Promise<string | undefined> {
    const [role] = await this.database.query<{ name: string }>(
      sql`select "Name" as name from "AbpRoles" where "NormalizedName" = ${name.toUpperCase()}`,
    )
    return role?.name
  }
}
