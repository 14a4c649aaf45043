import { Application, ambient, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { withParents } from '@keel/framework/security'
import { Admin, IdentityErrors } from '../contracts/index.js'
import { normalizedName } from '../domain/normalized-name.js'
import { UserRecords } from '../persistence/user-records.js'
import { UserDirectoryService } from './user-directory-service.js'

/** Who may give which roles: administrators all of them, others those they hold themselves, also by inheritance. */
@Injectable()
export class RoleAssignment {
  constructor(
    private readonly application: Application,
    private readonly records: UserRecords,
    private readonly directory: UserDirectoryService,
  ) {}

  /** The normalized names of the roles that the caller may give and take; undefined for all. */
  assignable(): ReadonlySet<string> | undefined {
    const { kind, roles } = ambient().principal
    if (kind === 'system' || roles.includes(Admin.name)) return undefined
    return new Set(withParents(roles, this.application.roles).map(normalizedName))
  }

  /** Refuses a role among these that the caller may not give. */
  demand(roleNames: readonly string[]): void {
    const assignable = this.assignable()
    const refused = assignable && roleNames.find((name) => !assignable.has(normalizedName(name)))
    if (refused !== undefined) throw new BusinessError(IdentityErrors.RoleNotAssignable, { role: refused })
  }

  /**
   * Gives a user these roles and takes all others, except those that the caller may not take: whoever lists the roles of a user may not have
   * been shown them.
   */
  async set(userId: string, roleNames: readonly string[]): Promise<void> {
    const current = await this.records.rolesOf(userId)
    const added = except(roleNames, current)
    this.demand(added)
    const assignable = this.assignable()
    const removed = except(current, roleNames).filter((name) => assignable?.has(normalizedName(name)) ?? true)
    await this.directory.addRoles(userId, added)
    if (removed.length) await this.records.removeRoles(userId, removed)
  }
}

/** The names that are not among others, in any case. */
function except(names: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map(normalizedName))
  return names.filter((name) => !known.has(normalizedName(name)))
}
