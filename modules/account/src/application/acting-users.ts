import { Application, Provides } from '@keel/framework'
import {
  coversRights,
  effectivePermissions,
  GrantSource,
  hasAdministratorRole,
  holdersOf,
  type ImpersonationRefusal,
  Impersonators,
  type Rights,
  UserSource,
} from '@keel/framework/security'
import { AdministrationPermissions, IdentityUserPermissions } from '@keel/identity/contracts'
import { StoredUserDelegations } from '../persistence/stored-user-delegations.js'

/**
 * Holders of the permission to act as others, and those to whom the user delegated. The permission does for users who
 * hold and see no more. It is checked by grants as they stand: hosts define different permissions. Nor do all hosts have
 * the modules that know which data a user sees, so the impersonator must be one who sees all.
 */
@Provides(Impersonators)
export class ActingUsers extends Impersonators {
  constructor(
    /** Asked for users and grants when they are needed: programs that only bring up the database have no grants. */
    private readonly application: Application,
    private readonly delegations: StoredUserDelegations,
  ) {
    super()
  }

  async refusalOf(impersonatorId: string, userId: string): Promise<ImpersonationRefusal | undefined> {
    const [impersonator, user] = await Promise.all([this.rightsOf(impersonatorId), this.rightsOf(userId)])
    if (!impersonator?.permissions.has(IdentityUserPermissions.Impersonation)) return 'NotPermitted'
    if (!seesAllData(impersonator)) return 'SeesLess'
    return user && !coversRights(impersonator, user) ? 'HoldsLess' : undefined
  }

  async mayActAs(impersonatorId: string, userId: string): Promise<boolean> {
    return (
      !(await this.refusalOf(impersonatorId, userId)) ||
      this.delegations.isActiveBetween(userId, impersonatorId)
    )
  }

  /** The rights of a user; undefined for one who may not sign in. */
  private async rightsOf(userId: string): Promise<Rights | undefined> {
    const { application } = this
    const user = await application.get(UserSource).find(userId)
    const isLocked = user?.lockoutEnd != null && user.lockoutEnd > application.clock.now
    if (!user?.isActive || isLocked) return undefined
    const rows = await application.get(GrantSource).rowsOf(holdersOf(user, application.roles))
    return {
      permissions: effectivePermissions(rows, application.permissions),
      isAdministrator: hasAdministratorRole(user.roles, application),
    }
  }
}

function seesAllData({ isAdministrator, permissions }: Rights): boolean {
  return isAdministrator || permissions.has(AdministrationPermissions.InternalAdmin)
}
