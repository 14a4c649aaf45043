import { ambient, Clock, Injectable } from '@keel/framework'
import { type Database, Databases, raw, type Sql, sql, UnitOfWork } from '@keel/framework/data'
import { UserOrganizationUnit } from '../domain/organization-unit.js'

/** The tables of the members of units and of the holders of roles. ABP keeps of the first who made them when. */
const memberTables = {
  unit: { table: 'AbpUserOrganizationUnits', group: 'OrganizationUnitId', isAudited: true },
  role: { table: 'AbpUserRoles', group: 'RoleId', isAudited: false },
} as const

/** The members of organization units, the roles that they have through them, and the holders of roles. */
@Injectable()
export class Memberships {
  readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(UserOrganizationUnit)
  }

  /** The ids of the organization units that a user is in. */
  async unitsOf(userId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select "OrganizationUnitId" as id from "AbpUserOrganizationUnits" where "UserId" = ${userId}`)
    return rows.map(({ id }) => id)
  }

  /** The ids of the members of these units, or of the users who hold these roles themselves. */
  async membersOf(kind: keyof typeof memberTables, ids: readonly string[]): Promise<string[]> {
    const { table, group } = memberTables[kind]
    const rows = await this.database.query<{ id: string }>(sql`
      select distinct "UserId" as id from ${raw(`"${table}" where "${group}"`)} = any(${ids}::uuid[])`)
    return rows.map(({ id }) => id)
  }

  /** The ids of the members of units that have a role. */
  async membersByRole(roleId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select distinct m."UserId" as id from "AbpOrganizationUnitRoles" p join "AbpUserOrganizationUnits" m using ("OrganizationUnitId")
      where p."RoleId" = ${roleId}`)
    return rows.map(({ id }) => id)
  }

  /** The most organization units that one of these users is in. */
  async mostUnitsOf(userIds: readonly string[]): Promise<number> {
    const [found] = await this.database.query<{ most: number | null }>(sql`
      select max(n)::int as most from (
        select count(*) as n from "AbpUserOrganizationUnits" where "UserId" = any(${userIds}::uuid[]) group by "UserId") counted`)
    return found?.most ?? 0
  }

  /** The names of the roles that members of these units have through them. */
  async rolesOf(unitIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(sql`
      select distinct r."Name" as name from "AbpOrganizationUnitRoles" p join "AbpRoles" r on r."Id" = p."RoleId"
      where p."OrganizationUnitId" = any(${unitIds}::uuid[])`)
    return rows.map(({ name }) => name)
  }

  /** The names of these roles; unknown ids are left out. */
  async roleNames(roleIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(sql`
      select "Name" as name from "AbpRoles" where "Id" = any(${roleIds}::uuid[])`)
    return rows.map(({ name }) => name)
  }

  async addMembers(unitIds: readonly string[], userIds: readonly string[]): Promise<void> {
    await this.write(
      'AbpUserOrganizationUnits',
      sql`
      insert into "AbpUserOrganizationUnits" ("OrganizationUnitId", "UserId", "CreationTime", "CreatorId")
      select unit, member, ${this.now()}, ${creator()}::uuid from unnest(${unitIds}::uuid[]) unit, unnest(${userIds}::uuid[]) member
      on conflict do nothing`,
    )
  }

  async removeMembers(unitIds: readonly string[], userIds: readonly string[]): Promise<void> {
    await this.write(
      'AbpUserOrganizationUnits',
      sql`
      delete from "AbpUserOrganizationUnits" where "OrganizationUnitId" = any(${unitIds}::uuid[]) and "UserId" = any(${userIds}::uuid[])`,
    )
  }

  /** Moves all members of a unit, or holders of a role, to another one, or to none. */
  async moveMembers(
    kind: keyof typeof memberTables,
    fromId: string,
    toId: string | undefined,
  ): Promise<void> {
    const { table, group, isAudited } = memberTables[kind]
    const leaving = sql`${raw(`"${table}" where "${group}"`)} = ${fromId}`
    if (toId) {
      const audit = isAudited ? sql`, ${this.now()}, ${creator()}::uuid` : raw('')
      await this.write(
        table,
        sql`
        insert into ${raw(`"${table}" ("${group}", "UserId"${isAudited ? ', "CreationTime", "CreatorId"' : ''})`)}
        select ${toId}::uuid, "UserId"${audit} from ${leaving}
        on conflict do nothing`,
      )
    }
    await this.write(table, sql`delete from ${leaving}`)
  }

  async addRoles(unitId: string, roleIds: readonly string[]): Promise<void> {
    await this.write(
      'AbpOrganizationUnitRoles',
      sql`
      insert into "AbpOrganizationUnitRoles" ("OrganizationUnitId", "RoleId", "CreationTime", "CreatorId")
      select ${unitId}::uuid, role, ${this.now()}, ${creator()}::uuid from unnest(${roleIds}::uuid[]) role
      on conflict do nothing`,
    )
  }

  async removeRole(unitId: string, roleId: string): Promise<void> {
    await this.write(
      'AbpOrganizationUnitRoles',
      sql`
      delete from "AbpOrganizationUnitRoles" where "OrganizationUnitId" = ${unitId} and "RoleId" = ${roleId}`,
    )
  }

  /** Takes the members and roles of units that go. */
  async clear(unitIds: readonly string[]): Promise<void> {
    const ofThem = sql`"OrganizationUnitId" = any(${unitIds}::uuid[])`
    await this.write('AbpUserOrganizationUnits', sql`delete from "AbpUserOrganizationUnits" where ${ofThem}`)
    await this.write('AbpOrganizationUnitRoles', sql`delete from "AbpOrganizationUnitRoles" where ${ofThem}`)
  }

  private now(): Sql {
    return sql`${this.clock.now}::timestamptz at time zone 'utc'`
  }

  private async write(table: string, statement: Sql): Promise<void> {
    await this.database.execute(statement)
    UnitOfWork.current?.changed(this.database, table)
  }
}

function creator(): string | null {
  return ambient().principal.userId ?? null
}
