import { Provides } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { UserTokens } from '../contracts/index.js'
import { UserToken } from '../domain/user-parts.js'

/** Keeps tokens of users in `AbpUserTokens`. */
@Provides(UserTokens)
export class StoredUserTokens implements UserTokens {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(UserToken)
  }

  async find(userId: string, loginProvider: string, name: string): Promise<string | undefined> {
    const [found] = await this.database.query<{ value: string | null }>(sql`
      select "Value" as value from "AbpUserTokens" where ${this.key(userId, loginProvider, name)}`)
    return found?.value ?? undefined
  }

  async save(userId: string, loginProvider: string, name: string, value: string): Promise<void> {
    await this.database.execute(sql`
      insert into "AbpUserTokens" ("UserId", "LoginProvider", "Name", "Value") values (${userId}, ${loginProvider}, ${name}, ${value})
      on conflict ("UserId", "LoginProvider", "Name") do update set "Value" = excluded."Value"`)
  }

  async remove(userId: string, loginProvider: string, name: string): Promise<boolean> {
    const removed = await this.database.execute(sql`
      delete from "AbpUserTokens" where ${this.key(userId, loginProvider, name)}`)
    return removed > 0
  }

  private key(userId: string, loginProvider: string, name: string): ReturnType<typeof sql> {
    return sql`"UserId" = ${userId} and "LoginProvider" = ${loginProvider} and "Name" = ${name}`
  }
}
