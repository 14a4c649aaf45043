import { ambient, Clock, Injectable } from '@keel/framework'
import { type Database, Databases, type Sql, sql, UnitOfWork } from '@keel/framework/data'
import { UserOrganizationUnit } from '../domain/organization-unit.js'

/** The members and roles of organization units. */
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

  /** The ids of the members of these units. */
  async membersOf(unitIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select distinct "UserId" as id from "AbpUserOrganizationUnits" where "OrganizationUnitId" = any(${unitIds}::uuid[])`)
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

  /** Puts all members of a unit into another one, or into none. */
  async moveMembers(fromId: string, toId: string | undefined): Promise<void> {
    if (toId) {
      await this.write(
        'AbpUserOrganizationUnits',
        sql`
        insert into "AbpUserOrganizationUnits" ("OrganizationUnitId", "UserId", "CreationTime", "CreatorId")
        select ${toId}::uuid, "UserId", ${this.now()}, ${creator()}::uuid from "AbpUserOrganizationUnits" where "OrganizationUnitId" = ${fromId}
        on conflict do nothing`,
      )
    }
    await this.write(
      'AbpUserOrganizationUnits',
      sql`
      delete from "AbpUserOrganizationUnits" where "OrganizationUnitId" = ${fromId}`,
    )
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
