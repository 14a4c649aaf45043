import { Injectable } from '@keel/framework'
import { raw, Sorting, type Sql, sql } from '@keel/framework/data'
import { extraPropertiesJson, instantJson } from './json-reads.js'
import { RoleViews } from './role-views.js'

/** The organization units, as the table `o`. */
export const organizationUnits = raw('"AbpOrganizationUnits" o')

/** The fields that lists of organization units can be sorted by. */
export const organizationUnitSorting = new Sorting(
  { code: 'o."Code"', displayName: 'o."DisplayName"', creationTime: 'o."CreationTime"' },
  'o."Id"',
)

const unitColumns = sql`o."Id" as id, o."TenantId" as "tenantId", o."ParentId" as "parentId", o."Code" as code,
  o."DisplayName" as "displayName", o."ConcurrencyStamp" as "concurrencyStamp", ${extraPropertiesJson('o')} as "extraProperties",
  ${instantJson('o."CreationTime"')} as "creationTime", o."CreatorId" as "creatorId",
  ${instantJson('o."LastModificationTime"')} as "lastModificationTime", o."LastModifierId" as "lastModifierId",
  o."IsDeleted" as "isDeleted", o."DeleterId" as "deleterId", ${instantJson('o."DeletionTime"')} as "deletionTime"`

/** The members of `OrganizationUnitDto` of the table `o`. */
export const organizationUnitColumns = sql`${unitColumns}, (
  select coalesce(json_agg(x), '[]'::json) from (
    select p."OrganizationUnitId" as "organizationUnitId", p."RoleId" as "roleId", ${instantJson('p."CreationTime"')} as "creationTime",
      p."CreatorId" as "creatorId"
    from "AbpOrganizationUnitRoles" p where p."OrganizationUnitId" = o."Id" order by p."RoleId") x) as roles`

/** How organization units are shown with their roles and how many members they have. */
@Injectable()
export class OrganizationUnitViews {
  /** The members of `OrganizationUnitWithDetailsDto` of the table `o`. */
  readonly columns: Sql

  constructor(roles: RoleViews) {
    this.columns = sql`${unitColumns},
      (select coalesce(json_agg(x), '[]'::json) from (
        select ${roles.columns} from "AbpOrganizationUnitRoles" p join "AbpRoles" r on r."Id" = p."RoleId"
        where p."OrganizationUnitId" = o."Id" order by r."Name") x) as roles,
      (select count(*) from "AbpUserOrganizationUnits" m join "AbpUsers" mu on mu."Id" = m."UserId" and mu."IsDeleted" = false
        where m."OrganizationUnitId" = o."Id") as "userCount"`
  }
}
