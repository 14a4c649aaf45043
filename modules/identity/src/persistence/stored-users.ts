import { Provides } from '@keel/framework'
import { type Database, Databases, entityMeta, sql, undeleted } from '@keel/framework/data'
import { type StoredUser, UserSource } from '@keel/framework/security'
import { OrganizationUnitRole, UserOrganizationUnit } from '../domain/organization-unit.js'
import { Role } from '../domain/role.js'
import { User, UserRole } from '../domain/user.js'
import { isGuid, roleNames } from './user-accounts.js'

/** Users as principals are made of them, from ABP's tables. */
@Provides(UserSource)
export class StoredUsers implements UserSource {
  readonly database: Database
  readonly tables = [User, Role, UserRole, UserOrganizationUnit, OrganizationUnitRole].map(
    (entity) => entityMeta(entity).table,
  )

  constructor(databases: Databases) {
    this.database = databases.of(User)
  }

  async find(userId: string): Promise<StoredUser | undefined> {
    if (!isGuid(userId)) return undefined
    const [found] = await this.database.query<StoredUser>(sql`
      select u."Id" as id, u."UserName" as "userName", u."Name" as name, u."Surname" as surname, u."Email" as email,
        u."EmailConfirmed" as "isEmailConfirmed", u."PhoneNumber" as "phoneNumber",
        u."PhoneNumberConfirmed" as "isPhoneNumberConfirmed", u."IsActive" as "isActive", case when u."LockoutEnabled" then u."LockoutEnd" end as "lockoutEnd", ${roleNames} as roles
      from "AbpUsers" u
      where u."Id" = ${userId} and ${undeleted(User, 'u')}`)
    return found
  }
}
