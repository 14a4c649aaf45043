import { Application, Injectable } from '@keel/framework'
import { JsonView, sql, visibleRows } from '@keel/framework/data'
import { IdentityRoleDto, IdentityRoleLookupDto } from '../contracts/index.js'
import { Role } from '../domain/role.js'
import { User } from '../domain/user.js'
import { parentNamesSql } from './role-parents.js'

/** The names of roles. */
export const roleLookupView = new JsonView(Role, IdentityRoleLookupDto)

/** How roles are shown: their rows, and the parents that the code gives them. Roles of the code are static: their names stand in it. */
@Injectable()
export class RoleViews {
  readonly view: JsonView

  constructor(private readonly application: Application) {
    const { roles: declared } = application
    const names = [...declared.keys()]
    this.view = new JsonView(Role, IdentityRoleDto, {
      members: (t) => ({
        isStatic: sql`(${t}."IsStatic" or ${t}."Name" = any(${names}::text[]))`,
        userCount: sql`(select count(*) from "AbpUserRoles" ur join "AbpUsers" u on u."Id" = ur."UserId" and ${visibleRows(User, 'u')}
          where ur."RoleId" = ${t}."Id")`,
        parentNames: sql`array_to_json(${parentNamesSql([...declared.values()], sql`${t}."Name"`)})`,
      }),
      sortBy: ['name', 'isDefault', 'isStatic', 'isPublic', 'creationTime', 'userCount'],
      searchIn: ['name'],
    })
  }

  /** True when a role keeps its name and stays. */
  isStatic({ isStatic, name }: Pick<Role, 'isStatic' | 'name'>): boolean {
    return isStatic || this.application.roles.has(name)
  }
}
