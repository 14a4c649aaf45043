import { ForbiddenError, UnauthenticatedError } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import type { Principal } from '../modularity/principal.js'
import { holdersOf } from './principals.js'
import type { GrantHolder } from './stored-user.js'

/** A permission on one thing that one holder was granted. */
export interface ResourceGrant extends GrantHolder {
  readonly name: string
}

/** Extension point: reads the grants on single things. The permission-management module provides it. */
export abstract class ResourceGrantSource {
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** Every grant on one thing. */
  abstract grantsOn(resourceName: string, resourceKey: string): Promise<readonly ResourceGrant[]>
}

/**
 * Says what the caller may do to one thing: what was granted for it to the user, to one of their roles or a
 * parent of these, or to the client of a client's own token. An API key needs a grant of its own beside its
 * owner's. An ordinary permission does not count here, whatever its name.
 * @example
 * constructor(private readonly access: ResourcePermissions) {}
 * // in an operation
 * await this.access.demand(DocumentAccess.Read, document.id)
 */
@Injectable()
export class ResourcePermissions {
  constructor(
    private readonly application: Application,
    private readonly grants: ResourceGrantSource,
  ) {}

  /** True when the caller holds a resource permission on a thing. Throws for an undefined permission. */
  async isGranted(permission: string, resourceKey: string): Promise<boolean> {
    const { principal } = ambient()
    if (principal.kind === 'system') return true
    const definition = this.application.resourcePermissions.get(permission)
    if (!definition) throw new Error(`No module lists ${permission} under resourcePermissions`)
    if (principal.kind === 'anonymous') return false
    const granted = (await this.grants.grantsOn(definition.resourceName, resourceKey)).filter(
      ({ name }) => name === permission,
    )
    return this.sidesOf(principal).every((side) =>
      side.some((holder) => granted.some((grant) => isSame(grant, holder))),
    )
  }

  /** Those of the things on which the caller holds a permission, in their order: for a page of a list. */
  async among(permission: string, resourceKeys: readonly string[]): Promise<string[]> {
    const held = await Promise.all(resourceKeys.map((key) => this.isGranted(permission, key)))
    return resourceKeys.filter((_, index) => held[index])
  }

  /** Refuses callers who do not hold a resource permission on a thing. */
  async demand(permission: string, resourceKey: string): Promise<void> {
    const { principal } = ambient()
    if (principal.kind === 'anonymous') throw new UnauthenticatedError()
    if (await this.isGranted(permission, resourceKey)) return
    throw new ForbiddenError(`You are not allowed to do this: it needs the permission ${permission}.`, {
      code: 'Volo.Authorization:010002',
      data: { PolicyName: permission },
      text: { key: 'PermissionRequired', data: { permission } },
    })
  }

  /** The groups of holders of which each has to have the grant. */
  private sidesOf({ apiKeyId, userId, clientId = '', roles }: Principal): GrantHolder[][] {
    if (userId === undefined) return [[{ providerName: 'C', providerKey: clientId }]]
    const user = holdersOf({ id: userId, roles }, this.application.roles)
    return apiKeyId === undefined ? [user] : [user, [{ providerName: 'AK', providerKey: apiKeyId }]]
  }
}

const isSame = (a: GrantHolder, b: GrantHolder): boolean =>
  a.providerName === b.providerName && a.providerKey === b.providerKey
