import { atMost, Injectable } from '@keel/framework'
import { Databases, entityMeta, type TableWatch, UnitOfWork } from '@keel/framework/data'
import { LRUCache } from 'lru-cache'
import type { Account } from '../contracts/index.js'
import { RoleClaim } from '../domain/claim-type.js'
import { OrganizationUnitRole, UserOrganizationUnit } from '../domain/organization-unit.js'
import { Role } from '../domain/role.js'
import { User, UserRole } from '../domain/user.js'
import { UserClaim } from '../domain/user-parts.js'
import { UserAccounts } from './user-accounts.js'

/** The tables that an account is read from. */
const tables = [User, UserRole, Role, UserOrganizationUnit, OrganizationUnitRole, UserClaim, RoleClaim]

interface Known {
  readonly account: Account
  readonly version: number
}

/** Active users by id, cached until one of their tables changes. Read for every token of a user. */
@Injectable()
export class KnownAccounts {
  private readonly known = new LRUCache<string, Known>(atMost(10_000))
  private readonly watch: TableWatch

  constructor(
    databases: Databases,
    private readonly accounts: UserAccounts,
  ) {
    this.watch = databases.of(User).feed.watch(tables.map((entity) => entityMeta(entity).table))
  }

  /** The user as they are now; undefined when there is none or it is inactive. */
  async find(userId: string): Promise<Account | undefined> {
    // A transaction may roll back, and it may have changed the cached rows.
    if (UnitOfWork.current) return this.accounts.find(userId)
    const { version } = this.watch
    const known = this.known.get(userId)
    if (known && known.version === version) return known.account
    const account = await this.accounts.find(userId)
    if (account && version !== undefined) this.known.set(userId, { account, version })
    else this.known.delete(userId)
    return account
  }
}
