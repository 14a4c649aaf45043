import { BusinessError, beyondOwnRights, type PermissionDefinition } from '../contracts/index.js'
import { Locks } from '../data/connections/locks.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { InjectAll, Injectable } from '../modularity/injectable.js'
import type { Principal } from '../modularity/principal.js'
import { AvailablePermissions } from './available-permissions.js'
import { DataScope } from './data-scope.js'
import { holdersOf, withParents } from './principals.js'
import { type GrantHolder, GrantSource, type StandingGrant, UserSource } from './stored-user.js'

/** The rights of a user, role, client or key, for comparison with those of another one. */
export interface Rights {
  readonly permissions: ReadonlySet<string>
  /** Holds a role whose holders may give what they do not hold. */
  readonly isAdministrator: boolean
}

/**
 * The rule that there is no way up: a caller gives and takes over no more than the caller holds. Whatever
 * hands out rights, or lets the caller act as another user, role, client or key afterwards, asks here. Of
 * users it is also asked what they see ({@link DataScope}). A caller who holds every permission, or a role of
 * administrators, is not limited. Refusals name nothing that the other one holds.
 */
@Injectable()
export class Authority {
  private readonly unlimited = new WeakMap<Principal, boolean>()

  constructor(
    private readonly application: Application,
    private readonly users: UserSource,
    private readonly grants: GrantSource,
    private readonly locks: Locks,
    private readonly available: AvailablePermissions,
    @InjectAll(DataScope) private readonly scopes: readonly DataScope[],
  ) {}

  /**
   * Waits until no other unit of work checks or changes what users hold, and keeps others waiting to the end
   * of the one at hand. Whoever changes it asks for this before, so that a check is still true when what it
   * allowed is written. Other advisory locks are taken before this one.
   */
  async lock(): Promise<void> {
    // A check without a unit of work writes nothing that would have to stay true.
    if (UnitOfWork.current) await this.locks.hold('Keel.Rights', { database: this.grants.database })
  }

  /** True when the caller has no limits in giving rights and taking over accounts. */
  isUnlimited(): boolean {
    const { principal } = ambient()
    const known = this.unlimited.get(principal)
    if (known !== undefined) return known
    const isUnlimited =
      principal.kind === 'system' ||
      hasAdministratorRole(principal.roles, this.application) ||
      everyPermission(this.application).every(
        (name) => principal.permissions.has(name) || this.available.lastWithheld.has(name),
      )
    this.unlimited.set(principal, isUnlimited)
    return isUnlimited
  }

  /** True when the caller may grant or revoke a permission. */
  mayGive(permission: string): boolean {
    return this.isUnlimited() || ambient().principal.permissions.has(permission)
  }

  /** Refuses limited callers. For changes that open every account, such as the server for all mail. */
  demandUnlimited(): void {
    if (!this.isUnlimited()) throw refused()
  }

  /** Refuses permissions that the caller may not give. */
  demandPermissions(permissions: Iterable<string>): void {
    for (const permission of permissions) if (!this.mayGive(permission)) throw refused()
  }

  /** Refuses users who hold or see more than the caller. Users that do not exist are passed over. */
  async demandUsers(userIds: readonly string[]): Promise<void> {
    if (this.isUnlimited() || userIds.length === 0) return
    await this.lock()
    const found = await Promise.all([...new Set(userIds)].map((id) => this.users.find(id.toLowerCase())))
    const users = found.filter((user) => user !== undefined)
    if (users.some(({ roles }) => hasAdministratorRole(roles, this.application))) throw refused()
    await this.demandChains(users.map((user) => holdersOf(user, this.application.roles)))
    await this.demandData(users.map(({ id }) => id))
  }

  /** Refuses users who see data that the caller does not see, whatever permissions they hold. */
  async demandData(userIds: readonly string[]): Promise<void> {
    if (this.isUnlimited() || userIds.length === 0) return
    for (const scope of this.scopes) if (!(await scope.includes(userIds))) throw refused()
  }

  /** The first of these roles that holds more than the caller, parents included; undefined for none. */
  async findRoleBeyond(roleNames: readonly string[]): Promise<string | undefined> {
    if (this.isUnlimited()) return undefined
    const administrator = roleNames.find((name) => hasAdministratorRole([name], this.application))
    if (administrator !== undefined) return administrator
    const chains = roleNames.map((name) => this.roleChain(name))
    const rows = await this.rowsOf(chains.flat())
    return roleNames.find((_, index) => !this.covers(chains[index] as GrantHolder[], rows))
  }

  /** Refuses roles, by name, that hold more than the caller with their parents. */
  async demandRoles(roleNames: readonly string[]): Promise<void> {
    if ((await this.findRoleBeyond(roleNames)) !== undefined) throw refused()
  }

  /**
   * Refuses to take roles from their holders where a role, or a parent of it, prohibits what the caller may
   * not give: without the role the holders may have it.
   */
  async demandProhibitions(roleNames: readonly string[]): Promise<void> {
    if (this.isUnlimited()) return
    const rows = await this.rowsOf(roleNames.flatMap((name) => this.roleChain(name)))
    this.demandPermissions(rows.flatMap(({ name, isProhibition }) => (isProhibition ? [name] : [])))
  }

  /** Refuses a client that holds more than the caller. */
  async demandClient(clientId: string): Promise<void> {
    await this.demandChains([[{ providerName: 'C', providerKey: clientId }]])
  }

  private async demandChains(chains: readonly (readonly GrantHolder[])[]): Promise<void> {
    if (this.isUnlimited()) return
    const rows = await this.rowsOf(chains.flat())
    if (chains.some((chain) => !this.covers(chain, rows))) throw refused()
  }

  private covers(chain: readonly GrantHolder[], rows: readonly StandingGrant[]): boolean {
    const { permissions: held } = ambient().principal
    const { permissions: defined } = this.application
    const own = new Set(chain.map(keyOf))
    const standing = effectivePermissions(
      rows.filter((row) => own.has(keyOf(row))),
      defined,
    )
    return [...standing].every((name) => held.has(name) || !defined.has(name))
  }

  private async rowsOf(holders: readonly GrantHolder[]): Promise<readonly StandingGrant[]> {
    const distinct = new Map(holders.map((holder) => [keyOf(holder), holder]))
    return distinct.size === 0 ? [] : this.grants.rowsOf([...distinct.values()])
  }

  private roleChain(name: string): GrantHolder[] {
    return withParents([name], this.application.roles).map((providerKey) => ({
      providerName: 'R',
      providerKey,
    }))
  }
}

/** True when a holder of these rights may give the other rights and take over their holder. */
export function coversRights(holder: Rights, other: Rights): boolean {
  if (holder.isAdministrator) return true
  return !other.isAdministrator && [...other.permissions].every((name) => holder.permissions.has(name))
}

/** True when one of these roles makes an administrator. */
export function hasAdministratorRole(
  roleNames: readonly string[],
  { roles }: Pick<Application, 'roles'>,
): boolean {
  return roleNames.some((name) => roles.get(name)?.isAdministrator ?? false)
}

/**
 * Combines the rows of a holder and of those it inherits from: granted by one, prohibited by none.
 * Permissions that this host does not define are among them, because another host may define them.
 */
export function effectivePermissions(
  rows: readonly StandingGrant[],
  defined: ReadonlyMap<string, PermissionDefinition>,
): ReadonlySet<string> {
  const granted = rows.filter(
    ({ name, providerName, isProhibition }) =>
      !isProhibition && (defined.get(name)?.providers?.includes(providerName) ?? true),
  )
  const names = new Set(granted.map(({ name }) => name))
  for (const { name, isProhibition } of rows) if (isProhibition) names.delete(name)
  return names
}

/** The permissions that a user can hold. */
function everyPermission({ permissions }: Application): string[] {
  return [...permissions.values()]
    .filter(({ providers }) => !providers || providers.includes('U') || providers.includes('R'))
    .map(({ name }) => name)
}

function keyOf({ providerName, providerKey }: GrantHolder): string {
  return `${providerName}:${providerKey}`
}

function refused(): BusinessError {
  return new BusinessError(beyondOwnRights)
}
