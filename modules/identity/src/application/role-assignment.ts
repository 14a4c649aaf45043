import { Application, ambient, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Authority, hasAdministratorRole, withParents } from '@keel/framework/security'
import { IdentityErrors } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { UserRecords } from '../persistence/user-records.js'
import { UserDirectoryService } from './user-directory-service.js'

/**
 * Decides which roles the caller may assign. Administrators assign all roles. Other users assign roles that
 * they hold, also by inheritance, unless such a role has a permission that is prohibited to them.
 */
@Injectable()
export class RoleAssignment {
  constructor(
    private readonly application: Application,
    private readonly authority: Authority,
    private readonly records: UserRecords,
    private readonly directory: UserDirectoryService,
  ) {}

  /** The normalized names of the roles that the caller may give and take; undefined for all. */
  async assignable(): Promise<ReadonlySet<string> | undefined> {
    if (this.authority.isUnlimited()) return undefined
    const held = withParents(ambient().principal.roles, this.application.roles)
    const beyond = await Promise.all(held.map((name) => this.authority.findRoleBeyond([name])))
    return new Set(held.filter((_, index) => beyond[index] === undefined).map(normalizedName))
  }

  /** Refuses a role among these that the caller may not give. */
  async demand(roleNames: readonly string[]): Promise<void> {
    if (roleNames.length === 0) return
    const assignable = await this.assignable()
    const refused = assignable && roleNames.find((name) => !assignable.has(normalizedName(name)))
    if (refused !== undefined) throw new BusinessError(IdentityErrors.RoleNotAssignable, { role: refused })
  }

  /** Refuses to take roles that prohibit a permission which the caller may not give. */
  demandRemoval(roleNames: readonly string[]): Promise<void> {
    return this.authority.demandProhibitions(roleNames)
  }

  /** The roles of a new user for whom none are named. Refuses a default role that the caller may not give. */
  async defaults(): Promise<string[]> {
    const roleNames = await this.records.defaultRoles()
    await this.demand(roleNames)
    return roleNames.filter((name) => !hasAdministratorRole([name], this.application))
  }

  /**
   * Gives a user these roles and takes all others, except those that the caller may not take: whoever lists
   * the roles of a user may not have been shown them.
   */
  async set(userId: string, roleNames: readonly string[]): Promise<void> {
    await this.authority.lock()
    const current = await this.records.rolesOf(userId)
    const added = except(roleNames, current)
    await this.demand(added)
    const assignable = await this.assignable()
    const removed = except(current, roleNames).filter((name) => assignable?.has(normalizedName(name)) ?? true)
    await this.demandRemoval(removed)
    await this.directory.addRoles(userId, added)
    if (removed.length) await this.records.removeRoles(userId, removed)
  }
}

/** The names, or ids, that are not among others, in any case. */
export function except(names: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map(normalizedName))
  return names.filter((name) => !known.has(normalizedName(name)))
}
