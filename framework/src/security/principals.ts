import { LRUCache } from 'lru-cache'
import type { Role } from '../contracts/index.js'
import type { TableWatch } from '../data/change-feed/change-feed.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { Application } from '../modularity/application.js'
import { atMost } from '../modularity/at-most.js'
import { Injectable } from '../modularity/injectable.js'
import { anonymous, type Principal, type StoredUser } from '../modularity/principal.js'
import { AvailablePermissions } from './available-permissions.js'
import { Claims } from './claims.js'
import { giveClaims } from './dynamic-claims.js'
import { Impersonators } from './impersonators.js'
import { type GrantHolder, GrantSource, SessionSource, UserSource } from './stored-user.js'

/**
 * The claims of a verified token that are used. Roles and permissions in a token are ignored: they are looked
 * up (dynamic claims).
 */
export interface TokenClaims {
  readonly sub: string
  readonly client_id?: string
  /** The session of the token: the token ends with it. */
  readonly session_id?: string
  /** The administrator who acts as the user, and their session: the token ends with that session too. */
  readonly impersonator_userid?: string
  readonly impersonator_session_id?: string
  /** The id of the token, for its revocation. */
  readonly jti?: string
  /** Seconds since 1970. */
  readonly exp: number
}

interface Made {
  readonly principal: Principal
  /** The end of the user's lockout in ms since 1970; 0 without one. Until then the caller is anonymous. */
  readonly lockedUntil: number
}

interface Kept extends Made {
  readonly userVersion: number
  readonly grantVersion: number
  readonly sessionVersion: number
  readonly availableVersion: number
}

/** The permissions of roles, which principals share that were made at the same versions. */
interface SharedPermissions {
  readonly versions: string
  /** The users to whom something was granted or prohibited by themselves; undefined for too many. */
  readonly usersWithRows: Promise<ReadonlySet<string> | undefined>
  /** By the roles that apply. */
  readonly ofRoles: LRUCache<string, Promise<ReadonlySet<string>>>
}

/** So many users with grants or prohibitions of their own are remembered; 10 MB. */
const mostUsersWithRows = 100_000
const mostSharedSets = 2000

const nobody: Made = { principal: anonymous, lockedUntil: 0 }

/** The watch of hosts without a source of sessions: sessions never end there. */
const noSessions: TableWatch = { version: 0, refresh: async () => undefined }

const guidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Makes the principals of tokens: the user's roles, and the grants of the user, the roles and their parents
 * as one compiled set. Principals are cached until one of their tables changes. The principal is anonymous
 * when the user is deleted, inactive or locked out, or when the session of the token has ended; a session of an
 * impersonator ends with the right to act as the user.
 */
@Injectable()
export class Principals {
  private readonly kept = new LRUCache<string, Kept>(atMost(50_000))
  private readonly underWay = new Map<string, Promise<Principal>>()
  private readonly userWatch: TableWatch
  private readonly grantWatch: TableWatch
  private readonly sessionWatch: TableWatch
  private readonly sessions: SessionSource | undefined
  private readonly impersonators: Impersonators | undefined
  private shared: SharedPermissions | undefined

  constructor(
    private readonly application: Application,
    private readonly users: UserSource,
    private readonly grants: GrantSource,
    private readonly claims: Claims,
    private readonly available: AvailablePermissions,
  ) {
    this.userWatch = users.database.feed.watch(users.tables)
    this.grantWatch = grants.database.feed.watch(grants.tables)
    this.sessions = application.find(SessionSource)
    this.impersonators = application.find(Impersonators)
    this.sessionWatch = this.sessions?.database.feed.watch(this.sessions.tables) ?? noSessions
  }

  /**
   * The principal of a token; synchronous for a cached one. Throws `UnavailableError` when the database
   * cannot confirm that the cached rights are current: rights that may have been revoked are not used.
   */
  of(claims: TokenClaims): Principal | Promise<Principal> {
    const { userWatch, grantWatch, sessionWatch } = this
    const areCurrent =
      userWatch.version !== undefined &&
      grantWatch.version !== undefined &&
      sessionWatch.version !== undefined
    if (areCurrent) return this.ofNow(claims)
    return Promise.all([userWatch, grantWatch, sessionWatch].map((watch) => watch.refresh())).then(() =>
      this.ofNow(claims),
    )
  }

  private ofNow(claims: TokenClaims): Principal | Promise<Principal> {
    const isClient = claims.sub === claims.client_id || !guidText.test(claims.sub)
    const key = isClient ? `C:${claims.client_id ?? claims.sub}` : keyOfUser(claims)
    // While the listener is disconnected the versions are undefined and equal no cached version.
    const { version: userVersion } = this.userWatch
    const { version: grantVersion } = this.grantWatch
    const { version: sessionVersion } = this.sessionWatch
    const { version: availableVersion } = this.available
    const kept = this.kept.get(key)
    const isCurrent =
      kept &&
      kept.userVersion === userVersion &&
      kept.grantVersion === grantVersion &&
      kept.availableVersion === availableVersion
    if (isCurrent && (claims.session_id === undefined || kept.sessionVersion === sessionVersion))
      return this.inForce(kept)
    // Kept versions are known ones: while changes are not heard, none is the same.
    const hasSameUser = kept !== undefined && kept.userVersion === userVersion && !claims.impersonator_userid
    const hasSameSession =
      kept !== undefined && kept.sessionVersion === sessionVersion && !claims.impersonator_userid
    const find = async (): Promise<Principal> => {
      const knownUser = hasSameUser ? kept.principal.user : undefined
      const loaded = isCurrent ? kept : this.load(isClient, claims, knownUser)
      const [made, isLive] = await Promise.all([loaded, hasSameSession || this.isLive(isClient, claims)])
      // New sessions send no notification, nor do delegations: a missing session is not cached.
      if (!isLive) return anonymous
      if (
        userVersion !== undefined &&
        grantVersion !== undefined &&
        sessionVersion !== undefined &&
        availableVersion !== undefined
      )
        this.kept.set(key, { ...made, userVersion, grantVersion, sessionVersion, availableVersion })
      return this.inForce(made)
    }
    const versions = [userVersion, grantVersion, sessionVersion, availableVersion]
    return versions.includes(undefined) ? find() : this.once([key, ...versions].join(' '), find)
  }

  /** A change invalidates all principals at once: concurrent requests of one user share their statements. */
  private once(key: string, find: () => Promise<Principal>): Promise<Principal> {
    const other = this.underWay.get(key)
    if (other !== undefined) return other
    const finding = find().finally(() => this.underWay.delete(key))
    this.underWay.set(key, finding)
    return finding
  }

  /** The principal of a user, apart from any token; anonymous when deleted, inactive or locked out. */
  ofUser(userId: string): Principal | Promise<Principal> {
    return this.of({ sub: userId, exp: 0 })
  }

  private inForce({ principal, lockedUntil }: Made): Principal {
    return lockedUntil !== 0 && this.application.clock.nowMs < lockedUntil ? anonymous : principal
  }

  private async isLive(isClient: boolean, claims: TokenClaims): Promise<boolean> {
    const { sub, session_id: sessionId } = claims
    if (isClient || sessionId === undefined || !this.sessions) return true
    if (claims.impersonator_userid && !(await this.isImpersonatorLive(claims))) return false
    return this.sessions.isLive(sessionId, sub.toLowerCase())
  }

  private async isImpersonatorLive(claims: TokenClaims): Promise<boolean> {
    const { sub, impersonator_userid: id = '', impersonator_session_id: sessionId = '' } = claims
    if (!(await this.sessions?.isLive(sessionId, id))) return false
    return this.impersonators?.mayActAs(id, sub.toLowerCase()) ?? true
  }

  /** @param knownUser the user of the token, when no row of a user changed since it was read */
  private async load(isClient: boolean, claims: TokenClaims, knownUser?: StoredUser): Promise<Made> {
    const { sub, client_id: clientId, session_id: sessionId, impersonator_userid: impersonatorId } = claims
    if (isClient) {
      const id = clientId ?? sub
      const permissions = new Set(await this.grants.grantedTo([{ providerName: 'C', providerKey: id }]))
      return {
        principal: {
          kind: 'client',
          authenticationType: 'Bearer',
          clientId: id,
          roles: [],
          permissions: await this.inUse(permissions),
        },
        lockedUntil: 0,
      }
    }
    const user = knownUser ?? (await this.users.find(sub.toLowerCase()))
    if (!user?.isActive) return nobody
    const impersonator = impersonatorId ? await this.users.find(impersonatorId) : undefined
    if (impersonatorId && !impersonator?.isActive) return nobody
    const permissions = await this.permissionsOf(user)
    const { id: userId, userName, roles } = user
    const principal: Principal = {
      kind: 'user',
      authenticationType: 'Bearer',
      userId,
      userName,
      user,
      ...(clientId && { clientId }),
      ...(sessionId && { sessionId }),
      ...(impersonator && { impersonator: { userId: impersonator.id, userName: impersonator.userName } }),
      roles,
      permissions,
    }
    return {
      principal: giveClaims(principal, this.claims),
      lockedUntil: Math.max(user.lockoutEnd?.getTime() ?? 0, impersonator?.lockoutEnd?.getTime() ?? 0),
    }
  }

  /**
   * The permissions of a user. After a change of grants all principals are made anew: those of users without grants or prohibitions of their own share one
   * statement for each set of roles, and one set.
   */
  private async permissionsOf(user: StoredUser): Promise<ReadonlySet<string>> {
    const holders = holdersOf(user, this.application.roles)
    const shared = this.sharedNow()
    const usersWithRows = await shared?.usersWithRows
    if (!shared || !usersWithRows || usersWithRows.has(user.id)) return this.read(holders)
    const [, ...roles] = holders
    const key = JSON.stringify(roles.map(({ providerKey }) => providerKey))
    const known = shared.ofRoles.get(key)
    if (known) return known
    const reading = this.read(roles)
    shared.ofRoles.set(key, reading)
    reading.catch(() => shared.ofRoles.delete(key))
    return reading
  }

  private async read(holders: readonly GrantHolder[]): Promise<ReadonlySet<string>> {
    return this.inUse(new Set(await this.grants.grantedTo(holders)))
  }

  /** What principals of this moment share; undefined while changes are not heard, and inside a unit of work, which may see what is rolled back. */
  private sharedNow(): SharedPermissions | undefined {
    const { version: grantVersion } = this.grantWatch
    const { version: availableVersion } = this.available
    if (grantVersion === undefined || availableVersion === undefined || UnitOfWork.current) return undefined
    const versions = `${grantVersion} ${availableVersion}`
    if (this.shared?.versions === versions) return this.shared
    const shared = {
      versions,
      usersWithRows: this.grants.usersWithRows(mostUsersWithRows),
      ofRoles: new LRUCache<string, Promise<ReadonlySet<string>>>(atMost(mostSharedSets)),
    }
    shared.usersWithRows.catch(() => {
      if (this.shared === shared) this.shared = undefined
    })
    this.shared = shared
    return shared
  }

  /** Leaves out permissions that no module defines any more, and those whose feature or setting is off. */
  private async inUse(granted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const withheld = await this.available.withheld()
    return new Set(
      [...granted].filter((name) => this.application.permissions.has(name) && !withheld.has(name)),
    )
  }
}

/** Everything in a token that its principal is made of: no session tells who started work in a user's name. */
function keyOfUser({
  sub,
  client_id = '',
  session_id = '',
  impersonator_userid = '',
  impersonator_session_id = '',
}: TokenClaims): string {
  return `U:${sub}:${client_id}:${session_id}:${impersonator_userid}:${impersonator_session_id}`
}

/**
 * The holders whose grants and prohibitions apply to a user (domain model, section 4): the user, and their
 * roles with all parents. Grants of the client apply to its own tokens alone.
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

/** Role names with those of all their parents. A role made at run time has no parents. */
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
