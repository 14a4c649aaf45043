import { type Sql, sql } from '@keel/framework/data'

// Conditions of lists of users, roles and units (table `t`), by what they have to do with each other.

/** Users who hold a role directly. */
export const hasRole = (roleId: string): Sql =>
  sql`exists (select from "AbpUserRoles" ur where ur."UserId" = t."Id" and ur."RoleId" = ${roleId})`

/** Users who are in a unit. */
export const isInUnit = (unitId: string): Sql =>
  sql`exists (select from "AbpUserOrganizationUnits" m where m."UserId" = t."Id" and m."OrganizationUnitId" = ${unitId})`

/** Roles that a user holds directly. */
export const isHeldBy = (userId: string): Sql =>
  sql`exists (select from "AbpUserRoles" ur where ur."UserId" = ${userId} and ur."RoleId" = t."Id")`

/** Roles that the members of a unit have through it. */
export const isRoleOf = (unitId: string): Sql =>
  sql`exists (select from "AbpOrganizationUnitRoles" p where p."OrganizationUnitId" = ${unitId} and p."RoleId" = t."Id")`

/** Units that a user is in. */
export const isUnitOf = (userId: string): Sql =>
  sql`exists (select from "AbpUserOrganizationUnits" m where m."OrganizationUnitId" = t."Id" and m."UserId" = ${userId})`

/** Rows that a condition leaves out. */
export const not = (condition: Sql): Sql => sql`not ${condition}`

/** Rows with one of these ids. */
export const isOneOf = (ids: readonly string[]): Sql => sql`t."Id" = any(${ids}::uuid[])`

/** Roles with one of these normalized names. */
export const isNamedOneOf = (names: Iterable<string>): Sql =>
  sql`t."NormalizedName" = any(${[...names]}::text[])`
