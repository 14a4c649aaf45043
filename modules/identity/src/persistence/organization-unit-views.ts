import { Injectable } from '@keel/framework'
import { instantSql, JsonView, raw, sql, visibleRows } from '@keel/framework/data'
import {
  OrganizationUnitDto,
  OrganizationUnitLookupDto,
  OrganizationUnitWithDetailsDto,
} from '../contracts/index.js'
import { OrganizationUnit } from '../domain/organization-unit.js'
import { User } from '../domain/user.js'
import { RoleViews } from './role-views.js'

const sortBy = ['code', 'displayName', 'creationTime']

/** Organization units with the ids of their roles. */
export const organizationUnitView = new JsonView(OrganizationUnit, OrganizationUnitDto, {
  members: (t) => ({
    roles: sql`(select coalesce(json_agg(x), '[]'::json) from (
      select p."OrganizationUnitId" as "organizationUnitId", p."RoleId" as "roleId",
        ${raw(instantSql('p."CreationTime"'))} as "creationTime", p."CreatorId" as "creatorId"
      from "AbpOrganizationUnitRoles" p where p."OrganizationUnitId" = ${t}."Id" order by p."RoleId") x)`,
  }),
  sortBy,
})

/** The names of organization units. */
export const organizationUnitLookupView = new JsonView(OrganizationUnit, OrganizationUnitLookupDto, {
  sortBy,
})

/** How organization units are shown with their roles and how many members they have. */
@Injectable()
export class OrganizationUnitViews {
  readonly view: JsonView

  constructor(roles: RoleViews) {
    this.view = new JsonView(OrganizationUnit, OrganizationUnitWithDetailsDto, {
      members: (t) => ({
        roles: roles.view.array(
          'r',
          sql`r."Id" in (select p."RoleId" from "AbpOrganizationUnitRoles" p where p."OrganizationUnitId" = ${t}."Id")`,
          raw('r."Name"'),
        ),
        userCount: sql`(select count(*) from "AbpUserOrganizationUnits" m join "AbpUsers" mu on mu."Id" = m."UserId" and ${visibleRows(User, 'mu')}
          where m."OrganizationUnitId" = ${t}."Id")`,
      }),
      sortBy,
      searchIn: ['displayName'],
    })
  }
}
