import { Clock, type Configuration, Injectable, type Logger } from '@keel/framework'
import { type NewRow, namedGuid, newStamp, type SeedContext, Seeder, sql } from '@keel/framework/data'
import { hashPassword, verifyPassword } from '@keel/framework/security'
import { demoCustomers, demoStaff } from '../contracts/demo-people.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { newSecurityStamp } from '../domain/security-stamp.js'
import type { User } from '../domain/user.js'
import { demoUsers, type SeededUser, seededPassword } from '../seeded-users/index.js'
import { administratorsOf } from './seeded-users.js'
import { UserStore } from './stores.js'

/**
 * The administrators and, in Development, somebody in each role. A user that was deleted is enabled again,
 * one that exists keeps everything it has. Only Development gives them the published password: elsewhere they
 * have none until they set one, and a user who still has the published one is named in a warning.
 */
@Injectable()
export class UserSeeder extends Seeder {
  constructor(
    private readonly users: UserStore,
    private readonly clock: Clock,
  ) {
    super()
  }

  async seed({ configuration, isDevelopment, logger }: SeedContext): Promise<void> {
    const passwordHash = isDevelopment ? await hashPassword(seededPassword) : null
    for (const user of [...administratorsOf(configuration), ...(isDevelopment ? demoUsers : [])]) {
      const known = await this.find(user)
      if (known?.isDeleted) {
        await this.enable(known.id)
        logger.info({ user: user.userName }, 'deleted user enabled again')
      }
      if (!known) {
        await this.add(user, passwordHash)
        const added = passwordHash
          ? 'user added with the published password'
          : 'user added without a password'
        logger.info({ user: user.userName, role: user.role.name }, added)
      }
      await this.assign(known?.id ?? idOf(user), user.role.name)
    }
    if (!isDevelopment) await this.warnOfPublishedPasswords(configuration, logger)
  }

  /** A database filled in Development keeps its users, and with them the published password. */
  private async warnOfPublishedPasswords(configuration: Configuration, logger: Logger): Promise<void> {
    const names = [...administratorsOf(configuration), ...[...demoUsers, ...demoCustomers, ...demoStaff]].map(
      ({ userName }) => normalizedName(userName),
    )
    // Seeded together, users have one hash.
    const stored = await this.users.database.query<{ users: string[]; hash: string }>(sql`
      select array_agg("UserName"::text order by "UserName") as users, "PasswordHash" as hash from "AbpUsers"
      where not "IsDeleted" and "PasswordHash" is not null and "NormalizedUserName" = any(${names})
      group by "PasswordHash" order by 1`)
    const { environment } = configuration
    for (const { users, hash } of stored) {
      if ((await verifyPassword(seededPassword, hash)) === 'wrong') continue
      for (const user of users)
        logger.warn({ user, environment }, 'the user has the published password of Development: change it')
    }
  }

  private async find({ userName }: SeededUser): Promise<{ id: string; isDeleted: boolean } | undefined> {
    const [found] = await this.users.database.query<{ id: string; isDeleted: boolean }>(sql`
      select "Id" as id, "IsDeleted" as "isDeleted" from "AbpUsers"
      where "NormalizedUserName" = ${normalizedName(userName)}
      order by "IsDeleted", "DeletionTime" desc nulls last
      limit 1`)
    return found
  }

  private async enable(id: string): Promise<void> {
    await this.users.database.execute(sql`
      update "AbpUsers" set "IsDeleted" = false, "DeleterId" = null, "DeletionTime" = null, "IsActive" = true,
        "LastModificationTime" = ${this.clock.now}::timestamptz at time zone 'utc', "ConcurrencyStamp" = ${newStamp()}
      where "Id" = ${id}`)
  }

  private async add(user: SeededUser, passwordHash: string | null): Promise<void> {
    await this.users.insert(seededRow(user, passwordHash, this.clock.now))
  }

  private async assign(userId: string, roleName: string): Promise<void> {
    const { database } = this.users
    const [missing] = await database.query<{ roleId: string }>(sql`
      select r."Id" as "roleId" from "AbpRoles" r
      where r."NormalizedName" = ${normalizedName(roleName)}
        and not exists (select from "AbpUserRoles" u where u."UserId" = ${userId}::uuid and u."RoleId" = r."Id")`)
    if (!missing) return
    await database.execute(sql`
      insert into "AbpUserRoles" ("UserId", "RoleId") values (${userId}::uuid, ${missing.roleId}::uuid)
      on conflict do nothing`)
  }
}

/** The row of a seeded user, who signs in with the password of a hash; null for none. */
export function seededRow(user: SeededUser, passwordHash: string | null, now: Date): NewRow<User> {
  const { userName, name, surname, email = `${userName}@keel.local` } = user
  return {
    id: idOf(user),
    userName,
    normalizedUserName: normalizedName(userName),
    name,
    surname,
    email,
    normalizedEmail: normalizedName(email),
    emailConfirmed: true,
    passwordHash,
    securityStamp: newSecurityStamp(),
    isActive: true,
    lockoutEnabled: true,
    shouldChangePasswordOnNextLogin: false,
    entityVersion: 0,
    lastPasswordChangeTime: passwordHash ? now : null,
    extraProperties: '{}',
  }
}

function idOf({ userName }: SeededUser): string {
  return namedGuid(`User:${userName}`)
}
