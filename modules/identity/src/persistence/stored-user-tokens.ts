import { Provides } from '@keel/framework'
import { type Database, Databases, type Sql, sql } from '@keel/framework/data'
import { type UserTokenKey, UserTokens } from '../contracts/index.js'
import { UserToken } from '../domain/user-parts.js'

/** Keeps tokens of users in `AbpUserTokens`. */
@Provides(UserTokens)
export class StoredUserTokens implements UserTokens {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(UserToken)
  }

  async find(key: UserTokenKey): Promise<string | undefined> {
    const [found] = await this.database.query<{ value: string | null }>(sql`
      select "Value" as value from "AbpUserTokens" where ${is(key)}`)
    return found?.value ?? undefined
  }

  async findUser(
    { loginProvider, name }: Omit<UserTokenKey, 'userId'>,
    value: string,
  ): Promise<string | undefined> {
    const found = await this.database.query<{ userId: string }>(sql`
      select "UserId" as "userId" from "AbpUserTokens"
      where "LoginProvider" = ${loginProvider} and "Name" = ${name} and upper("Value") = upper(${value}) limit 2`)
    return found.length === 1 ? found[0]?.userId : undefined
  }

  async save({ userId, loginProvider, name }: UserTokenKey, value: string): Promise<void> {
    await this.database.execute(sql`
      insert into "AbpUserTokens" ("UserId", "LoginProvider", "Name", "Value") values (${userId}, ${loginProvider}, ${name}, ${value})
      on conflict ("UserId", "LoginProvider", "Name") do update set "Value" = excluded."Value"`)
  }

  async replace(key: UserTokenKey, current: string, next: string): Promise<boolean> {
    const replaced = await this.database.execute(sql`
      update "AbpUserTokens" set "Value" = ${next} where ${is(key)} and "Value" = ${current}`)
    return replaced > 0
  }

  async take(key: UserTokenKey): Promise<string | undefined> {
    const [taken] = await this.database.query<{ value: string | null }>(sql`
      delete from "AbpUserTokens" where ${is(key)} returning "Value" as value`)
    return taken?.value ?? undefined
  }
}

function is({ userId, loginProvider, name }: UserTokenKey): Sql {
  return sql`"UserId" = ${userId} and "LoginProvider" = ${loginProvider} and "Name" = ${name}`
}
