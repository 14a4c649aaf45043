import { Clock, Injectable } from '@keel/framework'
import { type Database, Databases, sql, toStatement, UnitOfWork, undeleted } from '@keel/framework/data'
import type { Account, PasswordOwner } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'

/** The columns that an attempt to sign in is checked against. */
export interface Credentials {
  readonly id: string
  readonly userName: string
  readonly passwordHash: string | null
  /** The password is kept elsewhere. */
  readonly isExternal: boolean
  readonly isActive: boolean
  readonly lockoutEnabled: boolean
  readonly lockoutEnd: Date | null
  readonly accessFailedCount: number
}

/** How many failures in a row lock a user out, and for how long. */
export interface LockoutRule {
  readonly maxFailures: number
  readonly lockoutSeconds: number
}

/** Reads and writes of `AbpUsers` that signing in needs. */
@Injectable()
export class UserAccounts {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(User)
  }

  /** By user name, else by e-mail address. */
  async credentialsOf(userNameOrEmail: string): Promise<Credentials | undefined> {
    const normalized = normalizedName(userNameOrEmail.trim())
    const [found] = await this.database.query<Credentials>(sql`
      select ${credentialColumns}
      from "AbpUsers"
      where ("NormalizedUserName" = ${normalized} or "NormalizedEmail" = ${normalized}) and ${undeleted(User)}
      order by "NormalizedUserName" = ${normalized} desc
      limit 1`)
    return found
  }

  async credentialsOfUser(userId: string): Promise<Credentials | undefined> {
    if (!isGuid(userId)) return undefined
    const [found] = await this.database.query<Credentials>(
      sql`select ${credentialColumns} from "AbpUsers" where "Id" = ${userId} and ${undeleted(User)}`,
    )
    return found
  }

  /** An active user with roles and claims, in one statement. */
  async find(userId: string): Promise<Account | undefined> {
    if (!isGuid(userId)) return undefined
    const statement = sql`
      select u."Id" as id, u."UserName" as "userName", u."Name" as name, u."Surname" as surname, u."Email" as email,
        u."EmailConfirmed" as "isEmailConfirmed", u."PhoneNumber" as "phoneNumber",
        u."PhoneNumberConfirmed" as "isPhoneNumberConfirmed", ${roleNames} as roles, ${claims} as claims
      from "AbpUsers" u
      where u."Id" = ${userId} and ${undeleted(User, 'u')} and u."IsActive" = true`
    // Read for every token of a user.
    const [found] = await this.database.query<Account>({
      name: 'identity.account',
      ...toStatement(statement),
    })
    return found
  }

  /** A user's password hash (null for none), and whether it is external; undefined for an unknown user. */
  async passwordOf(userId: string): Promise<{ hash: string | null; isExternal: boolean } | undefined> {
    if (!isGuid(userId)) return undefined
    const [found] = await UnitOfWork.apart(() =>
      this.database.query<{ hash: string | null; isExternal: boolean }>(sql`
        select "PasswordHash" as hash, "IsExternal" as "isExternal" from "AbpUsers" where "Id" = ${userId} and ${undeleted(User)}`),
    )
    return found
  }

  /** The names of a user; undefined when there is no such user. */
  async namesOf(userId: string): Promise<PasswordOwner | undefined> {
    if (!isGuid(userId)) return undefined
    const [found] = await UnitOfWork.apart(() =>
      this.database.query<PasswordOwner>(sql`
        select "UserName" as "userName", "Email" as email, "Name" as name, "Surname" as surname
        from "AbpUsers" where "Id" = ${userId} and ${undeleted(User)}`),
    )
    return found
  }

  /**
   * Counts a failure; the fifth locks the user out and starts a new count. The row stays locked in between,
   * so that guesses made at once are all counted; two statements, because one that might lock somebody out is
   * told to everybody who keeps principals, and a count is not. The answer is until when the user is locked
   * out, or undefined.
   */
  async countFailure(
    userId: string,
    { maxFailures, lockoutSeconds }: LockoutRule,
  ): Promise<Date | undefined> {
    const { now } = this.clock
    const lockoutEnd = new Date(now.getTime() + lockoutSeconds * 1000)
    return UnitOfWork.run(async () => {
      const [counted] = await this.database.query<{ failures: number; until: Date | null }>(sql`
        update "AbpUsers" set "AccessFailedCount" = "AccessFailedCount" + 1
        where "Id" = ${userId} and "LockoutEnabled" = true
        returning "AccessFailedCount" as failures, case when "LockoutEnd" > ${now} then "LockoutEnd" end as until`)
      if (!counted || counted.failures < maxFailures) return counted?.until ?? undefined
      const [locked] = await this.database.query<{ until: Date }>(sql`
        update "AbpUsers" set "AccessFailedCount" = 0,
          "LockoutEnd" = greatest("LockoutEnd", ${lockoutEnd})
        where "Id" = ${userId}
        returning "LockoutEnd" as until`)
      UnitOfWork.current?.changed(this.database, 'AbpUsers')
      return locked?.until
    })
  }

  /** Starts a new count after the right password and notes the time; a lock-out of the meantime stays. */
  async signedIn(userId: string): Promise<void> {
    await this.database.execute(
      sql`update "AbpUsers" set "AccessFailedCount" = 0, "LastSignInTime" = ${this.clock.now} where "Id" = ${userId}`,
    )
  }

  /** Replaces the hash by a stronger one of the same password, unless the password was changed meanwhile. */
  async replaceHash({ id, passwordHash }: Credentials, stronger: string): Promise<void> {
    await this.database.execute(
      sql`update "AbpUsers" set "PasswordHash" = ${stronger} where "Id" = ${id} and "PasswordHash" = ${passwordHash}`,
    )
  }
}

/** The ids of the roles of the user `u`, those of their organization units included. */
const roleIds = sql`
    select "RoleId" from "AbpUserRoles" where "UserId" = u."Id"
    union all
    select our."RoleId" from "AbpUserOrganizationUnits" uou join "AbpOrganizationUnitRoles" our using ("OrganizationUnitId")
    where uou."UserId" = u."Id"`

const credentialColumns = sql`"Id" as id, "UserName" as "userName", "PasswordHash" as "passwordHash",
  "IsExternal" as "isExternal", "IsActive" as "isActive", "LockoutEnabled" as "lockoutEnabled",
  "LockoutEnd" as "lockoutEnd", "AccessFailedCount" as "accessFailedCount"`

/** The names of the roles of the user `u`, those of their organization units included, as an array. */
export const roleNames = sql`array(select r."Name" from "AbpRoles" r where r."Id" in (${roleIds}) order by r."Name")`

/** The claims of the user `u` and of their roles, each once, as JSON. */
const claims = sql`coalesce((
  select json_agg(json_build_object('type', c."ClaimType", 'value', coalesce(c."ClaimValue", '')) order by c."ClaimType", c."ClaimValue") from (
    select "ClaimType", "ClaimValue" from "AbpUserClaims" where "UserId" = u."Id"
    union
    select "ClaimType", "ClaimValue" from "AbpRoleClaims" where "RoleId" in (${roleIds})) c), '[]')`

/** True when wrong passwords lock somebody out at this moment. */
export function isLocked(
  credentials: Credentials,
  now: Date,
): credentials is Credentials & { lockoutEnd: Date } {
  const { lockoutEnabled, lockoutEnd } = credentials
  return lockoutEnabled && lockoutEnd !== null && lockoutEnd > now
}

/** True for texts that the database can compare with an id; others are an error there. */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
