import { Clock, Injectable } from '@keel/framework'
import { type Database, Databases, type Sql, sql, UnitOfWork, undeleted } from '@keel/framework/data'
import type { PersonAccount, UserRecord } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'
import { isGuid } from './user-accounts.js'

/** The names that another user has. */
export interface TakenNames {
  readonly userName: boolean
  readonly email: boolean
}

/** Reads of `AbpUsers` for the directory, and the roles that users hold. */
@Injectable()
export class UserRecords {
  readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(User)
  }

  async byId(id: string): Promise<UserRecord | undefined> {
    return isGuid(id) ? this.one(sql`"Id" = ${id}`) : undefined
  }

  /** The user of a person, also a deleted one. */
  async person(id: string): Promise<PersonAccount | undefined> {
    if (!isGuid(id)) return undefined
    const [found] = await this.database.query<Omit<PersonAccount, 'email'> & { email: string | null }>(sql`
      select "Id" as id, "UserName" as "userName", "IsDeleted" as "isDeleted",
        case when "EmailConfirmed" then lower("Email") end as email
      from "AbpUsers" where "Id" = ${id}`)
    return found && { ...found, email: found.email ?? undefined }
  }

  async byUserName(userName: string): Promise<UserRecord | undefined> {
    return this.one(sql`"NormalizedUserName" = ${normalizedName(userName.trim())}`)
  }

  async byEmail(email: string): Promise<UserRecord | undefined> {
    return this.one(sql`"NormalizedEmail" = ${normalizedName(email.trim())}`)
  }

  /**
   * The names that another user has. Users sign in with either name, so a user name must also differ from the
   * e-mail addresses of others.
   */
  async taken(userName: string, email: string, exceptId: string | undefined): Promise<TakenNames> {
    const others = sql`from "AbpUsers" where ${undeleted(User)} and "Id" is distinct from ${exceptId ?? null}::uuid`
    const has = (name: string): Sql =>
      sql`exists (select ${others} and ${normalizedName(name)} in ("NormalizedUserName", "NormalizedEmail"))`
    const [found] = await this.database.query<{ userName: boolean; email: boolean }>(sql`
      select ${has(userName)} as "userName", ${has(email)} as email`)
    return found ?? { userName: false, email: false }
  }

  /** The names among these that no role has. */
  async unknownRoles(roleNames: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(sql`
      select name from unnest(${roleNames}::text[], ${roleNames.map(normalizedName)}::text[]) as given(name, normalized)
      where not exists (select from "AbpRoles" where "NormalizedName" = normalized)`)
    return rows.map(({ name }) => name)
  }

  async addRoles(userId: string, roleNames: readonly string[]): Promise<void> {
    await this.writeRoles(sql`
      insert into "AbpUserRoles" ("UserId", "RoleId")
      select ${userId}::uuid, "Id" from "AbpRoles" where "NormalizedName" = any(${roleNames.map(normalizedName)}::text[])
      on conflict do nothing`)
  }

  /** The names of the roles that a user gets whose roles nobody named. */
  async defaultRoles(): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      sql`select "Name" as name from "AbpRoles" where "IsDefault" order by "Name"`,
    )
    return rows.map(({ name }) => name)
  }

  async removeRoles(userId: string, roleNames: readonly string[]): Promise<void> {
    await this.writeRoles(sql`
      delete from "AbpUserRoles" ur using "AbpRoles" r
      where ur."UserId" = ${userId} and r."Id" = ur."RoleId" and r."NormalizedName" = any(${roleNames.map(normalizedName)}::text[])`)
  }

  async rolesOf(userId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(sql`
      select r."Name" as name from "AbpUserRoles" ur join "AbpRoles" r on r."Id" = ur."RoleId" where ur."UserId" = ${userId}`)
    return rows.map(({ name }) => name)
  }

  private async writeRoles(statement: Sql): Promise<void> {
    await this.database.execute(statement)
    UnitOfWork.current?.changed(this.database, 'AbpUserRoles')
  }

  private async one(condition: Sql): Promise<UserRecord | undefined> {
    const [found] = await this.database.query<UserRecord & Record<string, unknown>>(sql`
      select "Id" as id, "UserName" as "userName", "Name" as name, "Surname" as surname, "Email" as email,
        "EmailConfirmed" as "isEmailConfirmed", "PhoneNumber" as "phoneNumber", "PhoneNumberConfirmed" as "isPhoneNumberConfirmed",
        "IsActive" as "isActive", "IsExternal" as "isExternal", "PasswordHash" is not null as "hasPassword",
        "TwoFactorEnabled" as "isTwoFactorEnabled", "ShouldChangePasswordOnNextLogin" as "shouldChangePasswordOnNextLogin",
        "LastPasswordChangeTime" as "lastPasswordChangeTime", case when "LockoutEnabled" and "LockoutEnd" > ${this.clock.now} then "LockoutEnd" end as "lockedOutUntil", "SecurityStamp" as "securityStamp",
        "ConcurrencyStamp" as "concurrencyStamp", ${extraProperties} as "extraProperties"
      from "AbpUsers"
      where ${condition} and ${undeleted(User)}`)
    return found
  }
}

/** The extra properties of a row as JSON; ABP leaves the text empty now and then. */
export const extraProperties = sql`coalesce(nullif("ExtraProperties", ''), '{}')::json`
