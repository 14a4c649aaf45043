import { Application, Injectable } from '@keel/framework'
import { literally, raw, Sorting, type Sql, sql } from '@keel/framework/data'
import type { Role } from '../domain/role.js'
import { extraPropertiesJson, instantJson } from './json-reads.js'

/** The roles, as the table `r`. */
export const roles = raw('"AbpRoles" r')

/** The fields that lists of roles can be sorted by. */
export const roleSorting = new Sorting(
  {
    name: 'r."Name"',
    isDefault: 'r."IsDefault"',
    isStatic: '"isStatic"',
    isPublic: 'r."IsPublic"',
    creationTime: 'r."CreationTime"',
    userCount: '"userCount"',
  },
  'r."Id"',
)

/** Roles in whose name a text is. */
export function roleMatching(filter: string | null | undefined): Sql | undefined {
  return filter ? sql`r."Name" ~* ${literally(filter)}` : undefined
}

/** The columns of shown roles, with the parents from the code. Roles of the code are static. */
@Injectable()
export class RoleViews {
  /** The members of `IdentityRoleDto` of the table `r`. */
  readonly columns: Sql

  constructor(private readonly application: Application) {
    const { roles: declared } = application
    const parents = Object.fromEntries(
      [...declared.values()].map(({ name, parents }) => [name, parents.map((parent) => parent.name)]),
    )
    this.columns = sql`r."Id" as id, r."Name" as name, r."IsDefault" as "isDefault", 
      (r."IsStatic" or r."Name" = any(${[...declared.values()].map(({ name }) => name)}::text[])) as "isStatic", r."IsPublic" as "isPublic",
      (select count(*) from "AbpUserRoles" ur join "AbpUsers" u on u."Id" = ur."UserId" and u."IsDeleted" = false where ur."RoleId" = r."Id")
        as "userCount",
      ${instantJson('r."CreationTime"')} as "creationTime", r."ConcurrencyStamp" as "concurrencyStamp",
      ${extraPropertiesJson('r')} as "extraProperties", coalesce(${JSON.stringify(parents)}::json -> r."Name", '[]'::json) as "parentNames"`
  }

  /** True when a role keeps its name and stays. */
  isStatic({ isStatic, name }: Pick<Role, 'isStatic' | 'name'>): boolean {
    return isStatic || this.application.roles.has(name)
  }
}
