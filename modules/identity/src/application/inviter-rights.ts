import { Application, Injectable } from '@keel/framework'
import {
  coversRights,
  effectivePermissions,
  GrantSource,
  hasAdministratorRole,
  holdersOf,
  UserSource,
  withParents,
} from '@keel/framework/security'
import { IdentityUserPermissions } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { UserRecords } from '../persistence/user-records.js'

/**
 * The rights that an inviter may give by an invitation, from the current grants. The permissions of modules
 * that another host has count too, as those of the API host do at the auth server, where invitations are
 * accepted.
 */
@Injectable()
export class InviterRights {
  constructor(
    private readonly application: Application,
    private readonly records: UserRecords,
  ) {}

  /**
   * The names of the roles that an invited user gets: those that were named, else the default roles.
   * Undefined when the inviter may not add users (any more), or not give one of the roles: nobody gives a
   * role that they do not hold, or that holds more than they do; administrators do.
   * @param permission the permission by which the inviter invites
   */
  async rolesFrom(
    inviterId: string,
    roleNames: readonly string[] | null,
    permission: string = IdentityUserPermissions.Create,
  ): Promise<string[] | undefined> {
    const { application } = this
    const user = await application.get(UserSource).find(inviterId)
    const isLocked = user?.lockoutEnd != null && user.lockoutEnd > application.clock.now
    if (!user?.isActive || isLocked) return undefined
    const grants = application.get(GrantSource)
    const rows = await grants.rowsOf(holdersOf(user, application.roles))
    const permissions = effectivePermissions(rows, application.permissions)
    const mayNameRoles = permissions.has(IdentityUserPermissions.ManageRoles)
    if (!permissions.has(permission) || (roleNames && !mayNameRoles)) return undefined
    const roles = roleNames ? [...roleNames] : await this.defaults()
    const inviter = { permissions, isAdministrator: hasAdministratorRole(user.roles, application) }
    if (inviter.isAdministrator) return roles
    const held = new Set(withParents(user.roles, application.roles).map(normalizedName))
    for (const name of roles) {
      if (!held.has(normalizedName(name))) return undefined
      const chain = withParents([name], application.roles)
      const holders = chain.map((providerKey) => ({ providerName: 'R', providerKey }) as const)
      const ofRole = {
        permissions: effectivePermissions(await grants.rowsOf(holders), application.permissions),
        isAdministrator: hasAdministratorRole([name], application),
      }
      if (!coversRights(inviter, ofRole)) return undefined
    }
    return roles
  }

  private async defaults(): Promise<string[]> {
    const names = await this.records.defaultRoles()
    return names.filter((name) => !hasAdministratorRole([name], this.application))
  }
}
