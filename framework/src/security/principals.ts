import { LRUCache } from 'lru-cache'
import type { Role } from '../contracts/index.js'
import type { TableWatch } from '../data/change-feed.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/module.js'
import { anonymous, type Principal, type StoredUser } from '../modularity/principal.js'
import { Claims } from './claims.js'
import { giveClaims } from './dynamic-claims.js'
import { type GrantHolder, GrantSource, UserSource } from './stored-user.js'

/** What a verified token says of its bearer. Roles and permissions in it do not count: they are looked up (dynamic claims). */
export interface TokenClaims {
  readonly sub: string
  readonly client_id?: string
  /** Seconds since 1970. */
  readonly exp: number
}

interface Made {
  readonly principal: Principal
  /** From when on the principal counts although it is locked out now, in ms since 1970; 0 when it is not. */
  readonly lockedUntil: number
}

interface Kept extends Made {
  readonly userVersion: number
  readonly grantVersion: number
}

function inForce({ principal, lockedUntil }: Made): Principal {
  return lockedUntil !== 0 && Date.now() < lockedUntil ? anonymous : principal
}

const guidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Makes principals: the user's roles and the grants of user, roles and their parents as one compiled set, kept until one of the tables
 * behind them changes. A user who is gone, inactive or locked out is nobody, whatever their token says.
 */
@Injectable()
export class Principals {
  private readonly kept = new LRUCache<string, Kept>({ max: 50_000 })
  private readonly userWatch: TableWatch
  private readonly grantWatch: TableWatch

  constructor(
    private readonly application: Application,
    private readonly users: UserSource,
    private readonly grants: GrantSource,
    private readonly claims: Claims,
  ) {
    this.userWatch = users.database.feed.watch(users.tables)
    this.grantWatch = grants.database.feed.watch(grants.tables)
  }

  /** The principal of a token; without a promise when nothing changed since the last time. */
  of(claims: TokenClaims): Principal | Promise<Principal> {
    const isClient = claims.sub === claims.client_id || !guidText.test(claims.sub)
    const key = isClient ? `C:${claims.client_id ?? claims.sub}` : `U:${claims.sub}:${claims.client_id ?? ''}`
    // While changes are not heard these are undefined, which equals no version that was kept.
    const { version: userVersion } = this.userWatch
    const { version: grantVersion } = this.grantWatch
    const kept = this.kept.get(key)
    if (kept && kept.userVersion === userVersion && kept.grantVersion === grantVersion) return inForce(kept)
    return this.load(isClient, claims).then((made) => {
      if (userVersion !== undefined && grantVersion !== undefined)
        this.kept.set(key, { ...made, userVersion, grantVersion })
      return inForce(made)
    })
  }

  private async load(isClient: boolean, { sub, client_id: clientId }: TokenClaims): Promise<Made> {
    if (isClient) {
      const id = clientId ?? sub
      const permissions = new Set(await this.grants.grantedTo([{ providerName: 'C', providerKey: id }]))
      return {
        principal: { kind: 'client', clientId: id, roles: [], permissions: this.defined(permissions) },
        lockedUntil: 0,
      }
    }
    const user = await this.users.find(sub.toLowerCase())
    if (!user?.isActive) return { principal: anonymous, lockedUntil: 0 }
    const holders = holdersOf(user, this.application.roles)
    const permissions = this.defined(new Set(await this.grants.grantedTo(holders)))
    const { id: userId, userName, roles } = user
    const principal: Principal = {
      kind: 'user',
      userId,
      userName,
      user,
      ...(clientId && { clientId }),
      roles,
      permissions,
    }
    return {
      principal: giveClaims(principal, this.claims),
      lockedUntil: user.lockoutEnd?.getTime() ?? 0,
    }
  }

  /** A grant of a permission that no module defines any more is no grant. */
  private defined(granted: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...granted].filter((name) => this.application.permissions.has(name)))
  }
}

/**
 * Everything whose grants and prohibitions count for a user (domain model, section 4): the user, and their roles with all parents. What the
 * client was granted that they act through is for its own tokens alone.
 */
export function holdersOf(
  { id, roles }: Pick<StoredUser, 'id' | 'roles'>,
  hierarchy: ReadonlyMap<string, Role>,
): GrantHolder[] {
  return [
    { providerName: 'U', providerKey: id },
    ...withParents(roles, hierarchy).map((name) => ({ providerName: 'R', providerKey: name }) as const),
  ]
}

/** Role names and those of all their parents. A role that was made at run time has none. */
export function withParents(names: readonly string[], roles: ReadonlyMap<string, Role>): string[] {
  const all = new Set<string>()
  const add = (name: string): void => {
    if (all.has(name)) return
    all.add(name)
    for (const parent of roles.get(name)?.parents ?? []) add(parent.name)
  }
  names.forEach(add)
  return [...all]
}
