import { Provides } from '@keel/framework'
import {
  compareTexts,
  type Database,
  Databases,
  entityMeta,
  literally,
  sql,
  type TableWatch,
  UnitOfWork,
  undeleted,
} from '@keel/framework/data'
import {
  type NamedHolder,
  RoleHolders,
  type RoleMember,
  type RoleMembers,
  UserHolders,
} from '@keel/framework/security'
import { Role } from '../domain/role.js'
import { User } from '../domain/user.js'
import { isGuid, roleNames } from './user-accounts.js'

const member = sql`u."Id" as "userId", u."UserName" as "userName", ${roleNames} as roles`

/** Users as holders of grants. */
@Provides(UserHolders)
export class IdentityUserHolders extends UserHolders {
  private readonly database: Database

  constructor(databases: Databases) {
    super()
    this.database = databases.of(User)
  }

  async inRoles(names: readonly string[], limit: number): Promise<RoleMembers> {
    const rows = await this.database.query<RoleMember & { readonly totalCount: string }>(sql`
      select count(*) over () as "totalCount", member.* from (
        select ${member} from "AbpUsers" u where ${undeleted(User, 'u')} and u."IsActive" = true) member
      where roles::text[] && ${names}::text[]
      order by "userName", "userId"
      limit ${limit}`)
    const members = rows.map(({ userId, userName, roles }) => ({ userId, userName, roles }))
    return { totalCount: Number(rows[0]?.totalCount ?? 0), members }
  }

  search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]> {
    const pattern = literally(text)
    return this.database.query<NamedHolder & Record<string, string>>(sql`
      select u."Id" as "providerKey", u."UserName" as "displayName" from "AbpUsers" u
      where ${undeleted(User, 'u')} and u."IsActive" = true and (u."UserName" ~* ${pattern} or u."Email" ~* ${pattern})
      order by u."UserName", u."Id" limit ${limit} offset ${skip}`)
  }

  named(userIds: readonly string[]): Promise<readonly NamedHolder[]> {
    return this.database.query<NamedHolder & Record<string, string>>(sql`
      select u."Id" as "providerKey", u."UserName" as "displayName" from "AbpUsers" u
      where u."Id" = any(${userIds.filter(isGuid)}::uuid[]) and ${undeleted(User, 'u')}`)
  }

  withIds(userIds: readonly string[]): Promise<readonly RoleMember[]> {
    return this.database.query<RoleMember>(sql`
      select ${member} from "AbpUsers" u
      where u."Id" = any(${userIds.filter(isGuid)}::uuid[]) and ${undeleted(User, 'u')} and u."IsActive" = true
      order by u."UserName", u."Id"`)
  }
}

/** Roles as holders of grants; read again when one of them changes. */
@Provides(RoleHolders)
export class IdentityRoleHolders extends RoleHolders {
  private readonly database: Database
  private readonly watch: TableWatch
  private kept: { readonly version: number; readonly names: ReadonlySet<string> } | undefined

  constructor(databases: Databases) {
    super()
    this.database = databases.of(Role)
    this.watch = this.database.feed.watch([entityMeta(Role).table])
  }

  async find(roleName: string): Promise<NamedHolder | undefined> {
    const names = await this.names()
    return names.has(roleName) ? holderOf(roleName) : undefined
  }

  async search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]> {
    const wanted = text.toLowerCase()
    const names = [...(await this.names())]
      .filter((name) => name.toLowerCase().includes(wanted))
      .sort(compareTexts)
    return names.slice(skip, skip + limit).map(holderOf)
  }

  async named(roleNames: readonly string[]): Promise<readonly NamedHolder[]> {
    const names = await this.names()
    return roleNames.filter((name) => names.has(name)).map(holderOf)
  }

  private async names(): Promise<ReadonlySet<string>> {
    const { version } = this.watch
    if (version !== undefined && this.kept?.version === version) return this.kept.names
    const rows = await this.database.query<{ name: string }>(sql`select "Name" as name from "AbpRoles"`)
    const names = new Set(rows.map(({ name }) => name))
    // Inside a unit of work we may have seen what is rolled back.
    if (version !== undefined && !UnitOfWork.current) this.kept = { version, names }
    return names
  }
}

const holderOf = (name: string): NamedHolder => ({ providerKey: name, displayName: name })
